//go:build unix && !linux

package process

// Input returns what kind of file our standard input is.
func Input(int) string { return inputKind() }
