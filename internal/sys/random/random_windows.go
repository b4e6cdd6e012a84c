// Package random reads the system's source of randomness.
package random

import "crypto/rand"

// Read fills b with random bytes.
func Read(b []byte) error {
	_, err := rand.Read(b)
	return err
}
