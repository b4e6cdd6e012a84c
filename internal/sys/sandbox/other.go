//go:build !linux && !darwin

package sandbox

import (
	"fmt"
	"runtime"
)

// ExecIn returns the error of CheckSupported.
func ExecIn(Jail, []string, []string) error { return CheckSupported() }

// CheckSupported returns an error, because this system has no sandboxes.
func CheckSupported() error {
	return fmt.Errorf("sandboxes do not work on %s, only on Linux and macOS: remove sandbox from the hook, or give it an `if` or a file that this machine does not read", runtime.GOOS)
}
