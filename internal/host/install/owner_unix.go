//go:build unix

package install

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user ID of a file's owner, or -1 if it is unknown.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
