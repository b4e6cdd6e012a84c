//go:build unix && !linux

package person

import "golang.org/x/sys/unix"

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCOUTQ)
	return err == nil
}

// isMaster returns false, since it cannot be determined here. Terminal also requires a controlling
// terminal, which the master side is not.
func isMaster(int) bool { return false }
