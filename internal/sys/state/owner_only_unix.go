//go:build unix

package state

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// CheckOwnerOnly returns an error if the file name is missing, or if other users may read or write it.
// [Dir.Read] checks only who may write.
func (d Dir) CheckOwnerOnly(name string) error {
	if d.path == "" {
		return fmt.Errorf("read %s: %w", name, ErrNoState)
	}
	full := filepath.Join(d.path, filepath.FromSlash(name))
	var st syscall.Stat_t
	if err := syscall.Stat(full, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: full, Err: err}
	}
	perm := fs.FileMode(st.Mode & 0o777)
	if err := checkOwner(full, perm, false, int(st.Uid)); err != nil {
		return err
	}
	if perm&0o077 != 0 {
		return fmt.Errorf("other users can read %s (mode %04o): run chmod 600 %s", full, perm, full)
	}
	return nil
}
