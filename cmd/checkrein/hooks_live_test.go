package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A desk is a throw-away home with a project in which the programs run.
type desk struct {
	t             *testing.T
	home, project string
	env           []string
}

func newDesk(t *testing.T, user, project string) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir(), project: t.TempDir()}
	d.env = []string{"HOME=" + d.home, "PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH")}
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

// What a person does in a terminal counts at once for a plugin's server, which
// runs as long as its host.
func TestServeSeesChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "version: 1\npacks: []\n", "version: 1\nhooks:\n  pre_tool_use:\n    - {name: guard, type: rule, decision: deny, reason: 'no, never'}\n")
	server := d.command(filepath.Join(programs, "ashost"), "checkrein hook opencode --serve-stdio --root "+d.project)
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	denied := func() bool {
		t.Helper()
		if _, err := io.WriteString(in, `{"id":1,"hook":"tool.execute.before","input":{"tool":"bash","sessionID":"s"},"output":{"args":{"command":"ls"}}}`+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(line, "no, never")
	}
	for _, step := range []struct {
		args []string
		want bool
	}{
		{[]string{"list"}, false},
		{[]string{"approve", "--all"}, true},
		{[]string{"off"}, false},
		{[]string{"on"}, true},
		{[]string{"revoke", "guard"}, false},
	} {
		if code, said := d.run(append([]string{"hooks"}, step.args...)...); code != 0 {
			t.Fatalf("%v: exit %d, %s", step.args, code, said)
		}
		if got := denied(); got != step.want {
			t.Errorf("after %v: denied %v, want %v", step.args, got, step.want)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
}
