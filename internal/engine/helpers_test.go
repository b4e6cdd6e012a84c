package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/handler/rule"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A fn is a handler of a test.
type fn = func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error)

// fns are handlers by the name of their hook.
type fns map[string]fn

// kinds are the handler types of the tests: one for each way in which the plan
// treats a hook.
var kinds = map[string]checkrein.Traits{
	"plain":    {},                                            // like a command that promises not to rewrite
	"rewriter": {Rewrites: true},                              // like a command
	"instant":  {Instant: true},                               // like a builtin that adds context
	"judge":    {Instant: true, Judges: true},                 // like a rule
	"redactor": {Rewrites: true, Redacts: true},               // like redact_secrets
	"limiter":  {Rewrites: true, Limits: true},                // like limit_large_tool_results
	"referee":  {Unsure: true, Judges: true},                  // like the judge of what is not known
	"patcher":  {Instant: true, Judges: true, Rewrites: true}, // like a rule with a patch
}

// types returns the handler table of the tests, with rules beside.
func (f fns) types() []checkrein.HandlerType {
	out := []checkrein.HandlerType{rule.Type("/home/me", nil)}
	for name, traits := range kinds {
		out = append(out, checkrein.HandlerType{
			Name:   name,
			Traits: func(*checkrein.Hook) checkrein.Traits { return traits },
			New: func(h checkrein.Hook) (checkrein.Handler, error) {
				if f[h.Name] == nil {
					return nil, errors.New("the test has no handler " + h.Name)
				}
				return checkrein.HandlerFunc(f[h.Name]), nil
			},
		})
	}
	return out
}

// engine returns an engine of these handlers for the hooks.
func (f fns) engine(hooks ...checkrein.Hook) *engine.Engine {
	return f.with(engine.Options{}, hooks...)
}

func (f fns) with(opts engine.Options, hooks ...checkrein.Hook) *engine.Engine {
	opts.Hooks = hooks
	opts.Handlers = append(f.types(), opts.Handlers...)
	return engine.New(opts)
}

// hook declares a hook on pre_tool_use as a configuration would.
func hook(run, name string, change ...func(*checkrein.Hook)) checkrein.Hook {
	h := checkrein.Hook{ID: name, Name: name, On: checkrein.PreToolUse, Run: run, Priority: hookfile.DefaultPriority,
		Rewrites: true, From: checkrein.Origin{Scope: checkrein.ScopeUser, File: "/etc/hooks.yaml", Line: 7}}
	for _, c := range change {
		c(&h)
	}
	return h
}

func on(k checkrein.Kind) func(*checkrein.Hook) { return func(h *checkrein.Hook) { h.On = k } }
func priority(n int) func(*checkrein.Hook)      { return func(h *checkrein.Hook) { h.Priority = n } }
func onFault(p checkrein.FaultPolicy) func(*checkrein.Hook) {
	return func(h *checkrein.Hook) { h.OnFault = p }
}
func gate(h *checkrein.Hook)                  { h.Gate = true }
func async(h *checkrein.Hook)                 { h.Async = true }
func noRewrite(h *checkrein.Hook)             { h.Rewrites = false }
func project(h *checkrein.Hook)               { h.From.Scope, h.From.Approval = checkrein.ScopeProject, true }
func managed(h *checkrein.Hook)               { h.From.Scope = checkrein.ScopeManaged }
func matching(m string) func(*checkrein.Hook) { return func(h *checkrein.Hook) { h.Match = m } }

// ruleHook declares a rule: if and with are JSON.
func ruleHook(name, cond, with string, change ...func(*checkrein.Hook)) checkrein.Hook {
	h := hook("rule", name, change...)
	h.With = json.RawMessage(with)
	if cond != "" {
		h.If = checkrein.Condition(cond)
	}
	return h
}

// shell is a shell call about to run.
func shell(command string) checkrein.Event {
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s1", Dir: "/work"},
		Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"cmd":` + string(rawjson.Quote(command)) + `}`)}}
}

// event is one of the given kind, about a shell call where it is about a tool.
func event(k checkrein.Kind) checkrein.Event {
	ev := checkrein.Event{Kind: k, Session: checkrein.Session{ID: "s1", Dir: "/work"}}
	switch row := checkrein.ContractOf(k); row.Subject {
	case checkrein.SubjectTool:
		ev.Tool = &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"cmd":"ls"}`)}
		if k == checkrein.ToolResponseTransform || k == checkrein.PostToolUse {
			ev.Tool.Output = json.RawMessage(`"out"`)
		}
	case checkrein.SubjectText:
		ev.Text = "text"
	case checkrein.SubjectMessages:
		ev.Messages = json.RawMessage(`[{"role":"user","content":"hi"}]`)
	}
	return ev
}

// command is what a shell call runs.
func command(ev checkrein.Event) string {
	v, _ := rawjson.Get(ev.Tool.Input, "cmd")
	s, _ := rawjson.Text(v)
	return s
}

// says is a handler that always answers the same.
func says(v checkrein.Verdict) fn {
	return func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: v}, nil
	}
}

func decides(d checkrein.Decision, reason string) fn {
	return says(checkrein.Verdict{Decision: d, Reason: reason})
}

// fails is a handler that cannot answer.
func fails(why string) fn {
	return func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{}, errors.New(why)
	}
}

// patches is a handler that rewrites the tool's input.
func patches(patch string) fn { return says(checkrein.Verdict{Input: json.RawMessage(patch)}) }

// runs is a handler that rewrites the command.
func runs(cmd string) fn { return patches(`{"cmd":` + string(rawjson.Quote(cmd)) + `}`) }

// A witness is a handler that notes what it saw and says nothing.
type witness struct{ saw []string }

func (w *witness) handle(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	w.saw = append(w.saw, command(ev))
	return checkrein.Answer{}, nil
}

// decide runs an event with no limit of its own.
func decide(t *testing.T, e *engine.Engine, ev checkrein.Event) engine.Outcome {
	t.Helper()
	return e.Decide(t.Context(), ev)
}

// wantDecision fails unless the outcome has the decision.
func wantDecision(t *testing.T, out engine.Outcome, want checkrein.Decision) {
	t.Helper()
	if got := out.Verdict.Decision; got != want {
		t.Errorf("got %v, want %v\n%s", got, want, out.JSON(true))
	}
}

// wantText fails unless the text holds the part.
func wantText(t *testing.T, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("got %q, want %q in it", got, part)
	}
}

// step returns the step of a hook.
func step(t *testing.T, out engine.Outcome, name string) *engine.Step {
	t.Helper()
	for i := range out.Steps {
		if out.Steps[i].Hook.Name == name {
			return &out.Steps[i]
		}
	}
	t.Fatalf("no step of hook %q", name)
	return nil
}
