package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// appendToCommand returns a handler that appends to the command it gets.
func appendToCommand(more string) handlerFunc {
	return func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		in := `{"cmd":` + string(rawjson.Quote(shellCommand(ev)+more)) + `}`
		return checkrein.Answer{Verdict: checkrein.Verdict{Input: json.RawMessage(in)}}, nil
	}
}

func TestRewritesComposeInOrder(t *testing.T) {
	t.Parallel()
	var w witness
	all := handlerFuncs{"one": appendToCommand("1"), "two": appendToCommand("2"), "three": appendToCommand("3"), "saw": w.handle}
	e := all.newEngine(newHook("rewriter", "two"), newHook("rewriter", "one"), newHook("rewriter", "three"), newHook("plain", "saw"))
	out := decide(t, e, shellEvent("x"))
	if got, want := string(out.Verdict.Input), `{"cmd":"x213"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := shellCommand(out.Event); got != "x213" {
		t.Errorf("the outcome's event runs %q", got)
	}
	if !slices.Equal(w.saw, []string{"x213"}) {
		t.Errorf("the observer saw %q", w.saw)
	}
}

// TestObserversSeeRewritesBeforeThem checks that an observer gets the rewrites of the hooks before it
// but not of those after it.
func TestObserversSeeRewritesBeforeThem(t *testing.T) {
	t.Parallel()
	var before, between, after witness
	all := handlerFuncs{"a": appendToCommand("1"), "b": appendToCommand("2"), "before": before.handle, "between": between.handle, "after": after.handle}
	e := all.newEngine(newHook("plain", "before"), newHook("rewriter", "a"), newHook("plain", "between"), newHook("rewriter", "b"), newHook("plain", "after"))
	out := decide(t, e, shellEvent("x"))
	got := [][]string{before.saw, between.saw, after.saw}
	for i, want := range []string{"x", "x1", "x12"} {
		if !slices.Equal(got[i], []string{want}) {
			t.Errorf("observer %d saw %q, want %q once", i, got[i], want)
		}
	}
	for name, want := range map[string]bool{"before": true, "between": true, "after": false, "a": true, "b": false} {
		if findStep(t, out, name).Stale != want {
			t.Errorf("%s: stale %v, want %v", name, !want, want)
		}
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, input, patch, want string }{
		{"keys that nobody mentions stay", `{"cmd":"ls","cwd":".","n":1.10}`, `{"cmd":"pwd"}`, `{"cmd":"pwd","cwd":".","n":1.10}`},
		{"null deletes", `{"cmd":"ls","cwd":"."}`, `{"cwd":null}`, `{"cmd":"ls"}`},
		{"null of nothing", `{"cmd":"ls"}`, `{"cwd":null}`, ``},
		{"a new key", `{"cmd":"ls"}`, `{"cwd":"/"}`, `{"cmd":"ls","cwd":"/"}`},
		{"objects are replaced whole", `{"o":{"a":1,"b":2}}`, `{"o":{"a":3}}`, `{"o":{"a":3}}`},
		{"an empty patch is none", `{"cmd":"ls"}`, `{}`, ``},
		{"what it is already", `{"cmd":"ls"}`, `{"cmd":"ls"}`, ``},
		{"the same in another spelling", `{"cmd":"ls"}`, `{ "cmd" : "\u006cs" }`, ``},
		{"large numbers keep their text", `{"n":12345678901234567890}`, `{"x":1}`, `{"n":12345678901234567890,"x":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev := shellEvent("")
			ev.Tool = &checkrein.Tool{Name: "shell", Input: json.RawMessage(tt.input)}
			out := decide(t, handlerFuncs{"h": patchInput(tt.patch)}.newEngine(newHook("rewriter", "h")), ev)
			if got := string(out.Verdict.Input); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if string(ev.Tool.Input) != tt.input {
				t.Errorf("the caller's input became %s", ev.Tool.Input)
			}
		})
	}
}

func TestRewriteOfTextOutputAndMessages(t *testing.T) {
	t.Parallel()
	out := decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{Output: json.RawMessage(`"clean"`)}), "note": answerWith(checkrein.Verdict{Append: "note"})}.
		newEngine(newHook("rewriter", "h", on(checkrein.UserPromptSubmit)), newHook("rewriter", "note", on(checkrein.UserPromptSubmit))), newEvent(checkrein.UserPromptSubmit))
	if got := string(out.Verdict.Output); got != `"clean\nnote"` || out.Verdict.Append != "" || out.Event.Text != "clean\nnote" {
		t.Errorf("prompt: got %s", out.JSON(true))
	}
	cleared := decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{Output: json.RawMessage(`""`)})}.newEngine(newHook("rewriter", "h", on(checkrein.ToolResponseTransform))), newEvent(checkrein.ToolResponseTransform))
	if got := string(cleared.Verdict.Output); got != `""` {
		t.Errorf("clearing a response: got %q", got)
	}
	msgs := decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{Messages: json.RawMessage(`[]`)})}.newEngine(newHook("rewriter", "h", on(checkrein.BeforeLLMCall))), newEvent(checkrein.BeforeLLMCall))
	if got := string(msgs.Verdict.Messages); got != `[]` {
		t.Errorf("messages: got %q", got)
	}
}

