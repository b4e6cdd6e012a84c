//go:build unix

package scriptfile

import (
	"os"
	"syscall"
)

// openNoWait opens a file without waiting for the writer of a pipe or for a terminal.
func openNoWait(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}
