//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C ends the hook that runs, starts no other and leaves nothing behind.
func TestDoctorInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "home", ".config", "checkrein")
	tmp := filepath.Join(dir, "tmp")
	for _, d := range []string{config, tmp} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	fifo := filepath.Join(dir, "up")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	text := "version: 1\nhooks:\n  pre_tool_use:\n    - {name: a, command: 'echo $$ > " + fifo + "; exec sleep 60'}\n    - {name: b, command: touch " + dir + "/b}\n"
	if err := os.WriteFile(filepath.Join(config, "checkrein.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "checkreind"), "hooks", "doctor")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + tmp}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = os.ReadFile(fifo) // until the hook is up
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(out.String(), "doctor: interrupted") {
		t.Errorf("%v: %s", err, out.String())
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "b")); err == nil {
		t.Error("it went on")
	}
}
