package rules

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestRowEffects checks that programs without rules are known by their rows, and safe only with listed
// options.
func TestRowEffects(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    shell.Label
	}{
		{"choose 0 2 -f ,", shell.Safe},
		{"choose --one-indexed 1", shell.Safe},
		{"choose --run x", shell.Unknown},
		{"csvlens a.csv", shell.Safe},
		{"csvlens $options a.csv", shell.Unknown},
		{"sd before after src/main.go", shell.Safe},
		{"sd -z a b", shell.Unknown},
	} {
		c := resolveCalls(t, tt.command)[0]
		effects, known := Effects(c, nil)
		if !known || len(effects) != 1 || effects[0].Label != tt.want {
			t.Errorf("%s: %+v, %v, want %v", tt.command, effects, known, tt.want)
		}
	}
}
