// Package build identifies the build of a program. The two programs of one build trust each other's
// messages, but not those of other builds.
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

// Program returns the path of the running program. The result is cached: it is the path that the
// program had at its start.
func Program() (string, error) {
	program.once.Do(func() { program.path, program.err = os.Executable() })
	return program.path, program.err
}

// Stamp returns a text that changes whenever the running program's file does, so that one build does
// not read the caches of another. It is "" if the file is unknown.
func Stamp() string {
	path, err := Program()
	if err != nil {
		return ""
	}
	return StampOf(path)
}

// StampOf returns the Stamp of the program at path, if it has this version.
func StampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return Version + " " + strconv.FormatInt(info.Size(), 36) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}
