//go:build !unix

package person

// Flush does nothing on this system.
func Flush(any) {}
