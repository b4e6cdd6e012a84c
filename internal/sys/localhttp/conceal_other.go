//go:build !linux

package localhttp

// ProtectMemory does nothing: the system decides whether a process may read another's memory.
func ProtectMemory() error { return nil }

// AdoptOrphans does nothing: the peer of a connection is not known on this system either.
func AdoptOrphans() error { return nil }
