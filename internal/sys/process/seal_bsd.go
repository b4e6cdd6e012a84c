//go:build unix && !linux

package process

// closeAllOnExec marks every descriptor except the standard ones as close-on-exec, so that programs do
// not inherit descriptors that the caller of this process left open.
func closeAllOnExec() { closeEachOnExec("/dev/fd") }
