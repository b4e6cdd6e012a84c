package person

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// A program in a place where an agent can put it does not count as a terminal, whatever its name and
// time.
func TestInstalled(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	if sleep, err = filepath.EvalSymlinks(sleep); err != nil {
		t.Fatal(err)
	}
	host := startProgram(t, sleep)
	fake := filepath.Join(t.TempDir(), "kitty")
	if out, err := exec.Command("cp", "-p", sleep, fake).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	long := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(fake, long, long); err != nil {
		t.Fatal(err)
	}
	genuine := func(pid int) bool {
		c := Situation{Hosts: []liveagents.Host{{ID: idOf(t, host), Name: "claude"}}}
		up, _, err := process.Lineage(pid)
		if err != nil || len(up) == 0 {
			t.Fatal(err)
		}
		return c.isGenuine(&up[0])
	}
	copied := startProgram(t, fake)
	if genuine(copied) || isInstalled(copied, true) || isInstalled(copied, false) {
		t.Error("a copy under a terminal's name passes for one")
	}
	if real := startProgram(t, sleep); !genuine(real) || !isInstalled(real, true) {
		t.Error("a program of the system does not pass")
	}
	if err := os.Remove(fake); err != nil {
		t.Fatal(err)
	}
	if isInstalled(copied, false) || isInstalled(copied, true) {
		t.Error("a program that was deleted passes")
	}
	if err := os.Symlink(sleep, fake); err != nil {
		t.Fatal(err)
	}
	if isInstalled(copied, false) {
		t.Error("a program in whose place another lies passes")
	}
}

// startProgram runs program until the test ends, and returns its pid.
func startProgram(t *testing.T, program string) int {
	t.Helper()
	cmd := exec.Command(program, "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func idOf(t *testing.T, pid int) process.ID {
	t.Helper()
	up, _, err := process.Lineage(pid)
	if err != nil || len(up) == 0 {
		t.Fatal(err)
	}
	return up[0].ID
}
