//go:build unix

package study

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// LinkCount returns the number of hard links of a file, or 1 if it is unknown.
func LinkCount(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// OpenNonblock opens the file path. It does not block on a terminal or on a pipe without a writer.
func OpenNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// FileID returns a string that distinguishes a file or directory from another one at the same path, or
// "" if it is unknown.
func FileID(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(s.Dev, " ", s.Ino)
	}
	return ""
}
