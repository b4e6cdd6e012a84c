//go:build !linux

package undo

import (
	"os"
	"path/filepath"
)

// A linker creates hard links.
type linker struct{}

// link creates the hard link name of the file from in the directory to.
func (l *linker) link(from, to, name string) error { return os.Link(from, filepath.Join(to, name)) }

// close does nothing.
func (l *linker) close() {}
