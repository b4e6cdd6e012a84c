//go:build unix

package transcript

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// openNoFollow opens a file for reading. It fails for a symlink and does not block on a pipe.
func openNoFollow(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// isOwnedByUser reports whether the file belongs to the user of this process.
func isOwnedByUser(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid()
}

// lastWrite returns when the contents or metadata of a file last changed.
func lastWrite(_ string, info fs.FileInfo) time.Time {
	if changed := time.Unix(0, state.MarkOf(info).Changed); changed.After(info.ModTime()) {
		return changed
	}
	return info.ModTime()
}
