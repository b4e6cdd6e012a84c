// Package build identifies the build of a program. The two programs of one build accept each other's
// messages, but not those of other builds.
package build

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// Version is the version of checkrein. The linker sets it for releases.
var Version = "dev"

// UseModuleVersion sets Version to the version of the module, if `go install` or a build of an unchanged
// checkout noted one in the program and the linker set none.
func UseModuleVersion() {
	if Version != "dev" {
		return
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		Version = moduleVersion(info.Main.Version)
	}
}

// moduleVersion returns the Version of programs that are built from the given version of the module. It is
// "dev" if that does not identify the source.
func moduleVersion(noted string) string {
	if noted == "" || noted == "(devel)" || strings.HasSuffix(noted, "+dirty") {
		return "dev"
	}
	return strings.TrimPrefix(noted, "v")
}

var program struct {
	once sync.Once
	path string
	err  error
}

// ProgramPath returns the path that the running program had at its start. The result is cached.
func ProgramPath() (string, error) {
	program.once.Do(func() { program.path, program.err = os.Executable() })
	return program.path, program.err
}

// Stamp returns a string that changes whenever the file of the running program changes, so that one
// build does not read the caches of another. It returns "" if the file cannot be examined.
func Stamp() string {
	path, err := ProgramPath()
	if err != nil {
		return ""
	}
	return StampOfFile(path)
}

// StampOfFile returns the Stamp that the program in the file path has, provided that it has the same
// Version as this one. It returns "" if the file cannot be examined.
func StampOfFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return Version + " " + strconv.FormatInt(info.Size(), 36) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}
