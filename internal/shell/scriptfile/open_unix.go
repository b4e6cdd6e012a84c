//go:build unix

package scriptfile

import (
	"os"
	"syscall"
)

// openNonblocking opens the file at path for reading, without waiting for the writer of a pipe or for
// a terminal.
func openNonblocking(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}
