//go:build unix

package state

import (
	"io/fs"
	"syscall"
)

// MarkOf returns the mark of the file that info describes.
func MarkOf(info fs.FileInfo) Mark {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return MarkOfStat(st)
	}
	return Mark{Size: info.Size()}
}

// MarkOfStat is MarkOf for the result of a system call.
func MarkOfStat(st *syscall.Stat_t) Mark {
	return Mark{Dev: uint64(st.Dev), Inode: st.Ino, Size: st.Size, Changed: changeTime(st).UnixNano()}
}
