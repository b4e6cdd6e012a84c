package person

import "golang.org/x/sys/unix"

// discardInput discards the unread input of the terminal fd.
func discardInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
