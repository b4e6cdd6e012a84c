package person

import "golang.org/x/sys/unix"

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// isMaster reports whether fd is the master side of a terminal, to which programs write keys.
func isMaster(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	return err == nil
}
