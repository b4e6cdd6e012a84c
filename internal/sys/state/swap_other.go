//go:build !linux

package state

// swapFile is renameFile, which does not wait for the disk here.
func swapFile(from, to string) error { return renameFile(from, to) }
