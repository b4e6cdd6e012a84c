//go:build !linux

package process

// ListsTruthfully returns true: only Linux has filters of system calls.
func ListsTruthfully(string) bool { return true }
