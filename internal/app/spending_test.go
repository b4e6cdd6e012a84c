package app_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// What hooks spend on models is counted per session, across turns and processes and even if they
// fault, but only if a host acts on the event.
func TestSpendingIsCountedPerSession(t *testing.T) {
	t.Parallel()
	dir, cost := t.TempDir(), 0.25
	answers := []struct {
		spent checkrein.Usage
		err   error
	}{
		{checkrein.Usage{Model: "a/b", Input: 10, Output: 5, Cost: &cost}, nil},
		{checkrein.Usage{Model: "a/b", Input: 10, Output: 5, Cost: &cost}, errors.New("garbage")},
		{checkrein.Usage{Model: "a/b", Again: true}, nil},
		{checkrein.Usage{Model: "a/b", Input: 1}, nil},
	}
	next := 0
	row := checkrein.HandlerType{Name: "asks", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			a := answers[next%len(answers)]
			next++
			return checkrein.Answer{Usage: &a.spent}, a.err
		}), nil
	}}
	open := func() *app.Kit {
		k, err := app.Open(app.Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + dir}, Handlers: []checkrein.HandlerType{row},
			Hooks: []checkrein.Hook{{ID: "judge", Run: "asks", On: checkrein.PreToolUse, Dialect: "native"}}})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	in := func(session string) checkrein.Event {
		return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: session}, Tool: &checkrein.Tool{Name: "x", Input: []byte(`{}`)}}
	}
	open().Decide(t.Context(), in("s")) // a dry run
	next = 0
	for range answers {
		k := open()
		k.Serve(t.Context(), in("s"))
		k.Serve(t.Context(), checkrein.Event{Kind: checkrein.UserPromptSubmit, Session: checkrein.Session{ID: "s"}, Text: "next"})
	}
	got, err := open().SessionSpending(in("s"))
	if want := (app.Spending{Calls: 3, Again: 1, Input: 21, Output: 10, Cost: 0.5, Unpriced: 1}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if other, err := open().SessionSpending(in("other")); err != nil || other != (app.Spending{}) {
		t.Errorf("another session: %+v, %v", other, err)
	}
}
