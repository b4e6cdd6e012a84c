//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// killGroupHolders kills the whole group, because this platform has no easy way to find the members
// that have a pipe open.
func (f *family) killGroupHolders(...*os.File) { f.signalGroup(syscall.SIGKILL) }

// killHolders does nothing, because this platform cannot find the processes that have a pipe open.
func (f *family) killHolders(...*os.File) {}

// addHolders does nothing, because this platform cannot find the processes that have a pipe open.
func (f *family) addHolders(...*os.File) {}

// startBound returns 0, because no holders are searched for on this platform.
func startBound(time.Time) uint64 { return 0 }
