package engine_test

import (
	"context"
	"strings"
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

// TestCheckReportsDeclarations checks that Check reports hooks that could never run, or that would be
// taken for each other.
func TestCheckReportsDeclarations(t *testing.T) {
	t.Parallel()
	typ := checkrein.HandlerType{Name: "t", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) { return checkrein.Answer{}, nil }), nil
	}}
	hook := checkrein.Hook{ID: "a", On: checkrein.PreToolUse, Run: "t"}
	for _, tt := range []struct {
		change func(*checkrein.Hook)
		want   string // in the error; "" = there is none
	}{
		{func(h *checkrein.Hook) { h.ID = "b" }, ""},
		{func(h *checkrein.Hook) { h.ID, h.On, h.Event = "b", checkrein.Other, "own_event" }, ""},
		{func(*checkrein.Hook) {}, "same ID"},
		{func(h *checkrein.Hook) { h.ID = "" }, "no ID"},
		{func(h *checkrein.Hook) { h.ID, h.On = "b", checkrein.Other }, "no On"},
		{func(h *checkrein.Hook) { h.ID, h.Shadow = "b", true }, "Shadow"},
	} {
		second := hook
		tt.change(&second)
		err := engine.New(engine.Options{Hooks: []checkrein.Hook{hook, second}, Handlers: []checkrein.HandlerType{typ}}).Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: error %v, want %q", second, err, tt.want)
		}
	}
}

// TestMalformedCallIsDenied checks that an engine, even one without hooks, denies a tool call that
// hooks cannot judge.
func TestMalformedCallIsDenied(t *testing.T) {
	t.Parallel()
	e := engine.New(engine.Options{})
	for input, want := range map[string]checkrein.Decision{`{"command":"ls"}`: checkrein.NoOpinion, "": checkrein.NoOpinion, `"ls"`: checkrein.Deny, `{"command":`: checkrein.Deny} {
		out := e.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: []byte(input)}})
		if out.Verdict.Decision != want {
			t.Errorf("input %s: %v, want %v", input, out.Verdict.Decision, want)
		}
	}
	if out := e.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse}); out.Verdict.Decision != checkrein.Deny {
		t.Errorf("without a tool: %v", out.Verdict.Decision)
	}
}
