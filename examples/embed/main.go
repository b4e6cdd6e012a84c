// Command embed is an agent's loop in miniature: it runs the hooks of this machine and
// project before and after everything that the agent does, and does what they decide.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/kit"
)

// An agent runs shell commands that a model asks for.
type agent struct {
	hooks   *kit.Kit
	session checkrein.Session
	model   func(request string) (text, command string) // command "" = the model is done
	shell   func(command string) (output string, err error)
	approve func(command, reason string) bool // asks the person
	notify  func(notice string)               // shows the person a notice

	conversation []string
	calls        int
}

// fire runs the hooks of an event, adds the context that they give to the conversation, and
// returns the verdict.
func (a *agent) fire(ctx context.Context, ev checkrein.Event) checkrein.Verdict {
	ev.Session = a.session
	v := a.hooks.Serve(ctx, ev).Verdict
	a.say(v.Context...)
	for _, notice := range v.Notice {
		a.notify(notice)
	}
	return v
}

func (a *agent) say(texts ...string) { a.conversation = append(a.conversation, texts...) }

// run runs one session with one prompt.
func (a *agent) run(ctx context.Context, prompt string) {
	a.fire(ctx, checkrein.Event{Kind: checkrein.SessionStart})
	a.turn(ctx, prompt)
	a.fire(ctx, checkrein.Event{Kind: checkrein.SessionEnd})
}

// turn runs one turn.
func (a *agent) turn(ctx context.Context, prompt string) {
	v := a.fire(ctx, checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: prompt})
	if v.Decision == checkrein.Deny {
		return
	}
	a.say(prompt)
	for {
		if v := a.fire(ctx, checkrein.Event{Kind: checkrein.BeforeLLMCall}); v.Halt || v.Decision == checkrein.Deny {
			return
		}
		text, command := a.model(strings.Join(a.conversation, "\n"))
		a.say(text)
		if command != "" {
			if halted := a.call(ctx, command); halted {
				return
			}
			continue
		}
		v := a.fire(ctx, checkrein.Event{Kind: checkrein.Stop, Text: text})
		if v.Redo == "" { // set at most three times a turn
			return
		}
		a.say(v.Redo)
	}
}

// call runs a command if the hooks let it, and reports whether they end the turn.
func (a *agent) call(ctx context.Context, command string) (halted bool) {
	a.calls++
	tool := &checkrein.Tool{Name: "shell", CallID: fmt.Sprintf("call-%d", a.calls), Input: encode(map[string]string{"command": command})}
	v := a.fire(ctx, checkrein.Event{Kind: checkrein.PreToolUse, Tool: tool})
	for _, o := range v.Obligations {
		if o.ID == "" { // not fulfilled yet, and this loop can fulfil none
			a.say("not run: a hook requires " + o.Kind)
			return v.Halt
		}
	}
	if v.Decision == checkrein.Deny || v.Decision == checkrein.Ask && !a.approve(command, v.Reason) {
		a.say("not run: " + v.Reason)
		return v.Halt
	}
	var input struct{ Command string }
	if v.Input != nil {
		tool.Input = v.Input // the complete input, as the hooks rewrote it
	}
	if err := json.Unmarshal(tool.Input, &input); err != nil {
		a.say("not run: " + err.Error())
		return false
	}
	output, err := a.shell(input.Command)
	tool.Output, tool.Failed = encode(output), err != nil
	if v := a.fire(ctx, checkrein.Event{Kind: checkrein.ToolResponseTransform, Tool: tool}); v.Output != nil {
		tool.Output = v.Output // what was there before must not reach the model
	}
	after := checkrein.PostToolUse
	if tool.Failed {
		after = checkrein.PostToolUseFailure
	}
	v = a.fire(ctx, checkrein.Event{Kind: after, Tool: tool})
	a.say(string(tool.Output))
	return v.Halt || v.Decision == checkrein.Deny
}

// encode returns v as JSON. The values here are strings, which always have one.
func encode(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

func main() {
	hooks, err := kit.Open(kit.Options{Hooks: []checkrein.Hook{{
		ID: "no-rm", On: checkrein.PreToolUse, Match: "shell", Run: "rule",
		If:   checkrein.Condition{}.Test("command", "prefix", "rm "),
		With: json.RawMessage(`{"decision":"deny","reason":"Blocked (deletes): {{command}}"}`),
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	commands := []string{"ls", "rm -rf build"}
	a := &agent{
		hooks:   hooks,
		session: checkrein.Session{ID: "session-1"},
		model: func(string) (text, command string) {
			if len(commands) == 0 {
				return "I am done.", ""
			}
			command, commands = commands[0], commands[1:]
			return "I run a command.", command
		},
		shell:   func(command string) (string, error) { return "output of " + command, nil },
		approve: func(string, string) bool { return false },
		notify:  func(notice string) { fmt.Fprintln(os.Stderr, notice) },
	}
	a.run(context.Background(), "Please clean up.")
	fmt.Println(strings.Join(a.conversation, "\n"))
}
