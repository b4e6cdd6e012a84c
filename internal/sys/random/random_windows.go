// Package random reads the system's source of randomness.
package random

import "crypto/rand"

// Read fills b.
func Read(b []byte) error {
	_, err := rand.Read(b)
	return err
}
