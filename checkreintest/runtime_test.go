package checkreintest_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/checkreintest"
	"github.com/checkrein/checkrein/engine"
)

// A loop is a small runtime that can ignore the verdict of one scenario, which TestRuntime must
// detect.
type loop struct {
	s      *checkreintest.Session
	hooks  *engine.Engine
	sent   []string
	misses string // the scenario's name whose verdict it ignores
}

func (l *loop) decide(ev checkrein.Event) checkrein.Verdict {
	v := l.hooks.Decide(context.Background(), ev).Verdict
	if l.misses == l.s.Name {
		return checkrein.Verdict{}
	}
	l.sent = append(l.sent, v.Context...)
	return v
}

// run runs one turn.
func (l *loop) run() {
	l.decide(checkrein.Event{Kind: checkrein.SessionStart})
	l.sent = append(l.sent, l.s.Prompt)
	if v := l.decide(checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: l.s.Prompt}); v.Decision == checkrein.Deny {
		return
	}
	for range 10 {
		reply := l.s.Model(strings.Join(l.sent, "\n"))
		if reply.Command == "" {
			v := l.decide(checkrein.Event{Kind: checkrein.Stop, Text: reply.Text})
			if v.Redo == "" {
				return
			}
			l.sent = append(l.sent, v.Redo)
			continue
		}
		if l.runCommand(reply.Command) {
			return
		}
	}
}

// runCommand runs a command of the model, and reports whether the turn is over.
func (l *loop) runCommand(command string) (halt bool) {
	input, _ := json.Marshal(map[string]string{"command": command})
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: input}}
	v := l.decide(ev)
	if v.Decision == checkrein.Deny || v.Decision == checkrein.Ask && !l.s.Approve(command) {
		l.sent = append(l.sent, v.Reason)
		return v.Halt
	}
	if v.Input != nil {
		ev.Tool.Input = v.Input
	}
	var args struct{ Command string }
	_ = json.Unmarshal(ev.Tool.Input, &args)
	output, _ := json.Marshal(l.s.Shell(args.Command))
	tool := *ev.Tool
	tool.Output = output
	v = l.decide(checkrein.Event{Kind: checkrein.ToolResponseTransform, Tool: &tool})
	if v.Output != nil {
		tool.Output = v.Output
	}
	v = l.decide(checkrein.Event{Kind: checkrein.PostToolUse, Tool: &tool})
	l.sent = append(l.sent, string(tool.Output))
	return v.Decision == checkrein.Deny
}

func runLoop(s *checkreintest.Session, misses string) {
	(&loop{s: s, hooks: engine.New(engine.Options{Hooks: s.Hooks, Handlers: s.Handlers}), misses: misses}).run()
}

// TestRuntimePasses checks that a runtime that does what hooks decide passes.
func TestRuntimePasses(t *testing.T) {
	t.Parallel()
	checkreintest.TestRuntime(t, func(_ *testing.T, s *checkreintest.Session) { runLoop(s, "") })
}

// TestIgnoredVerdictFails checks that a runtime that ignores the verdict of a scenario fails it.
func TestIgnoredVerdictFails(t *testing.T) {
	t.Parallel()
	names := checkreintest.Scenarios()
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return n == "none" }) {
		s := checkreintest.NewSession(t, name)
		runLoop(s, name)
		if s.Check() == nil {
			t.Errorf("%s: passes although the verdict was ignored", name)
		}
	}
}

// TestIdleRuntimeFails checks that a runtime that runs nothing fails the scenario without a verdict.
func TestIdleRuntimeFails(t *testing.T) {
	t.Parallel()
	if checkreintest.NewSession(t, "none").Check() == nil {
		t.Error("a session in which nothing happened passes")
	}
}
