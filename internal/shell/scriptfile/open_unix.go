//go:build unix

package scriptfile

import (
	"os"
	"syscall"
)

// openNoWait opens a file; a pipe without a writer and a terminal do not hold it up.
func openNoWait(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}
