package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A desk is a throw-away home with a project in which the programs run.
type desk struct {
	t             *testing.T
	home, project string
	env           []string
}

func newDesk(t *testing.T, user, project string) *desk {
	t.Helper()
	d := &desk{t: t, home: built.TempDir(t), project: t.TempDir()}
	d.env = []string{"NO_COLOR=1", "HOME=" + d.home, "PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH")}
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), user)
	d.write(filepath.Join(d.project, "checkrein.yaml"), project)
	return d
}

func (d *desk) write(path, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = d.project, d.env
	return cmd
}

// run runs checkrein and returns its exit code and what it printed.
func (d *desk) run(args ...string) (int, string) {
	d.t.Helper()
	cmd := d.command(filepath.Join(programs, "checkrein"), args...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		d.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
