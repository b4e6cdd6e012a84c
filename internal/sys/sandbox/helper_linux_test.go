//go:build amd64 || arm64 || riscv64 || loong64

package sandbox

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// TestMain lets this program act as the trampoline, as a program in a sandbox, and as a program on a
// kernel that lacks a feature.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case CommandName:
			fmt.Fprintln(os.Stderr, "checkrein:", RunTrampoline(os.Args[2:], os.Environ()))
			os.Exit(RefusedExitCode)
		case "_try":
			if err := tryOperation(os.Args[2:]); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println("done")
			os.Exit(0)
		case "_without":
			fmt.Println(execWithout(os.Args[2], os.Args[3:]))
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// tryOperation performs the operation words, as a program in a sandbox might, and returns its error.
func tryOperation(words []string) error {
	switch words[0] {
	case "dial":
		conn, err := net.Dial(words[1], words[2])
		if err == nil {
			_, err = conn.Write([]byte("x"))
		}
		return err
	case "pair":
		kind := map[string]int{"stream": syscall.SOCK_STREAM, "packets": syscall.SOCK_SEQPACKET, "datagrams": syscall.SOCK_DGRAM, "raw": syscall.SOCK_RAW}[words[1]]
		_, err := syscall.Socketpair(syscall.AF_UNIX, kind|syscall.SOCK_CLOEXEC, 0)
		return err
	case "ring":
		var params [120]byte
		if _, _, errno := syscall.Syscall(sysURing, 1, uintptr(unsafe.Pointer(&params)), 0); errno != 0 {
			return errno
		}
		return nil
	case "truncate":
		return os.Truncate(words[1], 0)
	case "link":
		return os.Link(words[1], words[2])
	case "rename":
		return os.Rename(words[1], words[2])
	case "mount":
		return syscall.Mount("none", words[1], "tmpfs", 0, "")
	case "reboot":
		return syscall.Reboot(syscall.LINUX_REBOOT_CMD_CAD_OFF) // only disables Ctrl-Alt-Del
	}
	return fmt.Errorf("unknown: %q", words)
}

// execWithout executes argv with a filter that makes the kernel seem to lack what.
func execWithout(what string, argv []string) error {
	runtime.LockOSThread()
	answer := func(errno syscall.Errno) uint32 { return 0x00050000 | uint32(errno) }
	program := []syscall.SockFilter{
		{Code: bpfLoad, K: atNumber},
		{Code: bpfEqual, K: sysCreateRuleset, Jf: 1},
		{Code: bpfReturn, K: answer(syscall.ENOSYS)},
		{Code: bpfReturn, K: actAllow},
	}
	if what == "seccomp" {
		program = []syscall.SockFilter{
			{Code: bpfLoad, K: atNumber},
			{Code: bpfEqual, K: syscall.SYS_PRCTL, Jf: 3},
			{Code: bpfLoad, K: atFirst},
			{Code: bpfEqual, K: prSetSeccomp, Jf: 1},
			{Code: bpfReturn, K: answer(syscall.EINVAL)},
			{Code: bpfReturn, K: actAllow},
		}
	}
	if err := prctl(prSetNoNewPriv, 1); err != nil {
		return err
	}
	prog := syscall.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetSeccomp, modeFilter, uintptr(unsafe.Pointer(&prog)), 0, 0, 0); errno != 0 {
		return errno
	}
	return syscall.Exec(argv[0], argv, os.Environ())
}

// skipWithoutSandbox skips the test, with a message, if the kernel does not support the jail j.
func skipWithoutSandbox(t *testing.T, j Jail) {
	t.Helper()
	if _, said, err := runInJail(t, j, "/bin/true"); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS PROVEN: this machine cannot have sandboxes: %s", said)
	}
}

// testProgram returns the path of this program.
func testProgram(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runInJail runs argv in the jail j.
func runInJail(t *testing.T, j Jail, argv ...string) (stdout, stderr string, err error) {
	t.Helper()
	words, err := TrampolineArgv(testProgram(t), j, argv)
	if err != nil {
		t.Fatal(err)
	}
	return runPlain(words...)
}

func runPlain(argv ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return strings.TrimSpace(out.String()), strings.TrimSpace(errs.String()), err
}

// A testProject is a project, and a secret outside of it.
type testProject struct{ root, secret string }

func newTestProject(t *testing.T) testProject {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := testProject{filepath.Join(dir, "project"), filepath.Join(dir, "home", ".ssh")}
	for _, d := range []string{p.root + "/build/a", p.root + "/build/b", p.root + "/src", p.secret} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.write(t, p.secret+"/key", "hidden\n")
	p.write(t, p.root+"/src/code", "source\n")
	p.write(t, p.root+"/build/a/file", "built\n")
	p.write(t, p.root+"/src/tool.sh", "#!/bin/sh\necho ran\n")
	if err := os.Symlink(p.secret, p.root+"/build/link"); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p testProject) write(t *testing.T, path, text string) {
	t.Helper()
	if err := built.WriteScript(path, text); err != nil {
		t.Fatal(err)
	}
}

func (p testProject) jail() Jail {
	return Jail{Read: []string{p.root + "/src"}, Write: []string{p.root + "/build"}}
}
