//go:build unix && !linux

package process

// StdinKind returns the kind of file that standard input is; see stdinFileType.
func StdinKind(int) string { return stdinFileType() }
