package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"pgregory.net/rapid"
)

// TestDoubtsNeverLoosen checks that doubts about a host make a verdict stricter or leave it unchanged:
// they remove no denial, rewrite or other effect. A rewritten call is denied if the host would run the
// original one.
func TestDoubtsNeverLoosen(t *testing.T) {
	t.Parallel()
	effects := []checkrein.Effect{checkrein.CanDeny, checkrein.CanAsk, checkrein.CanAllow, checkrein.CanRewriteInput, checkrein.CanRewriteOutput, checkrein.CanAddContext, checkrein.CanRedo, checkrein.CanHalt}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(append(someKinds, checkrein.ToolResponseTransform, checkrein.UserPromptSubmit)).Draw(t, "event")
		v := checkrein.Verdict{Decision: rapid.SampledFrom([]checkrein.Decision{checkrein.NoOpinion, checkrein.Allow, checkrein.Ask, checkrein.Deny}).Draw(t, "decision"), Reason: "because"}
		if rapid.Bool().Draw(t, "rewrites") {
			v.Input, v.Output = json.RawMessage(`{"command":"true"}`), json.RawMessage(`"[REDACTED]"`)
		}
		if rapid.Bool().Draw(t, "adds") {
			v.Context = []string{"context"}
		}
		v.Halt = rapid.Bool().Draw(t, "halts")
		var doubts []engine.Doubt
		for i, e := range effects {
			if rapid.Bool().Draw(t, fmt.Sprint("doubt ", e.Words())) {
				doubts = append(doubts, engine.Doubt{Effect: e, Why: fmt.Sprint("it did not ", i)})
			}
		}
		honours := checkrein.AllEffects
		if rapid.Bool().Draw(t, "cannot ask") {
			honours &^= checkrein.CanAsk
		}
		ev := checkrein.Event{Kind: kind, Host: "h", Text: "text", Tool: &checkrein.Tool{Name: "shell", Canonical: "shell", Input: json.RawMessage(`{"command":"ls"}`), Output: json.RawMessage(`"secret"`)}}
		handler := handlerFuncs{"a": func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: v}, nil
		}}
		decide := func(list []engine.Doubt) engine.Outcome {
			opts := engine.Options{Honours: func(*checkrein.Event) checkrein.Effect { return honours }, Doubts: func(*checkrein.Event) []engine.Doubt { return append([]engine.Doubt{}, list...) }}
			return handler.newEngineWith(opts, newHook("rewriter", "a", on(kind))).Decide(t.Context(), ev)
		}
		without, with := decide(nil), decide(doubts)
		was, is := without.Verdict, with.Verdict
		if is.Decision < was.Decision {
			t.Fatalf("%v became %v", was.Decision, is.Decision)
		}
		undone := was.Input != nil && slices.ContainsFunc(doubts, func(d engine.Doubt) bool { return d.Effect == checkrein.CanRewriteInput })
		if undone && is.Decision != checkrein.Deny {
			t.Fatalf("a rewritten call that would run as it was is %v", is.Decision)
		}
		if is.Decision != was.Decision && !(was.Decision == checkrein.Ask && is.Decision == checkrein.Deny) && !undone {
			t.Fatalf("%v became %v", was.Decision, is.Decision)
		}
		if is.Decision != was.Decision { // losses of a call that is now denied are not reported
			was.Notice, is.Notice = nil, nil
		}
		was.Decision, was.Reason, is.Decision, is.Reason = 0, "", 0, ""
		if !reflect.DeepEqual(was, is) {
			t.Fatalf("%+v became %+v", was, is)
		}
		for _, d := range with.Doubted {
			if d.Effect&honours == 0 || d.Effect&with.Verdict.Effects() == 0 {
				t.Fatalf("doubted is %v, which is not asked for", d.Effect.Words())
			}
		}
		if len(without.Doubted) > 0 {
			t.Fatal("doubted without a doubt")
		}
	})
}

func TestDoubts(t *testing.T) {
	t.Parallel()
	seen := func(e checkrein.Effect) []engine.Doubt {
		return []engine.Doubt{{Effect: e, Why: "Agent 1.0 ran it anyway"}}
	}
	asked := 0
	run := func(doubts []engine.Doubt, v checkrein.Verdict) engine.Outcome {
		opts := engine.Options{Doubts: func(*checkrein.Event) []engine.Doubt { asked++; return doubts }}
		h := handlerFuncs{"a": func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: v}, nil
		}}
		return h.newEngineWith(opts, newHook("rewriter", "a")).Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{}`)}})
	}
	out := run(seen(checkrein.CanAsk), checkrein.Verdict{Decision: checkrein.Ask, Reason: "Sure?"})
	if want := "Sure?\nThis needs the user's consent. Agent 1.0 ran it anyway, so the user was not asked and this is denied."; out.Verdict.Decision != checkrein.Deny || out.Verdict.Reason != want || out.Unasked == "" {
		t.Errorf("an ask: %+v", out.Verdict)
	}
	out = run(seen(checkrein.CanDeny), checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"})
	if out.Verdict.Decision != checkrein.Deny || out.Verdict.Reason != "no" || len(out.Doubted) != 1 || len(out.Dropped) != 1 || out.Dropped[0] != (checkrein.Dropped{Hook: "a", Effect: "deny", Why: "Agent 1.0 ran it anyway"}) {
		t.Errorf("a denial: %+v, %+v, %+v", out.Verdict, out.Doubted, out.Dropped)
	}
	if out = run(seen(checkrein.CanDeny), checkrein.Verdict{Decision: checkrein.Ask, Reason: "Sure?"}); out.Verdict.Decision != checkrein.Ask || len(out.Doubted) > 0 {
		t.Errorf("an ask of a host that does not obey denials: %+v, %+v", out.Verdict, out.Doubted)
	}
	out = run(seen(checkrein.CanRewriteInput), checkrein.Verdict{Input: json.RawMessage(`{"command":"true"}`)})
	if out.Verdict.Decision != checkrein.Deny || !strings.Contains(out.Verdict.Reason, "A hook rewrites this call, and Agent 1.0 ran it anyway, so it is denied.") || len(out.Doubted) != 1 {
		t.Errorf("a rewrite: %+v, %+v", out.Verdict, out.Doubted)
	}
	asked = 0
	run(nil, checkrein.Verdict{})
	run(nil, checkrein.Verdict{Decision: checkrein.Allow})
	if asked != 0 {
		t.Errorf("what changes nothing costs %d looks", asked)
	}
}
