package state

// A Mark identifies a file and its content without reading it. Another file has another mark, and so
// does the same file after a write.
type Mark struct {
	Dev, Inode uint64 // 0 where the system has none
	Size       int64
	Changed    int64 // change time of content or inode, in nanoseconds
}
