package state

// A mapping is empty: files are not mapped on Windows.
type mapping struct{}

// Add adds delta to the number at an offset, atomically for all processes, and returns the result. The
// number is in native byte order.
func (s *SharedFile) Add(off int, delta uint64) (uint64, error) { return s.addLocked(off, delta) }
