//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// killGroupHolders kills the group, since this platform does not easily tell
// which of its members have a pipe open.
func (f *family) killGroupHolders(...*os.File) { f.signalGroup(syscall.SIGKILL) }

// killHolders does nothing, for the same reason: outside of the family that is
// already dead, anybody could be meant.
func (f *family) killHolders(...*os.File) {}

// adopt does nothing, for the same reason.
func (f *family) adopt(...*os.File) {}

// startBound is not needed where no holders are looked for.
func startBound(time.Time) uint64 { return 0 }
