package checkrein

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestObligations checks that a merge joins obligations in order and without duplicates, that they
// change no decision, and that a clamp keeps them.
func TestObligations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.Custom(func(t *rapid.T) Obligation {
			return Obligation{Kind: rapid.SampledFrom([]string{"save", "contain"}).Draw(t, "kind"), Detail: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "detail")}
		})
		var with, without []Verdict
		var want []Obligation
		for range rapid.IntRange(0, 4).Draw(t, "verdicts") {
			v := Verdict{Decision: Decision(rapid.IntRange(0, 3).Draw(t, "decision"))}
			without = append(without, v)
			v.Obligations = rapid.SliceOfN(one, 0, 3).Draw(t, "obligations")
			with = append(with, v)
			for _, o := range v.Obligations {
				if !slices.Contains(want, o) {
					want = append(want, o)
				}
			}
		}
		got := Merge(with)
		if !slices.Equal(got.Obligations, want) {
			t.Fatalf("%v, want %v", got.Obligations, want)
		}
		if bare := Merge(without); bare.Decision != got.Decision {
			t.Fatalf("%v with obligations, %v without", got.Decision, bare.Decision)
		}
		if got.Effects() != (&Verdict{Decision: got.Decision}).Effects() {
			t.Fatal("obligations are effects")
		}
		row := rapid.SampledFrom(Contracts()).Draw(t, "row")
		clamped, _ := Clamp(got, &row, Effect(rapid.Uint16().Draw(t, "honours")))
		if !slices.Equal(clamped.Obligations, want) {
			t.Fatalf("clamped to %v", clamped.Obligations)
		}
	})
	if text, err := json.Marshal(Verdict{}); err != nil || strings.Contains(string(text), "obligations") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestCondition(t *testing.T) {
	t.Parallel()
	inTmp := Condition{}.Test("cwd", "under", "/tmp")
	for want, c := range map[string]Condition{
		``:                                    {},
		`{"command":{"is":"ls"}}`:             Condition{}.Test("command", "is", "ls"),
		`{"a":{"gt":1},"b":{"in":["x","y"]}}`: Condition{}.Test("a", "gt", 1).Test("b", "in", []string{"x", "y"}),
		`{"all":[{"a":{"ge":1}},{"a":{"le":2}}]}`:                                                 Condition{}.Test("a", "ge", 1).Test("a", "le", 2),
		`{"not":{"cwd":{"under":"/tmp"}},"any":[{"cwd":{"under":"/tmp"}},{"x":{"exists":true}}]}`: Condition{}.Not(inTmp).Any(inTmp, Condition{}.Test("x", "exists", true)),
	} {
		if c.String() != want {
			t.Errorf("%s, want %s", c, want)
		}
		h := Hook{If: c}
		text, err := json.Marshal(h)
		var back Hook
		if err != nil || json.Unmarshal(text, &back) != nil || back.If.String() != want {
			t.Errorf("%s is %s after %s, %v", want, back.If, text, err)
		}
	}
}
