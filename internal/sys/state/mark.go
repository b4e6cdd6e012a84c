package state

// A Mark identifies a file and its content without reading it: another file, and the same file after a
// write, has another mark.
type Mark struct {
	Dev, Inode uint64 // 0 where the system has none
	Size       int64
	Changed    int64 // change time of content or inode, in nanoseconds
}
