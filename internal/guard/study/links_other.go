//go:build !unix

package study

import (
	"io/fs"
	"os"
)

// LinkCount is how many names a file has: nobody says so cheaply here.
func LinkCount(fs.FileInfo) uint64 { return 1 }

// OpenNoWait opens a file: pipes have no names inside directories here.
func OpenNoWait(path string) (*os.File, error) { return os.Open(path) }

func Identity(fs.FileInfo) string { return "" }
