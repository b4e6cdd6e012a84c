package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Who discards the output of eval and goes by its exit code gets that, also where the null
// device is open for reading and writing, as Python and Node open it.
func TestDiscardedOutput(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	home := t.TempDir()
	for command, want := range map[string]int{"ls": 0, "git push --force origin main": 1} {
		cmd := exec.Command(filepath.Join(programs, "checkrein"), "eval", "--exit-code")
		cmd.Stdin, cmd.Stdout = strings.NewReader(event(command)), null
		cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, home
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != want {
			t.Errorf("%s: %v, want exit code %d: %s", command, err, want, said.String())
		}
	}
}
