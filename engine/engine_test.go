package engine_test

import (
	"context"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// TestRedoLimit checks that a hook that always objects to a stop cannot keep an agent going forever,
// even without a Memory.
func TestRedoLimit(t *testing.T) {
	t.Parallel()
	object := checkrein.HandlerType{Name: "object", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "run the tests"}}, nil
		}), nil
	}}
	e := engine.New(engine.Options{Hooks: []checkrein.Hook{{On: checkrein.Stop, Run: "object"}}, Handlers: []checkrein.HandlerType{object}})
	goesOn := func(session string) bool {
		return e.Decide(t.Context(), checkrein.Event{Kind: checkrein.Stop, Session: checkrein.Session{ID: session}}).Redo != nil
	}
	for _, session := range []string{"a", ""} {
		for turn := range 2 {
			for i, want := range []bool{true, true, true, false} {
				if got := goesOn(session); got != want {
					t.Errorf("session %q, turn %d, attempt %d: the agent goes on: %v, want %v", session, turn, i+1, got, want)
				}
			}
			e.Decide(t.Context(), checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "next", Session: checkrein.Session{ID: session}})
		}
	}
}
