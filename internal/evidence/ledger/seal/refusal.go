package seal

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Refusal is the error of a Prune that removed nothing because the segments do not verify and
// removing them would destroy the evidence.
type Refusal struct {
	Finding      // the first one
	Before  bool // an earlier Prune refused it, and nothing has changed
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("it does not verify, and pruning would remove the evidence (%s): for details, run checkrein audit verify; "+
		"to prune it nevertheless, which is recorded, run checkrein audit prune --accept-damage", r.Finding)
}

// refusedFile stores a refusal, so that later calls of Prune need not read the same segments again.
const refusedFile = "prune.refused"

// A storedRefusal is a refusal, and the state of the segment that it is about at that time.
type storedRefusal struct {
	Finding Finding   `json:"finding"`
	Older   int       `json:"older"` // number of segments before the one that it is about
	Size    int64     `json:"size"`  // size of that segment
	Changed time.Time `json:"changed"`
}

// storeRefusal stores r. If that fails, the next Prune reads the segments again.
func storeRefusal(dir string, r *Refusal) {
	m, ok := newStoredRefusal(dir, r.Finding)
	if data, err := json.Marshal(m); ok && err == nil {
		_ = state.NewDir(dir).Write(refusedFile, data)
	}
}

// loadRefusal returns the refusal of an earlier Prune if it still applies to the segments up to last,
// or nil if there is none.
func loadRefusal(dir string, last int) *Refusal {
	data, err := state.NewDir(dir).Read(refusedFile, 1<<16)
	if err != nil {
		return nil
	}
	var was storedRefusal
	if json.Unmarshal(data, &was) != nil || was.Finding.Segment > last+1 {
		return nil
	}
	now, ok := newStoredRefusal(dir, was.Finding)
	if !ok || now.Older != was.Older || now.Size != was.Size || !now.Changed.Equal(was.Changed) {
		return nil
	}
	return &Refusal{Finding: was.Finding, Before: true}
}

// newStoredRefusal returns f with the current state of the segment that it is about. It reports false
// if that segment does not exist.
func newStoredRefusal(dir string, f Finding) (storedRefusal, bool) {
	segments, err := ledger.Segments(dir)
	if err != nil {
		return storedRefusal{}, false
	}
	for i, s := range segments {
		if s.Number != f.Segment {
			continue
		}
		info, err := os.Stat(s.Path)
		return storedRefusal{Finding: f, Older: i, Size: s.Size, Changed: info.ModTime()}, err == nil
	}
	return storedRefusal{}, false
}
