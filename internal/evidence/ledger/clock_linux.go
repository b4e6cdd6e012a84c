package ledger

import (
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// clockBoottime is CLOCK_BOOTTIME, which continues while the machine is suspended.
const clockBoottime = 7

// readMachineClock returns the id of the machine's boot and the nanoseconds since then, by a clock
// that cannot be set. The id is "" if it is unknown.
func readMachineClock() (bootID string, nanoseconds int64) {
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return "", 0
	}
	return readBootID(), ts.Nano()
}

// boot is the id that readBootID returns.
var boot struct {
	once sync.Once // not an OnceValue, which works at the start of each program
	id   string
}

// readBootID returns the id of the machine's boot. In a time namespace of its own, it includes that
// namespace. Neither changes while a process runs.
func readBootID() string {
	boot.once.Do(func() { boot.id = findBootID() })
	return boot.id
}

func findBootID() string {
	id, _ := state.ReadRegular("/proc/sys/kernel/random/boot_id", 64) // "" = unknown
	out := strings.ReplaceAll(strings.TrimSpace(string(id)), "-", "")
	if space := timeNamespace(); space != "" {
		out += "." + space
	}
	return out
}

// initialTimeNS is the initial time namespace.
const initialTimeNS = "4026531834"

// timeNamespace returns the id of the process's time namespace, whose clock may differ. It returns ""
// for the initial namespace or if it is unknown.
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
