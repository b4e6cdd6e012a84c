package ledger

import (
	"strings"
	"syscall"
	"unsafe"

	"github.com/checkrein/checkrein/internal/sys/state"
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
	boot := strings.ReplaceAll(strings.TrimSpace(string(id)), "-", "")
	if space := timeSpace(); space != "" {
		boot += "." + space
	}
	return boot, ts.Nano()
}

// initialSpace is the time namespace of a machine that has no other.
const initialSpace = "4026531834"

// timeSpace names the time namespace, whose clock may be another; "" = the first.
func timeSpace() string {
	var room [32]byte
	n, err := syscall.Readlink("/proc/self/ns/time", room[:])
	if err != nil {
		return ""
	}
	space := strings.TrimSuffix(strings.TrimPrefix(string(room[:n]), "time:["), "]")
	if space == initialSpace {
		return ""
	}
	return space
}
