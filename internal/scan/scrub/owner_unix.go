//go:build unix

package scrub

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner sets the owner of out to that of was, the file that it replaces. Errors are ignored,
// because only root may change owners.
func keepOwner(out *os.File, was fs.FileInfo) {
	if was == nil {
		return
	}
	if st, ok := was.Sys().(*syscall.Stat_t); ok {
		_ = out.Chown(int(st.Uid), int(st.Gid))
	}
}
