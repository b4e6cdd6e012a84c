package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A service is a program that called hooks so many times, and then gives a person a
// shell in its terminal.
func service(t *testing.T, d *desk, program string, calls int, shell string) *terminal {
	t.Helper()
	d.env = append(d.env, "TMUX_TMPDIR="+newShortDir(t), "SHELL=/bin/bash", "TERM=xterm", "PS1=$ ", "HISTFILE=")
	d.write(filepath.Join(d.project, "event.json"), event("ls"))
	hooks := strings.Repeat(`system("checkrein hook claude <event.json >/dev/null"); `, calls)
	x := startInTerminal(t, d.command(program, "BEGIN { "+hooks+`system("`+shell+`; true") }`))
	t.Cleanup(func() { _ = d.command("tmux", "kill-server").Run() })
	if shell != waiting {
		x.expect("\x1b[?2004h") // the shell's prompt takes keys
	}
	return x
}

// renamedAwk returns the path of a copy of awk under another name.
func renamedAwk(t *testing.T, name string) string {
	t.Helper()
	awk, err := exec.LookPath("awk")
	if err != nil {
		t.Skip("SKIPPED: there is no awk")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(awk, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// noteFiles returns the notes of hosts of a desk.
func (d *desk) noteFiles() []string {
	found, _ := filepath.Glob(filepath.Join(d.home, ".local", "state", "checkrein", "hosts", "*[0-9]"))
	return found
}

// onlyNote returns the only note of a desk's hosts, and the process that it is about.
func (d *desk) onlyNote() (path, pid string) {
	d.t.Helper()
	notes := d.noteFiles()
	if len(notes) != 1 {
		d.t.Fatalf("notes %s", notes)
	}
	pid, _, _ = strings.Cut(filepath.Base(notes[0]), "-")
	return notes[0], pid
}

// age makes a file look as old as that.
func (d *desk) age(path string, by time.Duration) {
	d.t.Helper()
	was := time.Now().Add(-by)
	if err := os.Chtimes(path, was, was); err != nil {
		d.t.Fatal(err)
	}
}

const (
	plainShell = typing
	waiting    = "sleep 60"
	inTmux     = "tmux -f /dev/null new-session -s mine '" + typing + "'"
)

// A program that tried a hook once is no agent: a person below it decides.
func TestHookOnceMakesNoAgent(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "tmux")
	skipBelowTerminal(t)
	for name, shell := range map[string]string{"in a shell": plainShell, "in tmux": inTmux} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\n", "version: 1\n")
			x := service(t, d, "awk", 1, shell)
			x.typeKeys("checkrein pause 5m; echo code=$?\n")
			x.expect("Pause the guard?")
			x.typeKeys("n\n")
			x.expect("code=4")
			if n := d.noteFiles(); len(n) > 0 {
				t.Errorf("one event left %s", n)
			}
		})
	}
}

// A program that called hooks twice may be an agent. The refusal names it and the way
// out, which opens when it has called none for a while.
func TestForgetAProcessThatIsNoAgent(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "tmux")
	skipBelowTerminal(t)
	for name, tt := range map[string]struct{ shell, why string }{
		"in a shell": {plainShell, "an agent is running this command: claude (process "},
		"in tmux":    {inTmux, "an agent runs this terminal: claude (process "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\n", "version: 1\n")
			x := service(t, d, "awk", 2, tt.shell)
			x.typeKeys("checkrein pause 5m 2>said; echo code=$?\n")
			x.expect("code=4")
			note, pid := d.onlyNote()
			said, _ := os.ReadFile(filepath.Join(d.project, "said"))
			if s := string(said); !strings.Contains(s, tt.why+pid) || !strings.Contains(s, "checkrein person forget "+pid) || strings.Contains(s, "not attached") {
				t.Errorf("%s", s)
			}
			x.typeKeys("checkrein person forget " + pid + " 2>said; echo second=$?\n")
			x.expect("second=4")
			if said, _ := os.ReadFile(filepath.Join(d.project, "said")); !strings.Contains(string(said), "in the last minute") {
				t.Errorf("at once: %s", said)
			}
			d.age(note, 2*time.Minute)
			x.typeKeys("checkrein person forget " + pid + "\n")
			x.expect("Stop counting it as an agent?")
			x.typeKeys("y\n")
			x.expect("no longer counts as an agent")
			x.typeKeys("checkrein pause 5m; echo third=$?\n")
			x.expect("Pause the guard?")
			x.typeKeys("n\n")
			x.expect("third=4")
		})
	}
}

// A process cannot have itself forgotten by removing or changing its note.
func TestForgetWithoutANote(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "tmux")
	skipBelowTerminal(t)
	for name, tamper := range map[string]func(note string) error{
		"removed": os.Remove,
		"changed": func(note string) error { return os.WriteFile(note, []byte("{}"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "version: 1\n", "version: 1\n")
			x := service(t, d, "awk", 2, plainShell)
			x.typeKeys("checkrein pause 5m 2>said; echo code=$?\n")
			x.expect("code=4")
			note, pid := d.onlyNote()
			if err := tamper(note); err != nil {
				t.Fatal(err)
			}
			if name == "changed" {
				d.age(note, time.Hour)
			}
			x.typeKeys("checkrein person forget " + pid + " 2>said; echo second=$?\n")
			x.expect("second=4")
			if said, _ := os.ReadFile(filepath.Join(d.project, "said")); !strings.Contains(string(said), "is not as checkrein left it") {
				t.Errorf("%s", said)
			}
		})
	}
}

// What is called like an agent is one with its first event, and stays one.
func TestForgetRefusesAgentName(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "tmux")
	skipBelowTerminal(t)
	d := newDesk(t, "version: 1\n", "version: 1\n")
	x := service(t, d, renamedAwk(t, "claude"), 1, plainShell)
	x.typeKeys("checkrein pause 5m 2>said; echo code=$?\n")
	x.expect("code=4")
	note, pid := d.onlyNote()
	d.age(note, time.Hour)
	if said, _ := os.ReadFile(filepath.Join(d.project, "said")); strings.Contains(string(said), "person forget") {
		t.Errorf("the way out is offered: %s", said)
	}
	x.typeKeys("checkrein person forget " + pid + " 2>said; echo second=$?\n")
	x.expect("second=4")
	if said, _ := os.ReadFile(filepath.Join(d.project, "said")); !strings.Contains(string(said), "process "+pid+" is claude") {
		t.Errorf("%s", said)
	}
	x.typeKeys("checkrein person forget 99999999; echo third=$?\n")
	x.expect("third=4")
}

// An agent does not have the note of another process dropped either.
func TestAgentCannotForget(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "tmux")
	d := newDesk(t, "version: 1\n", "version: 1\n")
	service(t, d, "awk", 2, waiting)
	deadline := time.Now().Add(20 * time.Second)
	for len(d.noteFiles()) == 0 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	note, pid := d.onlyNote()
	d.age(note, time.Hour)
	y := service(t, d, renamedAwk(t, "claude"), 1, plainShell)
	y.typeKeys("checkrein person forget " + pid + " 2>said; echo code=$?\n")
	y.expect("code=4")
	if said, _ := os.ReadFile(filepath.Join(d.project, "said")); !strings.Contains(string(said), "an agent is running this command: claude") {
		t.Errorf("%s", said)
	}
}
