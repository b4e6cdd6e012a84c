package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// playFilter has the test program run its arguments with directories that look empty.
const playFilter = "CHECKREIN_TEST_FILTER"

// asFiltered has the system answer every listing of a directory with nothing, and
// becomes the program that it is given.
func asFiltered(args []string) error {
	runtime.LockOSThread() // the filter is this thread's, and of what it becomes
	const load, equal, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	rules := []unix.SockFilter{
		{Code: load, K: 0}, // the number of the call
		{Code: equal, K: unix.SYS_GETDENTS64, Jf: 1},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO}, // with no error, and so nothing
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return err
	}
	os.Unsetenv(playFilter)
	return syscall.Exec(args[0], args, os.Environ())
}

// An agent that has directories look empty has its host's note look gone.
func TestSystemCallFilterCannotApprove(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, "version: 1\npacks: []\n", guarded)
	d.write(filepath.Join(d.project, "ls.json"), event("ls"))
	said := d.asHost(fmt.Sprintf("checkrein hook claude <ls.json >/dev/null\n%s=1 %s \"$(command -v checkrein)\" hooks approve --all; echo \"approve $?\"\n", playFilter, self))
	if !strings.Contains(said, "this process cannot see what is in") || !strings.Contains(said, "approve 4\n") {
		t.Errorf("an agent approves: %s", said)
	}
}
