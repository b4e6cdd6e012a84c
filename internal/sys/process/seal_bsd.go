//go:build unix && !linux

package process

// closeAllOnExec marks every descriptor but the standard ones as closed on exec, so that programs do
// not inherit what the caller of this process left open.
func closeAllOnExec() { closeEachOnExec("/dev/fd") }
