//go:build unix

package study

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// LinkCount returns the number of hard links of a file.
func LinkCount(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// OpenNonblock opens a file without blocking on a pipe without a writer or on a terminal.
func OpenNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// FileID returns a text that distinguishes a file or directory from another one at the same path; ""
// if it is unknown.
func FileID(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(s.Dev, " ", s.Ino)
	}
	return ""
}
