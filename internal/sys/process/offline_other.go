//go:build !linux

package process

import (
	"errors"
	"syscall"
)

func offline(*syscall.SysProcAttr) error {
	return errors.New("this system cannot give a single program its own network")
}
