//go:build unix

package inside

import (
	"io"
	"os"
)

// randomKey reads the system's random source itself: package crypto/rand would
// link big numbers into a program that must start fast.
func randomKey() ([]byte, error) {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key := make([]byte, keySize)
	_, err = io.ReadFull(f, key)
	return key, err
}
