package person

import "golang.org/x/sys/unix"

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// isMaster reports whether it is the end of a terminal that programs write keys to.
func isMaster(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	return err == nil
}
