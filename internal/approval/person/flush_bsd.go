//go:build unix && !linux

package person

import "golang.org/x/sys/unix"

func flush(fd int) error {
	const read = 1 // FREAD: what was typed
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
