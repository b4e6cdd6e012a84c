package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A lifter lifts the decisions of the named hooks and counts how often it is used.
type lifter struct {
	names []string
	used  int
	spent bool
}

func (l *lifter) engineOptions() engine.Options {
	return engine.Options{Lift: func(_ context.Context, _ *checkrein.Event, blocking []*engine.Step) engine.Lifting {
		out := engine.Lifting{By: make([]string, len(blocking)), Use: func() bool { l.used++; return !l.spent }}
		for i, s := range blocking {
			if slices.Contains(l.names, s.Hook.Name) {
				out.By[i] = "g1"
			}
		}
		return out
	}}
}

// TestLift checks that a lifted decision leaves no opinion, that other decisions still count, and that
// no grant is used for a call that is denied anyway.
func TestLift(t *testing.T) {
	t.Parallel()
	deny, ask, allow := decideWith(checkrein.Deny, "no"), decideWith(checkrein.Ask, "sure?"), decideWith(checkrein.Allow, "yes")
	broken := func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{}, errors.New("broken")
	}
	tests := []struct {
		name  string
		hooks string // name=handler; names in capitals belong to a chain
		lifts string
		spent bool
		want  checkrein.Decision
		used  int
		heard string
	}{
		{"alone", "a=deny", "a", false, checkrein.NoOpinion, 1, "a"},
		{"used up in the meantime", "a=deny", "a", true, checkrein.Deny, 1, "a"},
		{"beside another", "a=deny b=deny", "a", false, checkrein.Deny, 0, "ab"},
		{"both", "a=deny b=deny", "ab", false, checkrein.NoOpinion, 1, "ab"},
		{"what is asked stays", "a=deny b=ask", "a", false, checkrein.Ask, 1, "ab"},
		{"an allow is another's", "a=deny b=allow", "a", false, checkrein.Allow, 1, "ab"},
		{"a fault stays", "a=deny b=broken", "a", false, checkrein.Deny, 0, "ab"},
		{"the rest of a chain is heard", "A=deny B=deny", "A", false, checkrein.Deny, 0, "AB"},
		{"the rest of a chain agrees", "A=deny B=none C=none", "A", false, checkrein.NoOpinion, 1, "ABC"},
		{"the next of a chain ends it", "A=deny B=deny C=none", "A", false, checkrein.Deny, 0, "AB"},
		{"two of a chain", "A=deny B=deny C=none", "AB", false, checkrein.NoOpinion, 1, "ABC"},
		{"three of a chain", "A=deny B=deny C=deny", "AB", false, checkrein.Deny, 0, "ABC"},
		{"a chain asks on", "A=deny B=ask", "A", false, checkrein.Ask, 1, "AB"},
		{"a rewrite that comes too late", "A=deny B=patch", "A", false, checkrein.Deny, 0, "AB"},
		{"a chain's fault", "A=deny B=broken", "A", false, checkrein.Deny, 0, "AB"},
		{"nothing is lifted", "A=deny B=none", "", false, checkrein.Deny, 0, "A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := &lifter{names: strings.Split(tt.lifts, ""), spent: tt.spent}
			handlers := handlerFuncs{"deny": deny, "ask": ask, "allow": allow, "broken": broken, "none": decideWith(checkrein.NoOpinion, ""), "patch": patchInput(`{"cmd":"ls -l"}`)}
			made := handlerFuncs{}
			var hooks []checkrein.Hook
			for i, pair := range strings.Fields(tt.hooks) {
				name, is, _ := strings.Cut(pair, "=")
				made[name] = handlers[is]
				kind := "plain"
				if is == "patch" {
					kind = "rewriter"
				}
				h := newHook(kind, name, priority(100-i), onFault(checkrein.FaultBlock))
				if name == strings.ToUpper(name) {
					h.Chain = "c"
				}
				hooks = append(hooks, h)
			}
			out := made.newEngineWith(l.engineOptions(), hooks...).Decide(t.Context(), shellEvent("x"))
			heard := ""
			for i := range out.Steps {
				if s := &out.Steps[i]; s.Answer != nil {
					heard += s.Hook.Name
				}
			}
			if out.Verdict.Decision != tt.want || l.used != tt.used || heard != tt.heard {
				t.Errorf("%v, used %d times, heard %s; want %v, %d, %s\n%s", out.Verdict.Decision, l.used, heard, tt.want, tt.used, tt.heard, out.JSON(true))
			}
		})
	}
}

// TestLiftKeepsOtherEffects checks that the other effects of a lifted hook count, and so do the
// rewrites of other hooks.
func TestLiftKeepsOtherEffects(t *testing.T) {
	t.Parallel()
	l := &lifter{names: []string{"a"}}
	f := handlerFuncs{"a": answerWith(checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Halt: true, Context: []string{"mind the gap"}, Metadata: map[string]string{"rule": "r"}}), "b": patchInput(`{"cmd":"ls -l"}`)}
	out := f.newEngineWith(l.engineOptions(), newHook("rewriter", "b", priority(100)), newHook("plain", "a", priority(1))).Decide(t.Context(), shellEvent("ls"))
	v := &out.Verdict
	if v.Decision != checkrein.NoOpinion || v.Halt || !slices.Contains(v.Context, "mind the gap") || !json.Valid(v.Input) || !strings.Contains(string(v.Input), "ls -l") {
		t.Errorf("%s", out.JSON(true))
	}
	if !strings.Contains(string(out.JSON(false)), `"lifted":{"grant":"g1","decision":"deny","reason":"no"}`) {
		t.Errorf("it does not say what was lifted: %s", out.JSON(false))
	}
	if len(out.Dropped) > 0 || len(v.Metadata) > 0 { // the metadata of the lifted decision must be gone
		t.Errorf("metadata %v, dropped %v", v.Metadata, out.Dropped)
	}
}
