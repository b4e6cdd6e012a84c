// Package build says which build a program is. The two programs of one build
// trust each other's messages; others do not.
package build

import (
	"os"
	"strconv"
	"sync"
)

// Version is set by the linker for releases.
var Version = "dev"

var program struct {
	once sync.Once
	path string
	err  error
}

// Program is the path of the running program. The system is asked once: it tells the
// path that the program had when it began.
func Program() (string, error) {
	program.once.Do(func() { program.path, program.err = os.Executable() })
	return program.path, program.err
}

// Stamp changes whenever the running program's file does, so that what one
// build remembers is not read by another. It is "" when the file is unknown.
func Stamp() string {
	path, err := Program()
	if err != nil {
		return ""
	}
	return StampOf(path)
}

// StampOf is the Stamp of the program at path, if it is of this version.
func StampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return Version + " " + strconv.FormatInt(info.Size(), 36) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}
