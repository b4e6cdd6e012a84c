package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// CheckOwnerOnly returns an error if the file name is missing. The access rules of the user's profile
// determine who may read it.
func (d Dir) CheckOwnerOnly(name string) error {
	if d.path == "" {
		return fmt.Errorf("read %s: %w", name, ErrNoState)
	}
	_, err := os.Stat(filepath.Join(d.path, filepath.FromSlash(name)))
	return err
}
