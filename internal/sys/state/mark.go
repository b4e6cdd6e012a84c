package state

// A Mark tells one file from another, and from itself once it was written to,
// without reading it.
type Mark struct {
	Dev, Inode uint64 // 0 where the system has none
	Size       int64
	Changed    int64 // when its content or its inode changed, in nanoseconds
}
