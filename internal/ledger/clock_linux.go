package ledger

import (
	"strings"
	"syscall"
	"unsafe"

	"github.com/checkrein/checkrein/internal/state"
)

// clockBoottime goes on while the machine sleeps.
const clockBoottime = 7

// machineClock reads the clock that nobody can set, and which start of the
// machine it counts from.
func machineClock() (string, int64) {
	id, _ := state.ReadRegular("/proc/sys/kernel/random/boot_id", 64) // "" = unknown
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return "", 0
	}
	return strings.ReplaceAll(strings.TrimSpace(string(id)), "-", ""), ts.Nano()
}
