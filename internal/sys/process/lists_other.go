//go:build !linux

package process

// ListsTruthfully returns true, because only Linux has system call filters.
func ListsTruthfully(string) bool { return true }
