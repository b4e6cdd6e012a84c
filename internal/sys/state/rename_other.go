//go:build !linux

package state

// renameNoSync is renameFile, which does not wait for the disk on these systems.
func renameNoSync(from, to string) error { return renameFile(from, to) }
