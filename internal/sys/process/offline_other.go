//go:build !linux

package process

import (
	"errors"
	"syscall"
)

// isolateNetwork fails, because this system has no network namespaces.
func isolateNetwork(*syscall.SysProcAttr) error {
	return errors.New("this system cannot start a program in its own network namespace")
}
