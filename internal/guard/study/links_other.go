//go:build !unix

package study

import (
	"io/fs"
	"os"
)

// LinkCount returns 1: finding the number of hard links is expensive here.
func LinkCount(fs.FileInfo) uint64 { return 1 }

// OpenNonblock opens a file. Directories cannot contain named pipes here, so it does not block.
func OpenNonblock(path string) (*os.File, error) { return os.Open(path) }

// FileID returns "": files have no cheap identity here.
func FileID(fs.FileInfo) string { return "" }
