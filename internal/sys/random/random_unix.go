//go:build unix

// Package random reads the system's source of randomness.
package random

import (
	"io"
	"os"
)

// Read fills b with random bytes. Package crypto/rand would link big numbers into a program that must
// start fast.
func Read(b []byte) error {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, b)
	return err
}
