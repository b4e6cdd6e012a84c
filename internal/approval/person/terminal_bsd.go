//go:build unix && !linux

package person

import "golang.org/x/sys/unix"

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCOUTQ)
	return err == nil
}

// isMaster is not told here: the terminal must control this process, which the
// end for keys does not.
func isMaster(int) bool { return false }
