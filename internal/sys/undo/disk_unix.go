//go:build unix && !netbsd && !openbsd && !solaris && !illumos && !aix

package undo

import (
	"io/fs"
	"syscall"
)

// freePercent returns how much of the disk that holds path is free for this user, in percent. It
// reports false if that is unknown.
func freePercent(path string) (int, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil || st.Blocks == 0 {
		return 0, false
	}
	return int(uint64(st.Bavail) * 100 / uint64(st.Blocks)), true
}

// ownerOf returns the owner and the group of a file.
func ownerOf(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}
