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

// appends is a handler that adds to the command it sees.
func appends(more string) fn {
	return func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		in := `{"cmd":` + string(rawjson.Quote(command(ev)+more)) + `}`
		return checkrein.Answer{Verdict: checkrein.Verdict{Input: json.RawMessage(in)}}, nil
	}
}

func TestRewritesComposeInOrder(t *testing.T) {
	t.Parallel()
	var w witness
	all := fns{"one": appends("1"), "two": appends("2"), "three": appends("3"), "saw": w.handle}
	e := all.engine(hook("rewriter", "two"), hook("rewriter", "one"), hook("rewriter", "three"), hook("plain", "saw"))
	out := decide(t, e, shell("x"))
	if got, want := string(out.Verdict.Input), `{"cmd":"x213"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := command(out.Event); got != "x213" {
		t.Errorf("the outcome's event runs %q", got)
	}
	if !slices.Equal(w.saw, []string{"x213"}) {
		t.Errorf("the observer saw %q", w.saw)
	}
}

// An observer sees what those before it wrote, and not what those behind it do.
func TestObserversSeeRewritesBeforeThem(t *testing.T) {
	t.Parallel()
	var before, between, after witness
	all := fns{"a": appends("1"), "b": appends("2"), "before": before.handle, "between": between.handle, "after": after.handle}
	e := all.engine(hook("plain", "before"), hook("rewriter", "a"), hook("plain", "between"), hook("rewriter", "b"), hook("plain", "after"))
	out := decide(t, e, shell("x"))
	got := [][]string{before.saw, between.saw, after.saw}
	for i, want := range []string{"x", "x1", "x12"} {
		if !slices.Equal(got[i], []string{want}) {
			t.Errorf("observer %d saw %q, want %q once", i, got[i], want)
		}
	}
	for name, want := range map[string]bool{"before": true, "between": true, "after": false, "a": true, "b": false} {
		if step(t, out, name).Stale != want {
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
			ev := shell("")
			ev.Tool = &checkrein.Tool{Name: "shell", Input: json.RawMessage(tt.input)}
			out := decide(t, fns{"h": patches(tt.patch)}.engine(hook("rewriter", "h")), ev)
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
	out := decide(t, fns{"h": says(checkrein.Verdict{Output: json.RawMessage(`"clean"`)}), "note": says(checkrein.Verdict{Append: "note"})}.
		engine(hook("rewriter", "h", on(checkrein.UserPromptSubmit)), hook("rewriter", "note", on(checkrein.UserPromptSubmit))), event(checkrein.UserPromptSubmit))
	if got := string(out.Verdict.Output); got != `"clean\nnote"` || out.Verdict.Append != "" || out.Event.Text != "clean\nnote" {
		t.Errorf("prompt: got %s", out.JSON(true))
	}
	cleared := decide(t, fns{"h": says(checkrein.Verdict{Output: json.RawMessage(`""`)})}.engine(hook("rewriter", "h", on(checkrein.ToolResponseTransform))), event(checkrein.ToolResponseTransform))
	if got := string(cleared.Verdict.Output); got != `""` {
		t.Errorf("clearing a response: got %q", got)
	}
	msgs := decide(t, fns{"h": says(checkrein.Verdict{Messages: json.RawMessage(`[]`)})}.engine(hook("rewriter", "h", on(checkrein.BeforeLLMCall))), event(checkrein.BeforeLLMCall))
	if got := string(msgs.Verdict.Messages); got != `[]` {
		t.Errorf("messages: got %q", got)
	}
}

// A promise not to rewrite is kept, visibly, and an allow that came with the
// rewrite goes with it: it was given for something that will not run.
func TestRewriteRefused(t *testing.T) {
	t.Parallel()
	rewrite := checkrein.Verdict{Decision: checkrein.Allow, Reason: "safe now", Input: json.RawMessage(`{"cmd":"safe"}`), Context: []string{"kept"}}
	for _, tt := range []struct {
		name    string
		hook    checkrein.Hook
		effects []string
	}{
		{"rewrites: false", hook("rewriter", "h", noRewrite), []string{"rewrite_input", "allow"}},
		{"a type that never rewrites", hook("plain", "h"), []string{"rewrite_input", "allow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := decide(t, fns{"h": says(rewrite)}.engine(tt.hook), shell("rm -rf /"))
			wantDecision(t, out, checkrein.NoOpinion)
			if out.Verdict.Input != nil || command(out.Event) != "rm -rf /" || len(out.Verdict.Context) != 1 {
				t.Errorf("got %s", out.JSON(true))
			}
			wantDropped(t, out, "h", tt.effects...)
		})
	}
}

// wantDropped fails unless exactly these effects of the hook were dropped.
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

// A rewrite that the event does not know is dropped visibly, whoever asks.
func TestRewriteThatTheRowDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, h := range []checkrein.Hook{hook("rewriter", "h"), hook("rewriter", "h", noRewrite), hook("plain", "h")} {
		h.On = checkrein.ToolResponseTransform
		out := decide(t, fns{"h": patches(`{"cmd":"x"}`)}.engine(h), event(checkrein.ToolResponseTransform))
		wantDropped(t, out, "h", "rewrite_input")
		if out.Verdict.Input != nil {
			t.Errorf("got %s", out.JSON(true))
		}
		h.On = checkrein.SessionStart
		out = decide(t, fns{"h": says(checkrein.Verdict{Output: json.RawMessage(`"x"`)})}.engine(h), event(checkrein.SessionStart))
		wantDropped(t, out, "h", "rewrite_output")
	}
}

// A failing hook in the middle costs its own rewrite and nobody else's.
func TestFailureInTheMiddle(t *testing.T) {
	t.Parallel()
	var w witness
	all := fns{"one": appends("1"), "bad": fails("boom"), "two": appends("2"), "saw": w.handle}
	e := all.engine(hook("rewriter", "one"), hook("rewriter", "bad", onFault(checkrein.FaultWarn)), hook("rewriter", "two"), hook("plain", "saw"))
	out := decide(t, e, shell("x"))
	wantDecision(t, out, checkrein.NoOpinion)
	if got := string(out.Verdict.Input); got != `{"cmd":"x12"}` || len(w.saw) != 1 {
		t.Errorf("got %s", out.JSON(true))
	}
	if len(out.Verdict.Notice) != 1 {
		t.Errorf("got notices %q", out.Verdict.Notice)
	}
}

// A deny does not stop the rest, and the rest's rewrites do not undo it.
func TestDenyDoesNotShortCircuit(t *testing.T) {
	t.Parallel()
	var w witness
	all := fns{"no": decides(checkrein.Deny, "first"), "one": appends("1"), "no too": decides(checkrein.Deny, "second"), "saw": w.handle}
	out := decide(t, all.engine(hook("rewriter", "no"), hook("rewriter", "one"), hook("rewriter", "no too"), hook("plain", "saw")), shell("x"))
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
			out := decide(t, fns{"h": says(tt.says)}.engine(hook("rewriter", "h", tt.change)), shell("x"))
			wantDecision(t, out, tt.want)
			wantText(t, out.Verdict.Reason, tt.reason)
			if out.Verdict.Input != nil || out.Steps[0].Fault == nil {
				t.Errorf("got %s", out.JSON(true))
			}
		})
	}
}
