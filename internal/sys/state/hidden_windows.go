package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// CheckOwnerOnly returns an error if the named file is missing. Who may read it depends on the access
// rules of the user's profile.
func (d Dir) CheckOwnerOnly(name string) error {
	if d.path == "" {
		return fmt.Errorf("read %s: %w", name, ErrNoState)
	}
	_, err := os.Stat(filepath.Join(d.path, filepath.FromSlash(name)))
	return err
}
