package ledger

import (
	"strings"
	"syscall"
	"unsafe"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// clockBoottime is CLOCK_BOOTTIME, which continues while the machine is suspended.
const clockBoottime = 7

// readMachineClock returns the time of a clock that cannot be set, and the id of the boot that it
// counts from.
func readMachineClock() (string, int64) {
	id, _ := state.ReadRegular("/proc/sys/kernel/random/boot_id", 64) // "" = unknown
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return "", 0
	}
	boot := strings.ReplaceAll(strings.TrimSpace(string(id)), "-", "")
	if space := timeNamespace(); space != "" {
		boot += "." + space
	}
	return boot, ts.Nano()
}

// initialTimeNS is the initial time namespace.
const initialTimeNS = "4026531834"

// timeNamespace returns the time namespace, whose clock may differ, or "" for the initial one.
func timeNamespace() string {
	var room [32]byte
	n, err := syscall.Readlink("/proc/self/ns/time", room[:])
	if err != nil {
		return ""
	}
	space := strings.TrimSuffix(strings.TrimPrefix(string(room[:n]), "time:["), "]")
	if space == initialTimeNS {
		return ""
	}
	return space
}
