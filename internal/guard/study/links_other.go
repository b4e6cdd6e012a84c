//go:build !unix

package study

import (
	"io/fs"
	"os"
)

// LinkCount returns 1, because finding the number of hard links is expensive on this system.
func LinkCount(fs.FileInfo) uint64 { return 1 }

// OpenNonblock opens the file path. It cannot block, because directories contain no named pipes on
// this system.
func OpenNonblock(path string) (*os.File, error) { return os.Open(path) }

// FileID returns "", because files have no cheap identity on this system.
func FileID(fs.FileInfo) string { return "" }
