package checkreintest_test

import (
	"context"
	"encoding/json"
	"os"
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
	ev.Session.ID = "s1"
	v := l.hooks.Decide(context.Background(), ev).Verdict
	if l.misses == l.s.Name {
		return checkrein.Verdict{}
	}
	for _, n := range v.Notice {
		l.s.Notify(n)
	}
	l.sent = append(l.sent, v.Context...)
	return v
}

// run runs one session.
func (l *loop) run() {
	l.decide(checkrein.Event{Kind: checkrein.SessionStart})
	l.runTurn()
	if l.misses != "session_end/fired" {
		l.decide(checkrein.Event{Kind: checkrein.SessionEnd})
	}
}

// runTurn runs one turn.
func (l *loop) runTurn() {
	l.sent = append(l.sent, l.s.Prompt)
	if v := l.decide(checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: l.s.Prompt}); v.Decision == checkrein.Deny {
		return
	}
	for range 10 {
		if v := l.decide(checkrein.Event{Kind: checkrein.BeforeLLMCall}); v.Halt || v.Decision == checkrein.Deny {
			return
		}
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
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", CallID: "call-1", Input: input}}
	v := l.decide(ev)
	if v.Decision == checkrein.Deny || slices.ContainsFunc(v.Obligations, func(o checkrein.Obligation) bool { return o.ID == "" }) || v.Decision == checkrein.Ask && !l.s.Approve(command) {
		l.sent = append(l.sent, v.Reason)
		return v.Halt
	}
	if v.Input != nil {
		ev.Tool.Input = v.Input
	}
	var args struct{ Command string }
	_ = json.Unmarshal(ev.Tool.Input, &args)
	text, err := l.s.Shell(args.Command)
	output, _ := json.Marshal(text)
	tool := *ev.Tool
	tool.Output, tool.Failed = output, err != nil
	v = l.decide(checkrein.Event{Kind: checkrein.ToolResponseTransform, Tool: &tool})
	if v.Output != nil {
		tool.Output = v.Output
	}
	kind := checkrein.PostToolUse
	if tool.Failed {
		kind = checkrein.PostToolUseFailure
	}
	if l.misses == "post_tool_use/same-call" {
		tool.CallID = "another"
	}
	v = l.decide(checkrein.Event{Kind: kind, Tool: &tool})
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
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return n == "none" || n == "pre_tool_use/fulfilled" }) {
		s := checkreintest.NewSession(t, name)
		runLoop(s, name)
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), "broken rule: ") {
			t.Errorf("%s: error %v although the verdict was ignored", name, err)
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

// TestEndlessRedoFails checks that a runtime that goes on forever when a hook denies every stop is
// ended and reported.
func TestEndlessRedoFails(t *testing.T) {
	t.Parallel()
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "does not stop") {
			t.Errorf("recovered %v", r)
		}
	}()
	s := checkreintest.NewSession(t, "stop/limit")
	for {
		s.Model("go on")
	}
}

// TestCommentListsRules checks that the comment on TestRuntime lists each scenario with its rule.
func TestCommentListsRules(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("runtime.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(file), "func TestRuntime(")
	text := strings.Join(strings.Fields(strings.ReplaceAll(comment, "//", "")), " ")
	for _, name := range checkreintest.Scenarios() {
		if rule := checkreintest.NewSession(t, name).Rule(); !strings.Contains(text, "- "+name+": "+rule) {
			t.Errorf("the comment lacks %q: %s", name, rule)
		}
	}
}
