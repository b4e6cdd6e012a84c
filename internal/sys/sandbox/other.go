//go:build !linux

package sandbox

import (
	"fmt"
	"runtime"
)

// Become reports that this system has no sandboxes.
func Become(Jail, []string, []string) error { return Possible() }

// Possible reports that this system has no sandboxes.
func Possible() error {
	return fmt.Errorf("sandboxes do not work on %s, only on Linux: remove sandbox from the hook, or give it an `if` or a file that this machine does not read", runtime.GOOS)
}
