package answer_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

func settle(t *testing.T, d hookfile.Dialect, kind checkrein.Kind, v checkrein.Verdict) checkrein.Answer {
	t.Helper()
	ev := checkrein.Event{Kind: kind, Tool: &checkrein.Tool{Name: "bash", Input: json.RawMessage(`{"command":"ls","n":1}`)}}
	ans := checkrein.Answer{Verdict: v}
	if err := answer.FitToEvent(&d, &ev, &ans, nil); err != nil {
		t.Fatal(err)
	}
	return ans
}

func TestFitToEventDropsUnknownKeys(t *testing.T) {
	t.Parallel()
	d := hookfile.Dialect{Form: hookfile.AnswerForm{KnownKeys: true}}
	tests := []struct {
		name, patch, want string
		ignored           []string
	}{
		{"all exist", `{"command":"ls -a"}`, `{"command":"ls -a"}`, nil},
		{"some do", `{"x":1,"command":"ls -a","y":2}`, `{"command":"ls -a"}`, []string{"tool_input.x (the call has no such argument)", "tool_input.y (the call has no such argument)"}},
		{"none does", `{"x":1}`, ``, []string{"tool_input.x (the call has no such argument)"}},
		{"deletion of what is there", `{"n":null}`, `{"n":null}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := settle(t, d, checkrein.PreToolUse, checkrein.Verdict{Input: json.RawMessage(tt.patch)})
			if string(got.Input) != tt.want || !slices.Equal(got.Ignored, tt.ignored) {
				t.Errorf("rewrite %s, ignored %q, want %s, %q", got.Input, got.Ignored, tt.want, tt.ignored)
			}
		})
	}
}

func TestFitToEventAppendsNotices(t *testing.T) {
	t.Parallel()
	d := hookfile.Dialect{Form: hookfile.AnswerForm{NoteOn: []checkrein.Kind{checkrein.ToolResponseTransform}}}
	v := checkrein.Verdict{Notice: []string{"a", "b"}}
	got := settle(t, d, checkrein.ToolResponseTransform, v)
	if got.Append != "a\nb" || !slices.Equal(got.Notice, v.Notice) {
		t.Errorf("appended %q, told %q", got.Append, got.Notice)
	}
	if got := settle(t, d, checkrein.PreToolUse, v); got.Append != "" {
		t.Errorf("appended %q on another event", got.Append)
	}
}

func TestFitToEventTranslatesRewrites(t *testing.T) {
	t.Parallel()
	cannot := errors.New("cannot")
	d := hookfile.Dialect{Localize: func(_ checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
		if string(patch) == `{"bad":1}` {
			return nil, cannot
		}
		return json.RawMessage(`{"command":"mapped"}`), nil
	}}
	if got := settle(t, d, checkrein.PreToolUse, checkrein.Verdict{Input: json.RawMessage(`{"cmd":"x"}`)}); string(got.Input) != `{"command":"mapped"}` {
		t.Errorf("rewrite %s", got.Input)
	}
	ans := checkrein.Answer{Verdict: checkrein.Verdict{Input: json.RawMessage(`{"bad":1}`)}}
	if err := answer.FitToEvent(&d, &checkrein.Event{}, &ans, nil); !errors.Is(err, cannot) {
		t.Errorf("fault %v, want %v", err, cannot)
	}
	if got := settle(t, d, checkrein.PreToolUse, checkrein.Verdict{Decision: checkrein.Deny}); got.Input != nil {
		t.Errorf("a rewrite from nowhere: %s", got.Input)
	}
}
