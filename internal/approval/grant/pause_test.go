package grant

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A pause ends by itself, by either clock, and none is longer than MaxPause, even if another program
// wrote it.
func TestPauseEnds(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name       string
		length     time.Duration
		wall, mono time.Duration // that passed
		want       bool
	}{
		{"on", time.Hour, 30 * time.Minute, 30 * time.Minute, true},
		{"over", time.Hour, time.Hour, time.Hour, false},
		{"the clock was set back", time.Hour, -time.Hour, 30 * time.Minute, false},
		{"the longest", MaxPause, time.Hour, time.Hour, true},
		{"longer", MaxPause + time.Minute, time.Hour, time.Hour, false},
	} {
		now := Moment{Wall: start, Boot: "b"}
		s := Store{Dir: ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state"))), Now: func() Moment { return now }}
		if err := s.SetPause(Pause{Until: start.Add(tt.length)}); err != nil {
			t.Fatal(err)
		}
		now.Wall, now.Mono = start.Add(tt.wall), int64(tt.mono)
		if p, err := s.CurrentPause(); (p != nil) != tt.want || err != nil {
			t.Errorf("%s: paused %v, %v", tt.name, p, err)
		}
	}
}
