package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/google/go-cmp/cmp"
)

// memberNames returns the names of the members of obj in order.
func memberNames(t *testing.T, obj []byte) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(obj)))
	if _, err := dec.Token(); err != nil {
		t.Fatalf("%v: %s", err, obj)
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, obj)
		}
		keys = append(keys, key.(string))
		var val json.RawMessage
		if err := dec.Decode(&val); err != nil {
			t.Fatalf("%v: %s", err, obj)
		}
	}
	return keys
}

// outcomeKeys are the keys of `eval --json`, whose order is part of the interface.
var outcomeKeys = []string{"decision", "reason", "answer", "card", "updated_input", "updated_output", "updated_messages", "context", "notices",
	"halt", "redo", "summary", "metadata", "dropped", "ignored", "steps"}

func TestOutcomeKeys(t *testing.T) {
	t.Parallel()
	full := engine.Outcome{
		Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "[files] blocked: rm -rf /tmp/x", Context: []string{"c"}, Notice: []string{"n"},
			Input: []byte(`{"a":1.10}`), Output: []byte(`"o"`), Messages: []byte(`[]`), Halt: true, Summary: "s", Metadata: map[string]string{"b": "2", "a": "1"}},
		Redo:    &engine.Redo{Reason: "again", Attempt: 2, Limit: 3},
		Dropped: []checkrein.Dropped{{Hook: "h", Effect: "ask", Why: "nobody"}},
		Steps:   []engine.Step{{Result: engine.Result{Hook: &checkrein.Hook{Name: "h", On: checkrein.Stop}, Answer: &checkrein.Answer{Ignored: []string{"colour"}}}}},
	}
	body := full.JSON(false)
	if diff := cmp.Diff(outcomeKeys, memberNames(t, body)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"answer":        `"denied"`,
		"card":          `{"sentence":"Blocked","command":"rm -rf /tmp/x"}`,
		"redo":          `{"reason":"again","attempt":2,"limit":3}`,
		"dropped":       `[{"hook":"h","effect":"ask","why":"nobody"}]`,
		"metadata":      `{"a":"1","b":"2"}`,
		"updated_input": `{"a":1.10}`,
		"ignored":       `["h: colour"]`,
		"halt":          `true`,
	} {
		if string(got[key]) != want {
			t.Errorf("%s: got %s, want %s", key, got[key], want)
		}
	}
}

// TestEmptyOutcomeJSON checks that empty members are left out.
func TestEmptyOutcomeJSON(t *testing.T) {
	t.Parallel()
	out := decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{})}.newEngine(newHook("plain", "h")), shellEvent("ls"))
	if got := memberNames(t, out.JSON(false)); !slices.Equal(got, []string{"steps"}) {
		t.Errorf("got %v", got)
	}
	none := engine.Outcome{Verdict: checkrein.Verdict{Reason: "of no decision"}}
	if got := string(none.JSON(true)); got != "{}" {
		t.Errorf("got %s", got)
	}
}

// TestOutcomeIsAlwaysJSON checks that the output is JSON with known keys, whatever the hooks answer.
func TestOutcomeIsAlwaysJSON(t *testing.T) {
	t.Parallel()
	nasty := "\xff\x00\u2028\"\\\n😀"
	all := handlerFuncs{"h": answerWith(checkrein.Verdict{Decision: checkrein.Deny, Reason: nasty, Context: []string{nasty}, Notice: []string{nasty}, Metadata: map[string]string{nasty: nasty}}), nasty: failWith(nasty)}
	out := decide(t, all.newEngine(newHook("plain", "h"), newHook("plain", nasty)), shellEvent(nasty))
	for _, detail := range []bool{false, true} {
		body := out.JSON(detail)
		if !json.Valid(body) {
			t.Errorf("not JSON: %s", body)
		}
		for _, k := range memberNames(t, body) {
			if !slices.Contains(outcomeKeys, k) {
				t.Errorf("key %q is not documented", k)
			}
		}
	}
}

