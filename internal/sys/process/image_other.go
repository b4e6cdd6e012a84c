//go:build !linux

package process

import (
	"errors"
	"os"
	"os/exec"
)

// CheckImage returns an error, because programs cannot run from memory on this system.
func CheckImage() error { return errors.New("programs can run from memory only on Linux") }

// runFromMemory fails, because this system cannot run programs from memory.
func runFromMemory(*exec.Cmd, []byte) (*os.File, error) { return nil, CheckImage() }
