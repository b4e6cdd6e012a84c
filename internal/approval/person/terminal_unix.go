//go:build unix

package person

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Terminal returns why a person does not sit before these two: they are not one
// terminal, it is not the one that controls this process, or this process is not
// in its foreground. Pipes, files, a terminal of somebody else and jobs in the
// background are told so.
func Terminal(in, out any) error {
	a, err := device(in, "stdin")
	if err != nil {
		return err
	}
	b, err := device(out, "stdout")
	if err != nil {
		return err
	}
	if a != b {
		return errors.New("stdin and stdout are two different terminals")
	}
	for _, f := range [...]any{in, out} {
		fd := int(f.(*os.File).Fd())
		// Of a terminal that does not control us, the kernel tells no group.
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err != nil {
			return errors.New("stdin and stdout are not this process's controlling terminal: run it directly in a terminal")
		}
		if group != syscall.Getpgrp() {
			return errors.New("this process is not in the foreground of its terminal")
		}
	}
	return nil
}

// device is that of a terminal: of the end that people sit at, since of the
// other one the kernel tells more than of its own.
func device(f any, name string) (uint64, error) {
	file, ok := f.(*os.File)
	if !ok || file == nil {
		return 0, fmt.Errorf("%s is not a terminal", name)
	}
	var st syscall.Stat_t
	err := syscall.Fstat(int(file.Fd()), &st)
	if err != nil || !isTerminal(int(file.Fd())) || st.Mode&syscall.S_IFMT != syscall.S_IFCHR || isMaster(int(file.Fd())) {
		return 0, fmt.Errorf("%s is not a terminal", name)
	}
	return uint64(uint32(st.Rdev)), nil
}

// deviceOf is the device that a path names; 0 = none.
func deviceOf(path string) uint64 {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFCHR {
		return 0
	}
	return uint64(uint32(st.Rdev))
}
