//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// killGroupHolders kills the group, since this platform does not easily tell
// which of its members have a pipe open.
func killGroupHolders(leader int, _ ...*os.File) {
	_ = syscall.Kill(-leader, syscall.SIGKILL)
}

// killHolders does nothing, for the same reason: outside of the family that is
// already dead, anybody could be meant.
func (f *family) killHolders(...*os.File) {}