// TestOutcomeSteps checks that the steps list every planned hook, with the reason if it was skipped.
func TestOutcomeSteps(t *testing.T) {
	t.Parallel()
	all := handlerFuncs{"runs": decideWith(checkrein.Ask, "sure?"), "later": answerWith(checkrein.Verdict{}), "bad": failWith("boom"), "new": answerWith(checkrein.Verdict{}), "w": rewriteCommand("pwd")}
	e := all.newEngineWith(engine.Options{Detach: func(*checkrein.Hook, checkrein.Event) error { return nil }},
		newHook("plain", "runs", matching("shell")), newHook("rewriter", "w"), newHook("plain", "bad", onFault(checkrein.FaultWarn)), newHook("plain", "new", project), newHook("plain", "later", async),
		ruleHook("unmet", `{"command":{"is":"x"}}`, `{"decision":"deny"}`))
	out := decide(t, e, shellEvent("ls"))
	type shown struct {
		Hook, Event, Type, Scope, Origin, Match string
		Stage                                   int
		Skipped, Fault, Decision, Reason        string
		Unmet, Detached, Stale                  bool
		Effects                                 []string
	}
	var got struct{ Steps []shown }
	if err := json.Unmarshal(out.JSON(true), &got); err != nil {
		t.Fatal(err)
	}
	at := func(s shown) shown {
		s.Event, s.Scope, s.Origin = "pre_tool_use", "user", "/etc/hooks.yaml:7"
		return s
	}
	want := []shown{
		at(shown{Hook: "runs", Type: "plain", Match: "shell", Stage: 1, Decision: "ask", Reason: "sure?", Effects: []string{"ask"}, Stale: true}),
		at(shown{Hook: "w", Type: "rewriter", Stage: 2, Effects: []string{"rewrite_input"}}),
		at(shown{Hook: "bad", Type: "plain", Stage: 3, Fault: "boom"}),
		at(shown{Hook: "new", Type: "plain", Stage: 3, Skipped: "not approved"}),
		at(shown{Hook: "later", Type: "plain", Detached: true}),
		at(shown{Hook: "unmet", Type: "rule", Stage: 3, Unmet: true}),
	}
	want[3].Scope = "project"
	if diff := cmp.Diff(want, got.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if short := engine.StepsJSON(out.Steps, false); strings.Contains(string(short), "unmet") {
		t.Errorf("a hook with nothing to say is listed without detail: %s", short)
	}
}

// TestDroppedEffectsNameHooks checks that a dropped effect names every hook that requested it.
func TestDroppedEffectsNameHooks(t *testing.T) {
	t.Parallel()
	only := func(e checkrein.Effect) func(*checkrein.Event) checkrein.Effect {
		return func(*checkrein.Event) checkrein.Effect { return e }
	}
	for _, tt := range []struct {
		name    string
		kind    checkrein.Kind
		honours checkrein.Effect
		a, b    checkrein.Verdict
		want    checkrein.Decision
		dropped []string // as "hook effect"
	}{
		{"the row cannot", checkrein.SessionStart, checkrein.AllEffects, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}, checkrein.Verdict{}, checkrein.NoOpinion, []string{"a deny"}},
		{"the host does not", checkrein.PreToolUse, checkrein.CanDeny, checkrein.Verdict{Context: []string{"x"}}, checkrein.Verdict{Context: []string{"y"}}, checkrein.NoOpinion, []string{"a context", "b context"}},
		{"ask becomes deny", checkrein.PreToolUse, checkrein.CanDeny, checkrein.Verdict{Decision: checkrein.Ask, Reason: "sure?"}, checkrein.Verdict{Decision: checkrein.Allow}, checkrein.Deny, []string{"a ask"}},
		{"a deny is never dropped by a host", checkrein.PreToolUse, 0, checkrein.Verdict{}, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}, checkrein.Deny, nil},
		{"a rewrite that the host ignores", checkrein.PreToolUse, checkrein.CanDeny, checkrein.Verdict{Input: []byte(`{"cmd":"x"}`)}, checkrein.Verdict{}, checkrein.NoOpinion, []string{"a rewrite_input"}},
		{"metadata elsewhere", checkrein.PostToolUse, checkrein.AllEffects, checkrein.Verdict{}, checkrein.Verdict{Metadata: map[string]string{"k": "v"}}, checkrein.NoOpinion, []string{"b metadata"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := handlerFuncs{"a": answerWith(tt.a), "b": answerWith(tt.b)}.newEngineWith(engine.Options{Honours: only(tt.honours)}, newHook("rewriter", "a", on(tt.kind)), newHook("rewriter", "b", on(tt.kind)))
			out := decide(t, e, newEvent(tt.kind))
			wantDecision(t, out, tt.want)
			var got []string
			for _, d := range out.Dropped {
				got = append(got, d.Hook+" "+d.Effect)
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.dropped) {
				t.Errorf("dropped %q, want %q", got, tt.dropped)
			}
		})
	}
}

// TestHonoursGetsEvent checks that Honours is called with the current event.
func TestHonoursGetsEvent(t *testing.T) {
	t.Parallel()
	var asked string
	opts := engine.Options{Honours: func(ev *checkrein.Event) checkrein.Effect {
		asked = ev.Host + " " + ev.Kind.String()
		return checkrein.AllEffects
	}}
	ev := shellEvent("ls")
	ev.Host = "claude"
	decide(t, handlerFuncs{"h": answerWith(checkrein.Verdict{})}.newEngineWith(opts, newHook("plain", "h")), ev)
	if asked != "claude pre_tool_use" {
		t.Errorf("asked about %q", asked)
	}
}
