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

// sharedInode returns the number of a file that has several names, or 0 if it has one.
func sharedInode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
		return uint64(st.Ino)
	}
	return 0
}

// ownerOf returns the owner and the group of a file.
func ownerOf(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}
