package host

import (
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// TestAnswerTimeout checks that every host that does not wait forever gets its answer before its
// timeout, and that hooks have enough time.
func TestAnswerTimeout(t *testing.T) {
	t.Parallel()
	for _, h := range Table() {
		for _, e := range append([]wire.Event{{}}, h.Events...) {
			waits := h.Waits
			if e.Waits > 0 {
				waits = e.Waits
			}
			switch got := h.AnswerTimeout(&e); {
			case h.Waits == 0 && !h.IsPlugin:
				t.Errorf("%s: runs a command, and nobody says how long", h.Name)
			case e.Waits > h.Waits:
				t.Errorf("%s: %s waits longer than %s", h.Name, e.Native, h.Waits)
			case waits > 0 && (got > waits-200*time.Millisecond || got < waits*4/5):
				t.Errorf("%s: %s is answered within %s of %s", h.Name, e.Native, got, waits)
			}
		}
	}
}
