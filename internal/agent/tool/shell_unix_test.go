//go:build unix

package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gone waits until a process is no more: the kernel takes its time.
func gone(t *testing.T, pidFile string) {
	t.Helper()
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
		if state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(state), ") Z ") {
			return // nobody has asked for its exit code, which is not ours to do
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// A command that takes too long is ended with everything that it started.
func TestShellTimeout(t *testing.T) {
	t.Parallel()
	at := here(t)
	out, err := call(t, at, "shell", "shell", `{"cmd":"echo begun; (sleep 1000 & echo $! >pid; wait) & wait","timeout":1}`)
	if err == nil || !strings.Contains(err.Error(), "stopped after 1s") || out != "begun\n" {
		t.Errorf("%q, %v", out, err)
	}
	gone(t, filepath.Join(at.Dir, "pid"))
}

func TestShellCanceled(t *testing.T) {
	t.Parallel()
	at := here(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if raw, err := os.ReadFile(filepath.Join(at.Dir, "pid")); err == nil && len(raw) > 0 && raw[len(raw)-1] == '\n' {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := runShell(ctx, at, json.RawMessage(`{"cmd":"sleep 1000 & echo $! >pid; wait"}`)); err == nil {
		t.Error("it went on")
	}
	gone(t, filepath.Join(at.Dir, "pid"))
}

// A pipe that nobody writes to keeps no agent waiting.
func TestPipesAreNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip("SKIPPED: no named pipes here: ", err)
	}
	at := Place{Dir: dir}
	if _, err := readFile(t.Context(), at, onPath{"pipe"}); err == nil {
		t.Error("a pipe was read")
	}
	if out, err := search(t.Context(), at, searching{Query: "x"}); err != nil || out != "nothing found" {
		t.Errorf("%q, %v", out, err)
	}
}

// A command has no terminal: it could answer there for the person.
func TestShellHasNoTerminal(t *testing.T) {
	t.Parallel()
	out, err := runShell(t.Context(), Place{Dir: t.TempDir(), Environ: os.Environ()}, json.RawMessage(`{"cmd":"echo $$; ps -o sid= -p $$; if (: </dev/tty) 2>/dev/null; then echo a terminal; fi"}`))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(out)
	if len(got) != 2 || got[0] != got[1] {
		t.Errorf("the session of process and leader: %q", out)
	}
}
