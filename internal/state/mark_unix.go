//go:build unix

package state

import (
	"io/fs"
	"syscall"
)

// MarkOf is the mark of the file that was looked at.
func MarkOf(info fs.FileInfo) Mark {
	m := Mark{Size: info.Size()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		m.Dev, m.Inode, m.Changed = uint64(st.Dev), st.Ino, changed(st).UnixNano()
	}
	return m
}
