//go:build unix && !linux

package person

import "golang.org/x/sys/unix"

// isTerminal reports whether fd is a terminal.
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCOUTQ)
	return err == nil
}

// isMaster returns false, since this cannot be determined here. CheckTerminal also requires the
// controlling terminal, which the master side is not.
func isMaster(int) bool { return false }
