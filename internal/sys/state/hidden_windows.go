package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// Hidden relies on the access rules of the user's profile.
func (d Dir) Hidden(name string) error {
	if d.path == "" {
		return fmt.Errorf("read %s: %w", name, ErrNoState)
	}
	_, err := os.Stat(filepath.Join(d.path, filepath.FromSlash(name)))
	return err
}
