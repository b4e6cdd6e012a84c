package kit_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/kit"
)

// TestRedoLimitWithoutSession checks that a hook keeps an agent going at most three times in a turn,
// even if events name no session and so belong to the kit's.
func TestRedoLimitWithoutSession(t *testing.T) {
	t.Parallel()
	typ := checkrein.HandlerType{Name: "refuse", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "not yet"}}, nil
		}), nil
	}}
	for name, opts := range map[string]kit.Options{
		"no session, no ledger": {},
		"session":               {Session: "s1"},
		"ledger":                {Ledger: filepath.Join(t.TempDir(), "ledger")},
	} {
		dir := t.TempDir()
		opts.Dir, opts.Environ, opts.Handlers = dir, []string{"HOME=" + dir}, []checkrein.HandlerType{typ}
		opts.Hooks = []checkrein.Hook{{ID: "refuse", On: checkrein.Stop, Run: "refuse"}}
		k, err := kit.Open(opts)
		if err != nil {
			t.Fatal(err)
		}
		redos := 0
		for range 6 {
			if k.Serve(t.Context(), checkrein.Event{Kind: checkrein.Stop}).Redo != nil {
				redos++
			}
		}
		if redos != 3 {
			t.Errorf("%s: %d redos, want 3", name, redos)
		}
	}
}
