package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// atTerminal runs this program again in a new session with a controlling terminal, because hosts have
// one when a user runs them. It reports false, and runs nothing, if the process already has a terminal
// or none can be opened.
func atTerminal() (ran bool, err error) {
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		return false, tty.Close()
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false, nil // measure without a terminal
	}
	defer master.Close()
	var unlock, number int32
	for _, ask := range []struct {
		what uintptr
		with *int32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &number}} {
		if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), ask.what, uintptr(unsafe.Pointer(ask.with))); no != 0 {
			return false, nil
		}
	}
	slave, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false, nil
	}
	defer slave.Close()
	program, err := os.Executable()
	if err != nil {
		return false, err
	}
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, []*os.File{slave}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	return true, cmd.Run()
}
