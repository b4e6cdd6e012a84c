package checkrein

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func strictestDecision(verdicts []Verdict) Decision {
	d := NoOpinion
	for _, v := range verdicts {
		d = max(d, v.Decision)
	}
	return d
}

func TestMergeDecisionDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs := drawVerdicts(t)
		got := Merge(rapid.Permutation(vs).Draw(t, "order")).Decision
		if want := Merge(vs).Decision; got != want {
			t.Fatalf("decision in another order %v, want %v", got, want)
		}
	})
}

func TestMergeIsTheStrictestDecision(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs := drawVerdicts(t)
		if got, want := Merge(vs).Decision, strictestDecision(vs); got != want {
			t.Fatalf("decision %v, want %v", got, want)
		}
	})
}

func TestMergeAnotherVerdictNeverLowersDecision(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs, more := drawVerdicts(t), drawOpinion(t)
		before := Merge(vs).Decision
		at := rapid.IntRange(0, len(vs)).Draw(t, "at")
		got := Merge(slices.Insert(slices.Clone(vs), at, more)).Decision
		if got < before || got < more.Decision {
			t.Fatalf("decision %v after adding %v to %v", got, more.Decision, before)
		}
	})
}

// wantReason computes the merged reason by its definition.
func wantReason(vs []Verdict) string {
	d := strictestDecision(vs)
	var given []string
	for _, v := range vs {
		if v.Decision == d && v.Reason != "" {
			given = append(given, v.Reason)
		}
	}
	switch {
	case d == NoOpinion || len(given) == 0:
		return ""
	case d == Deny:
		return strings.Join(given, "\n")
	}
	return given[0]
}

func TestMergeKeepsEveryDenyingReasonElseTheFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs := drawVerdicts(t)
		if got, want := Merge(vs).Reason, wantReason(vs); got != want {
			t.Fatalf("reason %q, want %q", got, want)
		}
	})
}

func TestMergeCollectsTheRestInPlanOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs := drawVerdicts(t)
		want := Verdict{Metadata: map[string]string{}}
		for _, v := range vs {
			want.Context = append(want.Context, v.Context...)
			want.Notice = append(want.Notice, v.Notice...)
			want.Halt = want.Halt || v.Halt
			if want.Summary == "" {
				want.Summary = v.Summary
			}
			maps.Copy(want.Metadata, v.Metadata)
		}
		got := Merge(vs)
		got = Verdict{Context: got.Context, Notice: got.Notice, Halt: got.Halt, Summary: got.Summary, Metadata: got.Metadata}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("merged (-want +got):\n%s", diff)
		}
	})
}

func TestMergeDoesNotChangeItsArguments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs := drawVerdicts(t)
		before, _ := json.Marshal(vs)
		got := Merge(vs)
		if got.Metadata != nil {
			got.Metadata["scribble"] = "over it"
		}
		_ = append(got.Context, "scribble")
		_ = append(got.Notice, "scribble")
		if after, _ := json.Marshal(vs); string(after) != string(before) {
			t.Fatalf("arguments became %s, were %s", after, before)
		}
	})
}

// TestMergeIsAssociative checks that merging in two steps has the same result as in one, because the
// engine merges parts of a plan separately.
func TestMergeIsAssociative(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vs := drawVerdicts(t)
		at := rapid.IntRange(0, len(vs)).Draw(t, "at")
		got, want := Merge([]Verdict{Merge(vs[:at]), Merge(vs[at:])}), Merge(vs)
		if !sameJSON(got.Input, want.Input) {
			t.Fatalf("input in two steps %s, want %s", got.Input, want.Input)
		}
		got.Input, want.Input = nil, nil
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("in two steps (-want +got):\n%s", diff)
		}
	})
}

// sameJSON reports whether a and b are the same JSON value, or both missing.
func sameJSON(a, b json.RawMessage) bool {
	return len(a) == 0 && len(b) == 0 || rawjson.Equal(a, b)
}

// rewritable are kinds of events that together can be rewritten in every way.
var rewritable = []Kind{PreToolUse, ToolResponseTransform, UserPromptSubmit, OnOutboundMessage, BeforeLLMCall, OnResponseEnd}

func drawSubject(t *rapid.T) Event {
	ev := Event{Kind: rapid.SampledFrom(rewritable).Draw(t, "kind"), Text: drawText(t, "text")}
	switch ContractOf(ev.Kind).Subject {
	case SubjectTool:
		ev.Tool = &Tool{
			Name:   "Bash",
			Input:  drawMaybe(t, "arguments", func() json.RawMessage { return drawObject(t, "arguments", jsonValues) }),
			Output: drawMaybe(t, "result", func() json.RawMessage { return drawObject(t, "result", jsonValues) }),
		}
	case SubjectMessages:
		ev.Messages = json.RawMessage(`[{"role":"system"}]`)
	}
	return ev
}

func mustApply(t *rapid.T, ev Event, v *Verdict) Event {
	out, _, err := Apply(ev, v)
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return out
}

func sameSubject(a, b Event) bool {
	if a.Text != b.Text || !sameJSON(a.Messages, b.Messages) || (a.Tool == nil) != (b.Tool == nil) {
		return false
	}
	return a.Tool == nil || sameJSON(argumentsOrEmpty(a.Tool), argumentsOrEmpty(b.Tool)) && sameJSON(a.Tool.Output, b.Tool.Output)
}

// argumentsOrEmpty returns the arguments of a call, or an empty object if it has none.
func argumentsOrEmpty(t *Tool) json.RawMessage {
	if t.Input == nil {
		return json.RawMessage("{}")
	}
	return t.Input
}

func TestMergedRewriteEqualsRewritesInTurn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ev, a, b := drawSubject(t), drawRewrite(t), drawRewrite(t)
		want := mustApply(t, mustApply(t, ev, &a), &b)
		merged := Merge([]Verdict{a, b})
		if got := mustApply(t, ev, &merged); !sameSubject(got, want) {
			t.Fatalf("merged %+v gives %+v, want %+v", merged, got.Tool, want.Tool)
		}
	})
}

func TestComposedPatchKeepsNumbersAndDeletions(t *testing.T) {
	t.Parallel()
	a := Verdict{Input: json.RawMessage(`{"n":12345678901234567890,"gone":null,"both":1}`)}
	b := Verdict{Input: json.RawMessage(`{"f":1.0,"both":1e2}`)}
	got := Merge([]Verdict{a, b}).Input
	want := `{"n":12345678901234567890,"gone":null,"f":1.0,"both":1e2}`
	if !rawjson.Equal(got, []byte(want)) {
		t.Errorf("composed patch %s, want %s", got, want)
	}
}

// TestMergeOfHugePatches checks that merging two patches of a megabyte each does not take minutes.
func TestMergeOfHugePatches(t *testing.T) {
	huge := func(prefix string, n int) Verdict {
		b := []byte{'{'}
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `"%s%d":1`, prefix, i)
		}
		return Verdict{Input: append(b, '}')}
	}
	var got Verdict
	of := func(n int) func() {
		list := []Verdict{huge("a", n), huge("b", n)}
		return func() { got = Merge(list) }
	}
	if cputime.Explodes(of(2_500), of(20_000)) {
		t.Error("merging takes far too long")
	}
	if err := rawjson.CheckObject(got.Input); err != nil {
		t.Errorf("merged patch: %v", err)
	}
}
