//go:build unix

package study

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// LinkCount is how many LinkCount a file has.
func LinkCount(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// OpenNoWait opens a file; a pipe without a writer and a terminal do not hold it up.
func OpenNoWait(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// Identity distinguishes a file or directory from another one that is put in its place; "" = it
// cannot be told.
func Identity(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(s.Dev, " ", s.Ino)
	}
	return ""
}
