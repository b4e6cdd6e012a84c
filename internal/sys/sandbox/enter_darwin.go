package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// sandboxExec is the system's program that enters sandboxes.
const sandboxExec = "/usr/bin/sandbox-exec"

// insideVariable is set in the environment of programs in a sandbox. Sandboxes of macOS cannot be nested:
// sandbox-exec fails in one, whatever this variable says, so it only makes the error plainer.
const insideVariable = "CHECKREIN_SEATBELT"

// CheckSupported returns an error if this system has no sandboxes.
func CheckSupported() error {
	info, err := os.Stat(sandboxExec)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("a sandbox needs %s, which this version of macOS does not have", sandboxExec)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return fmt.Errorf("a sandbox needs %s, which is not a program", sandboxExec)
	case isInside(os.Environ()):
		return errors.New("this process already runs in a sandbox, and those of macOS cannot be nested")
	}
	return nil
}

// isInside reports whether a process with the environment environ says that it is in a sandbox: one of
// ours, or of a program of Apple's.
func isInside(environ []string) bool {
	for _, name := range [...]string{insideVariable + "=", "APP_SANDBOX_CONTAINER_ID="} {
		for _, v := range environ {
			if len(v) > len(name) && v[:len(name)] == name {
				return true
			}
		}
	}
	return false
}

// ExecIn executes argv in the jail j in place of this process, through sandbox-exec. It returns only if
// that fails, and then the process must exit. Files that the parent left open stay outside.
func ExecIn(j Jail, argv, environ []string) error {
	if err := CheckSupported(); err != nil {
		return err
	}
	if isInside(environ) {
		return errors.New("this process already runs in a sandbox, and those of macOS cannot be nested")
	}
	if j.Contained {
		const firstOther, last = 3, 256
		for fd := firstOther; fd < last; fd++ {
			syscall.CloseOnExec(fd)
		}
	}
	args := append([]string{sandboxExec, "-p", seatbeltProfile(j)}, argv...)
	err := syscall.Exec(sandboxExec, args, append(environ[:len(environ):len(environ)], insideVariable+"=1"))
	return fmt.Errorf("running %q: %w", sandboxExec, err)
}
