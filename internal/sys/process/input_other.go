//go:build unix && !linux

package process

// StdinKind returns the kind of file of the standard input.
func StdinKind(int) string { return stdinFileType() }
