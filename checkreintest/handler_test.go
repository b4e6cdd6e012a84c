package checkreintest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein"
)

// testType returns a handler type whose handlers call handle.
func testType(handle checkrein.HandlerFunc) checkrein.HandlerType {
	return checkrein.HandlerType{Name: "test", New: func(h checkrein.Hook) (checkrein.Handler, error) {
		if string(h.With) == `"bad"` {
			return nil, errors.New("bad settings")
		}
		return handle, nil
	}, Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} }}
}

// answerWith returns a handler that always answers with v.
func answerWith(v checkrein.Verdict) checkrein.HandlerFunc {
	return func(context.Context, checkrein.Event) (checkrein.Answer, error) {
		return checkrein.Answer{Verdict: v}, nil
	}
}

// TestHandlerViolations checks that each violation of a handler's requirements is reported.
func TestHandlerViolations(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	call := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"command":"ls"}`)}}
	deny := checkrein.Verdict{Decision: checkrein.Deny, Reason: "no reason at all"}
	for _, tt := range []struct {
		name   string
		handle checkrein.HandlerFunc
		c      HandlerCase
		want   string // in the error; "" = there is none
	}{
		{"as wanted", answerWith(deny), HandlerCase{Event: call, Want: checkrein.Deny, Reason: "at all"}, ""},
		{"other decision", answerWith(deny), HandlerCase{Event: call, Want: checkrein.Ask}, "decision deny (no reason at all), want ask"},
		{"other reason", answerWith(deny), HandlerCase{Event: call, Want: checkrein.Deny, Reason: "secret"}, `lacks "secret"`},
		{"no error", answerWith(deny), HandlerCase{Event: call, Want: checkrein.Deny, Fault: true}, "no error"},
		{"settings accepted", answerWith(deny), HandlerCase{Event: call, Refused: true}, "accepted the hook"},
		{"settings refused", answerWith(deny), HandlerCase{Event: call, Hook: checkrein.Hook{With: json.RawMessage(`"bad"`)}, Refused: true}, ""},
		{"check fails", answerWith(deny), HandlerCase{Event: call, Want: checkrein.Deny, Check: func(checkrein.Answer) error { return errors.New("no context") }}, "no context"},
		{"denies where nothing can be denied", answerWith(deny), HandlerCase{Event: checkrein.Event{Kind: checkrein.SessionEnd}, Want: checkrein.Deny}, "would be dropped"},
		{"undeclared rewrite", answerWith(checkrein.Verdict{Input: json.RawMessage(`{}`)}), HandlerCase{Event: call}, "set Rewrites"},
		{"declared rewrite", answerWith(checkrein.Verdict{Input: json.RawMessage(`{}`)}), HandlerCase{Event: call, Hook: checkrein.Hook{Rewrites: true}}, ""},
		{"panic", func(context.Context, checkrein.Event) (checkrein.Answer, error) { panic("oh") }, HandlerCase{Event: call, Fault: true}, "panic: oh"},
		{"decision with an error", func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: deny}, errors.New("broken")
		}, HandlerCase{Event: call, Fault: true}, "deny together with an error"},
		{"writes to the event", func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
			ev.Tool.Input[0] = '['
			return checkrein.Answer{}, nil
		}, HandlerCase{Event: cloneEvent(call)}, "wrote to the event"},
		{"changes its mind", func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			if calls.Add(1) > 1 {
				return checkrein.Answer{Verdict: deny}, nil
			}
			return checkrein.Answer{}, nil
		}, HandlerCase{Event: call}, "when called concurrently"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := checkCase(testType(tt.handle), tt.c)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
