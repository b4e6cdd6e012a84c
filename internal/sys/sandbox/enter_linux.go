package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// Options of prctl.
const (
	prSetSeccomp   = 22
	prCapBsetRead  = 23
	prCapBsetDrop  = 24
	prSetNoNewPriv = 38
	prCapAmbient   = 47
	ambientClear   = 4
)

// CheckSupported returns an error if this system has no sandboxes. Whether the kernel supports all
// restrictions is checked only when a jail is entered.
func CheckSupported() error { return nil }

// ExecIn enters the jail j and executes argv in place of this process. It returns only if that fails,
// and then the process must exit.
//
// The restrictions apply to a thread and are inherited by the program that it executes, so ExecIn
// locks its goroutine to the thread.
func ExecIn(j Jail, argv, environ []string) error {
	runtime.LockOSThread()
	if err := enterJail(j); err != nil {
		return err
	}
	err := syscall.Exec(argv[0], argv, environ)
	if errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("running %q: %w: if it is outside the system's directories, add it to read", argv[0], err)
	}
	return fmt.Errorf("running %q: %w", argv[0], err)
}

// enterJail restricts the current thread to the jail j.
func enterJail(j Jail) error {
	if err := prctl(prSetNoNewPriv, 1); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := restrictFiles(j); err != nil {
		return err
	}
	if j.Contained { // descriptors of the parent stay outside
		const sysCloseRange, fromThird, cloexec = 436, 3, 1 << 2
		if _, _, errno := syscall.RawSyscall(sysCloseRange, fromThird, 1<<31, cloexec); errno != 0 {
			return fmt.Errorf("closing inherited files: %w", errno)
		}
	}
	return restrictCalls(j)
}

// keptCapabilities is the set of capabilities that root keeps. Without them root could do less with
// files than their owners. None of them leads out of the sandbox.
const keptCapabilities = 1<<0 | // chown
	1<<1 | // dac_override
	1<<3 | // fowner
	1<<4 | // fsetid
	1<<6 | // setgid
	1<<7 // setuid

// dropCapabilities drops root's capabilities that lead out of the sandbox, such as loading kernel
// modules. Other users lose all capabilities when the program is executed.
func dropCapabilities() error {
	if err := prctl(prCapAmbient, ambientClear); err != nil {
		return fmt.Errorf("clearing ambient capabilities: %w", err)
	}
	if os.Getuid() != 0 && os.Geteuid() != 0 {
		return nil
	}
	for c := uintptr(0); c < 64; c++ {
		has, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapBsetRead, c, 0, 0, 0, 0)
		if errno != 0 {
			return nil // c is beyond the last capability
		}
		if has == 0 || keptCapabilities>>c&1 == 1 {
			continue
		}
		if err := prctl(prCapBsetDrop, c); err != nil {
			return fmt.Errorf("dropping root's capability %d: %w: run the agent as another user", c, err)
		}
	}
	return nil
}

// prctl calls prctl(2) with option and value.
func prctl(option, value uintptr) error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
