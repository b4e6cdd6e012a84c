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

// waitForExit waits until a process is gone: the kernel may take a moment.
func waitForExit(t *testing.T, pidFile string) {
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
			return // a zombie, which its parent must reap
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// A command that takes too long is ended with all its child processes.
func TestShellTimeout(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	out, err := callTool(t, at, "shell", "shell", `{"cmd":"echo begun; (sleep 1000 & echo $! >pid; wait) & wait","timeout":1}`)
	if err == nil || !strings.Contains(err.Error(), "stopped after 1s") || out != "begun\n" {
		t.Errorf("%q, %v", out, err)
	}
	waitForExit(t, filepath.Join(at.Dir, "pid"))
}

func TestShellCanceled(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
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
	waitForExit(t, filepath.Join(at.Dir, "pid"))
}

// Reading a pipe without a writer does not block.
func TestPipesAreNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip("SKIPPED: no named pipes here: ", err)
	}
	at := Place{Dir: dir}
	if _, err := readFile(t.Context(), at, pathArgs{"pipe"}); err == nil {
		t.Error("a pipe was read")
	}
	if out, err := searchFiles(t.Context(), at, searchArgs{Query: "x"}); err != nil || out != "nothing found" {
		t.Errorf("%q, %v", out, err)
	}
}

// A command has no terminal: it could answer the person's questions there.
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
