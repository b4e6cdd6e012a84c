//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// killGroupHolders kills the group, since this platform has no easy way to find the members that have
// a pipe open.
func (f *family) killGroupHolders(...*os.File) { f.signalGroup(syscall.SIGKILL) }

// killHolders does nothing, for the same reason: with the family already dead, any process could be
// the holder.
func (f *family) killHolders(...*os.File) {}

// addHolders does nothing, for the same reason.
func (f *family) addHolders(...*os.File) {}

// startBound returns 0: no holders are searched on this platform.
func startBound(time.Time) uint64 { return 0 }
