//go:build !linux

package process

import (
	"errors"
	"syscall"
)

func offline(*syscall.SysProcAttr) error {
	return errors.New("this system has no networks for single programs")
}
