package state

// A mapping is empty, because files are not mapped on Windows.
type mapping struct{}

// Add adds delta to the number at offset off, atomically with respect to all processes, and returns
// the result. The number is in native byte order.
func (s *SharedFile) Add(off int, delta uint64) (uint64, error) { return s.addLocked(off, delta) }