// TestNonRewritingHookRewrites checks that the rewrite of a hook that is declared as non-rewriting is
// reported as dropped, and with it an allow, which was for the rewritten call.
func TestNonRewritingHookRewrites(t *testing.T) {
	t.Parallel()
	rewrite := checkrein.Verdict{Decision: checkrein.Allow, Reason: "safe now", Input: json.RawMessage(`{"cmd":"safe"}`), Context: []string{"kept"}}
	for _, tt := range []struct {
		name    string
		hook    checkrein.Hook
		effects []string
	}{
		{"rewrites: false", newHook("rewriter", "h", noRewrite), []string{"rewrite_input", "allow"}},
		{"a type that never rewrites", newHook("plain", "h"), []string{"rewrite_input", "allow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := decide(t, handlerFuncs{"h": answerWith(rewrite)}.newEngine(tt.hook), shellEvent("rm -rf /"))
			wantDecision(t, out, checkrein.NoOpinion)
			if out.Verdict.Input != nil || shellCommand(out.Event) != "rm -rf /" || len(out.Verdict.Context) != 1 {
				t.Errorf("got %s", out.JSON(true))
			}
			wantDropped(t, out, "h", tt.effects...)
		})
	}
}

// wantDropped reports a test error unless exactly these effects of the hook were dropped.
func wantDropped(t *testing.T, out engine.Outcome, hook string, effects ...string) {
	t.Helper()
	var got []string
	for _, d := range out.Dropped {
		if d.Hook == hook && d.Why != "" {
			got = append(got, d.Effect)
		}
	}
	if !slices.Equal(got, effects) || len(out.Dropped) != len(effects) {
		t.Errorf("dropped %+v, want %v of %s", out.Dropped, effects, hook)
	}
}

// TestRewriteWithoutSubject checks that a rewrite that the event's contract does not allow is reported
// as dropped.
func TestRewriteWithoutSubject(t *testing.T) {
	t.Parallel()
	for _, h := range []checkrein.Hook{newHook("rewriter", "h"), newHook("rewriter", "h", noRewrite), newHook("plain", "h")} {
		h.On = checkrein.ToolResponseTransform
		out := decide(t, handlerFuncs{"h": patchInput(`{"cmd":"x"}`)}.newEngine(h), newEvent(checkrein.ToolResponseTransform))
		wantDropped(t, out, "h", "rewrite_input")
		if out.Verdict.Input != nil {
			t.Errorf("got %s", out.JSON(true))
		}
		h.On = checkrein.SessionStart
		out = decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{Output: json.RawMessage(`"x"`)})}.newEngine(h), newEvent(checkrein.SessionStart))
		wantDropped(t, out, "h", "rewrite_output")
	}
}

// TestFailureInTheMiddle checks that a failing hook loses its own rewrite but not those of others.
func TestFailureInTheMiddle(t *testing.T) {
	t.Parallel()
	var w witness
	all := handlerFuncs{"one": appendToCommand("1"), "bad": failWith("boom"), "two": appendToCommand("2"), "saw": w.handle}
	e := all.newEngine(newHook("rewriter", "one"), newHook("rewriter", "bad", onFault(checkrein.FaultWarn)), newHook("rewriter", "two"), newHook("plain", "saw"))
	out := decide(t, e, shellEvent("x"))
	wantDecision(t, out, checkrein.NoOpinion)
	if got := string(out.Verdict.Input); got != `{"cmd":"x12"}` || len(w.saw) != 1 {
		t.Errorf("got %s", out.JSON(true))
	}
	if len(out.Verdict.Notice) != 1 {
		t.Errorf("got notices %q", out.Verdict.Notice)
	}
}

// TestDenyDoesNotShortCircuit checks that the remaining hooks run after a denial, and that their
// rewrites do not undo it.
func TestDenyDoesNotShortCircuit(t *testing.T) {
	t.Parallel()
	var w witness
	all := handlerFuncs{"no": decideWith(checkrein.Deny, "first"), "one": appendToCommand("1"), "no too": decideWith(checkrein.Deny, "second"), "saw": w.handle}
	out := decide(t, all.newEngine(newHook("rewriter", "no"), newHook("rewriter", "one"), newHook("rewriter", "no too"), newHook("plain", "saw")), shellEvent("x"))
	wantDecision(t, out, checkrein.Deny)
	if out.Verdict.Reason != "first\nsecond" || !slices.Equal(w.saw, []string{"x1"}) {
		t.Errorf("got %s, observer saw %q", out.JSON(true), w.saw)
	}
}

func TestInvalidRewrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		says   checkrein.Verdict
		change func(*checkrein.Hook)
		want   checkrein.Decision
		reason string
	}{
		{"keeps a deny", checkrein.Verdict{Decision: checkrein.Deny, Reason: "mine"}, onFault(checkrein.FaultIgnore), checkrein.Deny, "mine"},
		{"keeps an ask", checkrein.Verdict{Decision: checkrein.Ask, Reason: "mine"}, onFault(checkrein.FaultWarn), checkrein.Ask, "mine"},
		{"loses an allow, which was for something that will not run", checkrein.Verdict{Decision: checkrein.Allow, Reason: "mine"}, onFault(checkrein.FaultWarn), checkrein.NoOpinion, ""},
		{"is a fault", checkrein.Verdict{}, onFault(checkrein.FaultByRow), checkrein.Deny, "rewriting the tool's input"},
		{"is a fault beside a deny", checkrein.Verdict{Decision: checkrein.Deny, Reason: "mine"}, onFault(checkrein.FaultByRow), checkrein.Deny, "mine\nhook"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.says.Input = json.RawMessage(`["not an object"]`)
			out := decide(t, handlerFuncs{"h": answerWith(tt.says)}.newEngine(newHook("rewriter", "h", tt.change)), shellEvent("x"))
			wantDecision(t, out, tt.want)
			wantText(t, out.Verdict.Reason, tt.reason)
			if out.Verdict.Input != nil || out.Steps[0].Fault == nil {
				t.Errorf("got %s", out.JSON(true))
			}
		})
	}
}
