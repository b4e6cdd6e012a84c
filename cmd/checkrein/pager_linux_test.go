package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// At a terminal the user's pager shows what read-only commands print. The exit code stays
// the command's, and commands that prompt have no pager.
func TestPager(t *testing.T) {
	t.Parallel()
	d := guardedDesk(t)
	_, _, handle := d.askHook(overwrite, "s1", "c1")
	broken := newDesk(t, "version: 1\nhooks: {stop: [{name: x, type: nonsense}]}\n", "version: 1\n")
	const marks = "PAGER=sed s/^/PAGED:/"
	for _, tt := range []struct {
		name  string
		d     *desk
		env   string
		args  []string
		paged bool
		code  int
	}{
		{"explain", d, marks, []string{"explain"}, true, 0},
		{"audit query", d, marks, []string{"audit", "query"}, true, 0},
		{"hooks", d, marks, []string{"hooks"}, true, 0},
		{"docs", d, marks, []string{"docs"}, true, 0},
		{"the code of the command", broken, marks, []string{"doctor"}, true, 1},
		{"JSON", d, marks, []string{"explain", "--json"}, false, 0},
		{"--no-pager", d, marks, []string{"explain", "--no-pager"}, false, 0},
		{"cat", d, "PAGER=cat", []string{"explain"}, false, 0},
		{"empty", d, "PAGER=", []string{"explain"}, false, 0},
		{"no such program", d, "PAGER=no-such-pager", []string{"explain"}, false, 0},
		{"a pager that fails", d, "PAGER=sed s/^/PAGED:/; exit 3", []string{"explain"}, true, 0},
		{"a command that writes", d, marks, []string{"pause", "off"}, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := tt.d.command("sh", append([]string{"-c", `checkrein "$@"; code=$?; echo THE END; exit $code`, "sh"}, tt.args...)...)
			cmd.Env = slices.Concat(cmd.Env, []string{"TERM=xterm", tt.env})
			x := startInTerminal(t, cmd)
			x.expect("THE END")
			code := x.waitForExit()
			if got := x.text.String(); code != tt.code || strings.Contains(got, "PAGED:") != tt.paged || len(got) < 10 {
				t.Errorf("exit %d, want %d; want paged %v:\n%s", code, tt.code, tt.paged, got)
			}
		})
	}
	t.Run("a question", func(t *testing.T) {
		cmd := d.command(filepath.Join(programs, "checkrein"), "allow", handle)
		cmd.Env = slices.Concat(cmd.Env, []string{"TERM=xterm", marks})
		x := startInTerminal(t, cmd)
		x.expect("Allow it? [y/N] ")
		x.typeKeys("n\n")
		if code := x.waitForExit(); code != 4 || strings.Contains(x.text.String(), "PAGED:") {
			t.Errorf("exit %d:\n%s", code, x.text.String())
		}
	})
	t.Run("a pipe", func(t *testing.T) {
		cmd := d.command(filepath.Join(programs, "checkrein"), "explain")
		cmd.Env = slices.Concat(cmd.Env, []string{"TERM=xterm", marks})
		if out, err := cmd.Output(); err != nil || strings.Contains(string(out), "PAGED:") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// Without $PAGER, less shows what has no room; neither Ctrl-C nor q changes the exit code.
func TestPagerLess(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("less"); err != nil {
		t.Skip("SKIPPED: less is not installed, so it was not run")
	}
	d := newDesk(t, "version: 1\nhooks: {stop: [{name: x, type: nonsense}]}\n", "version: 1\n")
	for args, want := range map[string]int{"docs approvals": 0, "doctor": 1} {
		cmd := d.command("sh", "-c", "stty rows 3 cols 80; exec checkrein "+args)
		cmd.Env = slices.Concat(cmd.Env, []string{"TERM=xterm"})
		x := startInTerminal(t, cmd)
		x.expect(":\x1b[K") // the prompt of less
		x.typeKeys("\x03")
		if code := x.pressQuit(); code != want {
			t.Errorf("%s: exit %d, want %d:\n%s", args, code, want, x.text.String())
		}
	}
}

// pressQuit presses q until the program ends: a terminal discards keys typed before a Ctrl-C that is
// not handled yet.
func (x *terminal) pressQuit() int {
	ended := make(chan int)
	go func() { ended <- x.waitForExit() }()
	for {
		_, _ = x.keys.WriteString("q") // fails once the program is gone
		select {
		case code := <-ended:
			return code
		case <-time.After(50 * time.Millisecond):
		}
	}
}
