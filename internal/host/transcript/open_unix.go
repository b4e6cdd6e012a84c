//go:build unix

package transcript

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

func openNoFollow(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid()
}

// lastWrite returns the last change of a file's content or metadata.
func lastWrite(_ string, info fs.FileInfo) time.Time {
	if changed := time.Unix(0, state.MarkOf(info).Changed); changed.After(info.ModTime()) {
		return changed
	}
	return info.ModTime()
}
