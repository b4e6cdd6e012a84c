package person

import "golang.org/x/sys/unix"

// isTerminal reports whether fd is a terminal.
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// isMaster reports whether fd is the master side of a pseudo-terminal, to which programs write keys.
func isMaster(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	return err == nil
}
