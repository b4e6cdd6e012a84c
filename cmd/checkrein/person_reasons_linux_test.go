package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// leaveBehind starts a shell line that is left behind by a host, and runs it once that has ended.
func (h *agentHost) leaveBehind(line string) {
	h.t.Helper()
	if err := syscall.Mkfifo(filepath.Join(h.project, "go"), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.write(filepath.Join(h.project, "line.sh"), "read x <go\n"+line+"\n")
	h.does("env -i HOME=$HOME PATH=$PATH HISTFILE= setsid -f sh line.sh >/dev/null 2>&1 </dev/null")
	if err := h.in.(io.Closer).Close(); err != nil {
		h.t.Fatal(err)
	}
	if _, err := io.ReadAll(h.out); err != nil { // to its end
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.project, "go"), []byte("x\n"), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// A refusal gives the true reason: whether there is a terminal, and which process opened it.
func TestRefusalNamesItsCause(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "script", "setsid", "python3")
	skipBelowTerminal(t)
	const bare = "checkrein confirm 2>err; echo $? >left"
	const inScript = feed + "script -qc '" + typing + "' /dev/null"
	for name, tt := range map[string]struct {
		line  string
		ended bool
		want  string
	}{
		"no terminal below the agent":     {line: bare + " &", want: "an agent is running this command: claude"},
		"no terminal beside the agent":    {line: "python3 none.py", want: "there is no terminal here"},
		"no terminal after the agent":     {line: bare, ended: true, want: "there is no terminal here"},
		"script beside the agent":         {line: feed + "setsid -f script -qc '" + typing + "' /dev/null >/dev/null 2>&1", want: "script (process "},
		"script after the agent":          {line: inScript, ended: true, want: "script (process "},
		"another program after the agent": {line: "python3 play.py " + typing, ended: true, want: "python3"},
		"a detached tmux after the agent": {line: "tmux -f /dev/null new-session -d -s A '" + typing + "'; tmux send-keys -t A '" + bare + "' Enter", ended: true, want: "is not attached to any user's terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAgentHost(t)
			t.Cleanup(func() { _ = h.command("tmux", "kill-server").Run() })
			h.write(filepath.Join(h.project, "play.py"), python)
			h.write(filepath.Join(h.project, "none.py"), strings.Replace(python, "pid, fd = pty.fork()", `os.system("`+bare+`"); sys.exit()`, 1))
			if tt.ended {
				h.leaveBehind("export TMUX_TMPDIR='" + newShortDir(t) + "' TERM=xterm\n" + tt.line)
			} else {
				h.sendLine(tt.line)
			}
			got := h.waitForCommand()
			h.endKeyFeed()
			if !strings.HasPrefix(got, "4 ") || !strings.Contains(got, tt.want) {
				t.Errorf("%s", got)
			}
			if said := strings.Contains(got, "opened this terminal"); said != (strings.Contains(name, "script") || strings.Contains(name, "another")) {
				t.Errorf("names what opened the terminal: %t in %s", said, got)
			}
			hosts := filepath.Join(h.home, ".local", "state", "checkrein", "hosts")
			if tt.ended != (strings.Contains(got, "which has ended") && strings.Contains(got, hosts)) || tt.ended == strings.Contains(got, "is running") {
				t.Errorf("ended %t, but %s", tt.ended, got)
			}
		})
	}
}

// The note of a program that has ended and was no agent can be dropped in a person's own
// terminal, and what was refused elsewhere because of it is possible then.
func TestForgetAProcessThatEnded(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "awk", "python3", "setsid")
	skipBelowTerminal(t)
	d := newDesk(t, "version: 1\n", "version: 1\n")
	t.Cleanup(func() { endAllIn(d.project) })
	d.env = append(d.env, "HISTFILE=")
	d.write(filepath.Join(d.project, "event.json"), event("ls"))
	hook := `system("checkrein hook claude <event.json >/dev/null"); `
	if out, err := d.command("awk", "BEGIN { "+hook+hook+"}").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, pid := d.onlyNote()
	if err := syscall.Mkfifo(filepath.Join(d.project, "left"), 0o600); err != nil {
		t.Fatal(err)
	}
	// What is typed before the question does not count as its answer.
	d.write(filepath.Join(d.project, "play.py"), strings.Replace(python, "if not os.read(fd, 4096): break",
		"got = os.read(fd, 4096)\n        if not got: break\n        if b'[y/N]' in got: os.write(fd, b'y\\n')", 1))
	d.write(filepath.Join(d.project, "keys"), "checkrein pause 5m 2>err; echo $? >left\nexit\n")
	pause := func() (code, said string) {
		if err := d.command("python3", "play.py", "bash", "--norc", "-i").Run(); err != nil {
			t.Fatal(err)
		}
		left, _ := os.ReadFile(filepath.Join(d.project, "left"))
		errs, _ := os.ReadFile(filepath.Join(d.project, "err"))
		return string(left), string(errs)
	}
	if code, said := pause(); code != "4\n" || !strings.Contains(said, "was not an agent, run checkrein person forget "+pid) {
		t.Errorf("before: %s %s", code, said)
	}
	x := startInTerminal(t, d.command("bash", "--norc", "-i"))
	x.typeKeys("checkrein person forget " + pid + "\n")
	x.expect("Stop counting it as an agent?")
	x.typeKeys("y\n")
	x.expect("no longer counts as an agent")
	if code, said := pause(); code != "0\n" {
		t.Errorf("after: %s %s", code, said)
	}
}
