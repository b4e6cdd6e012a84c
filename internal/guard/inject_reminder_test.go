package guard

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/addcontext"
)

func TestInjectReminder(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, kind := range []checkrein.Kind{checkrein.BeforeLLMCall, checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart} {
		got, err := m.handle(checkrein.Event{Kind: kind}, "inject_reminder", "Publish before you say so.", "Twice.")
		if err != nil || !slices.Equal(got.Context, []string{"Publish before you say so.\nTwice."}) || got.Effects() != checkrein.CanAddContext {
			t.Errorf("%v: %+v, %v", kind, got, err)
		}
	}
	for _, kind := range []checkrein.Kind{checkrein.SessionEnd, checkrein.OnOutboundMessage, checkrein.PreCompact, checkrein.WorktreeCreate} {
		if got, err := m.handle(checkrein.Event{Kind: kind}, "inject_reminder", "x"); err != nil || !got.IsZero() {
			t.Errorf("%v: %+v, %v", kind, got, err)
		}
	}
	for _, args := range [][]string{nil, {""}, {" ", "\n"}} {
		if _, err := addcontext.NewInjectReminder(args); err == nil {
			t.Errorf("%q is a reminder", args)
		}
	}
}
