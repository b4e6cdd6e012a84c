//go:build unix && !linux

package person

import "golang.org/x/sys/unix"

// discardInput discards the unread input of the terminal fd.
func discardInput(fd int) error {
	const read = 1 // FREAD: the input queue
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
