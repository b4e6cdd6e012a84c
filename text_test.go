package checkrein

import (
	"encoding"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// roundTrip encodes every value of an enumeration and decodes it again.
func roundTrip[T interface {
	comparable
	encoding.TextMarshaler
}, P interface {
	*T
	encoding.TextUnmarshaler
}](values ...T) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		seen := map[string]bool{}
		for _, v := range values {
			text, err := v.MarshalText()
			if err != nil || seen[string(text)] {
				t.Errorf("%v is written %q (%v), which is taken: %v", v, text, err, seen[string(text)])
			}
			seen[string(text)] = true
			var back T
			if err := P(&back).UnmarshalText(text); err != nil || back != v {
				t.Errorf("%q is read as %v (%v), want %v", text, back, err, v)
			}
		}
		back := values[0]
		if err := P(&back).UnmarshalText([]byte("no such word")); err == nil || back != values[0] {
			t.Errorf("an unknown word is read as %v, %v", back, err)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	t.Parallel()
	kinds := make([]Kind, NumKinds)
	for i := range kinds {
		kinds[i] = Kind(i)
	}
	t.Run("kind", roundTrip[Kind](kinds...))
	t.Run("decision", roundTrip[Decision](NoOpinion, Allow, Ask, Deny))
	t.Run("scope", roundTrip[Scope](ScopeManaged, ScopeUser, ScopeFlag, ScopeProject))
	t.Run("fault policy", roundTrip[FaultPolicy](FaultByRow, FaultWarn, FaultIgnore, FaultBlock))
}

func TestHookSurvivesJSON(t *testing.T) {
	t.Parallel()
	want := Hook{
		ID: "i", Name: "n", On: Stop, Event: "E", Match: "m", If: Condition(`{"a":1}`), Run: "command", With: json.RawMessage(`{"command":"x"}`),
		Timeout: time.Second, Priority: 7, Async: true, Gate: true, Rewrites: true, Preempt: true, Strict: true, OnFault: FaultBlock,
		Dialect: "claude", From: Origin{Scope: ScopeProject, File: "f", Line: 3, Approval: true}, Also: []Origin{{Scope: ScopeUser}}, Broken: "b",
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Hook
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hook (-want +got):\n%s", diff)
	}
}

func TestVerdictSurvivesJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := Answer{Verdict: drawVerdict(t), Raw: []byte("raw"), Log: "log", Ignored: []string{"k"}}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Answer
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if got.Decision != want.Decision || got.Effects() != want.Effects() || !sameJSON(got.Input, want.Input) || !sameJSON(got.Output, want.Output) {
			t.Fatalf("answer became %+v, was %+v", got, want)
		}
	})
}

func TestHookDefaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		hook  Hook
		label string
		limit time.Duration
	}{
		{"nothing said", Hook{ID: "pre_tool_use#1"}, "pre_tool_use#1", defaultTimeout},
		{"name and limit", Hook{ID: "i", Name: "n", Timeout: time.Second}, "n", time.Second},
		{"negative limit", Hook{Timeout: -1}, "", defaultTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.hook.Label(); got != tt.label {
				t.Errorf("label %q, want %q", got, tt.label)
			}
			if got := tt.hook.Limit(); got != tt.limit {
				t.Errorf("limit %v, want %v", got, tt.limit)
			}
		})
	}
}

func TestHookErrorNamesPlaceHookAndRemedy(t *testing.T) {
	t.Parallel()
	cause := errors.New("missing closing )")
	tests := []struct {
		name string
		err  HookError
		want string
	}{
		{"all", HookError{"h", Origin{File: "f.yaml", Line: 41}, 7, cause, "close it"}, `f.yaml:41:7: hook "h": missing closing ) (close it)`},
		{"the file's", HookError{"", Origin{File: "f.yaml"}, 0, cause, ""}, `f.yaml: missing closing )`},
		{"no file", HookError{"h", Origin{}, 0, cause, ""}, `hook "h": missing closing )`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("error %q, want %q", got, tt.want)
			}
			if !errors.Is(&tt.err, cause) {
				t.Error("the cause is lost")
			}
		})
	}
}
