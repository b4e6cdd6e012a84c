//go:build !linux || !(amd64 || arm64 || riscv64 || loong64)

package undo

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A linker creates hard links.
type linker struct{}

// link creates the hard link name of the file f in the directory to, and describes f by it.
func (l *linker) link(f *file, to, name string) error {
	link := filepath.Join(to, name)
	if err := os.Link(f.path, link); err != nil {
		return err
	}
	info, err := os.Lstat(link)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid // it was replaced meanwhile
	}
	if err != nil {
		_ = os.Remove(link)
		return err
	}
	f.describe(info)
	return nil
}

// close does nothing.
func (l *linker) close() {}
