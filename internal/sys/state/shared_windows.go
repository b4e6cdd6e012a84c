package state

type mapping struct{}

// Add adds to the number at an offset, in one step for all processes, and returns the
// sum. The number is in the machine's own order of bytes.
func (s *Shared) Add(off int, delta uint64) (uint64, error) { return s.addLocked(off, delta) }
