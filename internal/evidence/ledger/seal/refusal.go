package seal

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Refusal is the error of a Prune that removes nothing, because what would go
// does not verify, and its traces would go with it.
type Refusal struct {
	Finding      // the first of them
	Before  bool // it was refused before, and is as it was
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("it does not verify, and pruning would remove the evidence (%s): for details, run checkrein audit verify; "+
		"checkrein audit prune --accept-damage removes it all the same, and puts that on record", r.Finding)
}

// refusedFile remembers a refusal, so that not every Prune reads the same
// segments in vain.
const refusedFile = "prune.refused"

// A memory is a refusal and what would make it worth another look.
type memory struct {
	Finding Finding   `json:"finding"`
	Older   int       `json:"older"` // segments before the one that it is about
	Size    int64     `json:"size"`  // of that one
	Changed time.Time `json:"changed"`
}

// remember notes a refusal. If it cannot, the next Prune looks again.
func remember(dir string, r *Refusal) {
	m, ok := memoryOf(dir, r.Finding)
	if data, err := json.Marshal(m); ok && err == nil {
		_ = state.At(dir).Write(refusedFile, data)
	}
}

// remembered returns the refusal of an earlier Prune if the segments up to last
// would meet with it again; nil = one has to look.
func remembered(dir string, last int) *Refusal {
	data, err := state.At(dir).Read(refusedFile, 1<<16)
	if err != nil {
		return nil
	}
	var was memory
	if json.Unmarshal(data, &was) != nil || was.Finding.Segment > last+1 {
		return nil
	}
	now, ok := memoryOf(dir, was.Finding)
	if !ok || now.Older != was.Older || now.Size != was.Size || !now.Changed.Equal(was.Changed) {
		return nil
	}
	return &Refusal{Finding: was.Finding, Before: true}
}

// memoryOf looks at the segment that a finding is about.
func memoryOf(dir string, f Finding) (memory, bool) {
	segments, err := ledger.Segments(dir)
	if err != nil {
		return memory{}, false
	}
	for i, s := range segments {
		if s.Number != f.Segment {
			continue
		}
		info, err := os.Stat(s.Path)
		return memory{Finding: f, Older: i, Size: s.Size, Changed: info.ModTime()}, err == nil
	}
	return memory{}, false
}
