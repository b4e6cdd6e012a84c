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

// CheckSupported returns why this system has no sandboxes. What the kernel cannot do is reported only
// when a jail is entered.
func CheckSupported() error { return nil }

// ExecIn enters the jail and executes the program of argv in place of this process. It returns only if
// that fails, and then the process must exit.
//
// The settings belong to a thread, so it stays on one: the program inherits from the thread that
// executes it.
func ExecIn(j Jail, argv, environ []string) error {
	runtime.LockOSThread()
	if err := enter(j); err != nil {
		return err
	}
	err := syscall.Exec(argv[0], argv, environ)
	if errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("running %q: %w: if it is outside the system's directories, add it to read", argv[0], err)
	}
	return fmt.Errorf("running %q: %w", argv[0], err)
}

func enter(j Jail) error {
	if err := prctl(prSetNoNewPriv, 1); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := confine(j); err != nil {
		return err
	}
	if j.NoNetwork {
		return denySockets()
	}
	return nil
}

// keptCapabilities are the capabilities that root keeps: without them it could do less with files than
// their owners. None of them leads out of the sandbox.
const keptCapabilities = 1<<0 | // chown
	1<<1 | // dac_override
	1<<3 | // fowner
	1<<4 | // fsetid
	1<<6 | // setgid
	1<<7 // setuid

// dropCapabilities removes root's capabilities that lead out of the sandbox, such as loading kernel
// modules. Other users lose all capabilities when the program starts.
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
			return nil // there are no more
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

func prctl(option, value uintptr) error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
