//go:build !linux

package process

import (
	"errors"
	"os"
	"os/exec"
)

// CanImage returns why no program can run from memory here; nil = it can.
func CanImage() error { return errors.New("programs can run from memory only on Linux") }

func imaged(*exec.Cmd, []byte) (*os.File, error) { return nil, CanImage() }
