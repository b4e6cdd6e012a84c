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

// A handlerFunc is a handler for tests.
type handlerFunc = func(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error)

// handlerFuncs are handlers by the name of their hook.
type handlerFuncs map[string]handlerFunc

// handlerTraits are the handler types for tests: one for each way in which the engine plans a hook.
var handlerTraits = map[string]checkrein.Traits{
	"plain":    {},                                            // like a command that is declared as non-rewriting
	"rewriter": {Rewrites: true},                              // like a command
	"instant":  {Instant: true},                               // like a builtin that adds context
	"judge":    {Instant: true, Judges: true},                 // like a rule
	"redactor": {Rewrites: true, Redacts: true},               // like redact_secrets
	"limiter":  {Rewrites: true, Limits: true},                // like limit_large_tool_results
	"referee":  {Unsure: true, Judges: true},                  // like the judge of calls with unknown effects
	"patcher":  {Instant: true, Judges: true, Rewrites: true}, // like a rule with a patch
}

// handlerTypes returns the handler table for tests, which includes rules.
func (f handlerFuncs) handlerTypes() []checkrein.HandlerType {
	out := []checkrein.HandlerType{rule.Type("/home/me", nil)}
	for name, traits := range handlerTraits {
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

// newEngine returns an engine with these handlers and hooks.
func (f handlerFuncs) newEngine(hooks ...checkrein.Hook) *engine.Engine {
	return f.newEngineWith(engine.Options{}, hooks...)
}

func (f handlerFuncs) newEngineWith(opts engine.Options, hooks ...checkrein.Hook) *engine.Engine {
	opts.Hooks = hooks
	opts.Handlers = append(f.handlerTypes(), opts.Handlers...)
	return engine.New(opts)
}

// newHook returns a hook on pre_tool_use as a configuration would declare it.
func newHook(run, name string, change ...func(*checkrein.Hook)) checkrein.Hook {
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

// ruleHook returns a rule with the condition cond and the settings with, both JSON.
func ruleHook(name, cond, with string, change ...func(*checkrein.Hook)) checkrein.Hook {
	h := newHook("rule", name, change...)
	h.With = json.RawMessage(with)
	if cond != "" {
		h.If = checkrein.Condition(cond)
	}
	return h
}

// shellEvent returns the event before a shell call with command.
func shellEvent(command string) checkrein.Event {
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s1", Dir: "/work"},
		Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"cmd":` + string(rawjson.Quote(command)) + `}`)}}
}

// newEvent returns an event of kind k. If its subject is a tool, it is a shell call.
func newEvent(k checkrein.Kind) checkrein.Event {
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

// shellCommand returns the command of the shell call ev.
func shellCommand(ev checkrein.Event) string {
	v, _ := rawjson.Get(ev.Tool.Input, "cmd")
	s, _ := rawjson.Text(v)
	return s
}

// answerWith returns a handler that always returns v.
func answerWith(v checkrein.Verdict) handlerFunc {
	return func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: v}, nil
	}
}

func decideWith(d checkrein.Decision, reason string) handlerFunc {
	return answerWith(checkrein.Verdict{Decision: d, Reason: reason})
}

// failWith returns a handler that fails.
func failWith(why string) handlerFunc {
	return func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{}, errors.New(why)
	}
}

// patchInput returns a handler that patches the tool's input.
func patchInput(patch string) handlerFunc {
	return answerWith(checkrein.Verdict{Input: json.RawMessage(patch)})
}

// rewriteCommand returns a handler that replaces the command with cmd.
func rewriteCommand(cmd string) handlerFunc {
	return patchInput(`{"cmd":` + string(rawjson.Quote(cmd)) + `}`)
}

// A witness is a handler that records the commands it gets and has no opinion.
type witness struct{ saw []string }

func (w *witness) handle(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	w.saw = append(w.saw, shellCommand(ev))
	return checkrein.Answer{}, nil
}

// decide returns the outcome of ev.
func decide(t *testing.T, e *engine.Engine, ev checkrein.Event) engine.Outcome {
	t.Helper()
	return e.Decide(t.Context(), ev)
}

// wantDecision reports a test error unless the outcome has the decision want.
func wantDecision(t *testing.T, out engine.Outcome, want checkrein.Decision) {
	t.Helper()
	if got := out.Verdict.Decision; got != want {
		t.Errorf("got %v, want %v\n%s", got, want, out.JSON(true))
	}
}

// wantText reports a test error unless got contains part.
func wantText(t *testing.T, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("got %q, want %q in it", got, part)
	}
}

// findStep returns the step of the hook name.
func findStep(t *testing.T, out engine.Outcome, name string) *engine.Step {
	t.Helper()
	for i := range out.Steps {
		if out.Steps[i].Hook.Name == name {
			return &out.Steps[i]
		}
	}
	t.Fatalf("no step of hook %q", name)
	return nil
}
