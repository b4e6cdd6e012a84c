package wrap

import (
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// TestSweep checks that expired tickets go, and that valid ones stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := state.NewDir(t.TempDir())
	now := time.Now()
	s := Open(dir, func() time.Time { return now })
	if err := s.Issue(&Ticket{Session: "a", Dir: "/", Command: "true", CallID: "1"}); err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteFast(Runs+"/r", []byte("x")); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		a, _ := dir.Names(tickets)
		b, _ := dir.Names(Runs)
		return len(a) + len(b)
	}
	if s.Sweep(); count() != 2 {
		t.Errorf("%d left of what is valid", count())
	}
	now = now.Add(Lifetime + 2*time.Minute)
	if s.Sweep(); count() != 0 {
		t.Errorf("%d left of what has expired", count())
	}
}
