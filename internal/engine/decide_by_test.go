package engine_test

import (
	"testing"

	"github.com/checkrein/checkrein"
)

// TestDecideBy checks that hooks that are not picked are neither planned nor run.
func TestDecideBy(t *testing.T) {
	t.Parallel()
	e := handlerFuncs{"a": decideWith(checkrein.Deny, "no"), "b": decideWith(checkrein.Allow, "yes")}.newEngine(newHook("plain", "a"), newHook("plain", "b"))
	for _, tt := range []struct {
		name string
		pick func(*checkrein.Hook) bool
		want checkrein.Decision
		n    int
	}{
		{"all", nil, checkrein.Deny, 2},
		{"one", func(h *checkrein.Hook) bool { return h.Name == "b" }, checkrein.Allow, 1},
		{"none", func(*checkrein.Hook) bool { return false }, checkrein.NoOpinion, 0},
	} {
		out := e.DecideBy(t.Context(), shellEvent("ls"), tt.pick)
		if out.Verdict.Decision != tt.want || len(out.Steps) != tt.n {
			t.Errorf("%s: %v from %d steps, want %v from %d", tt.name, out.Verdict.Decision, len(out.Steps), tt.want, tt.n)
		}
	}
}
