//go:build unix

package person

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckTerminal returns an error unless in and out are the same terminal, which controls this process
// and has it in the foreground. This excludes pipes, files, other terminals and background jobs.
func CheckTerminal(in, out any) error {
	a, err := terminalDevice(in, "stdin")
	if err != nil {
		return err
	}
	b, err := terminalDevice(out, "stdout")
	if err != nil {
		return err
	}
	if a != b {
		return errors.New("stdin and stdout are two different terminals")
	}
	for _, f := range [...]any{in, out} {
		fd := int(f.(*os.File).Fd())
		// The kernel returns the group only for the controlling terminal.
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

// terminalDevice returns the device of the terminal f, which messages call name. It returns an error
// for the master side, for which the kernel would report the process group as well.
func terminalDevice(f any, name string) (uint64, error) {
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

// deviceAt returns the number of the character device at path, or 0 if there is none.
func deviceAt(path string) uint64 {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFCHR {
		return 0
	}
	return uint64(uint32(st.Rdev))
}
