package state

import "os"

// present reports whether anything lies at a path.
func present(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
