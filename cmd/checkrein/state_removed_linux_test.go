package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// removals are ways in which code that an agent left running removes the state directory,
// so that no note of the agent is left, and gives a person's command.
var removals = []struct {
	name, needs, code string
	ends              bool // the agent ends before
}{
	{"off", "", "rm -rf $STATE; checkrein hooks off </dev/null", false},
	{"off beside the records of installations", "", "find $STATE -mindepth 1 -maxdepth 1 ! -name install -exec rm -rf {} +; checkrein hooks off </dev/null", false},
	{"approve", "python3", "rm -rf $STATE; python3 -c 'import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.system(\"checkrein hooks approve --all </dev/null >>chain.out 2>&1; touch done\")'", false},
	{"pause", "python3", "rm -rf $STATE; python3 sits.py", false},
	{"install, then off", "", "rm -rf $STATE; checkrein install claude --program $(command -v checkrein); checkrein hooks off </dev/null", false},
	{"off after the agent ended", "", "rm -rf $STATE; checkrein hooks off </dev/null", true},
	{"approve after the agent ended", "", "rm -rf $STATE; checkrein install claude --program $(command -v checkrein); checkrein hooks approve --all </dev/null", true},
}

const pausesInTerminal = `import os, pty
pid, fd = pty.fork()
if pid == 0: os.execvp("checkrein", ["checkrein", "pause", "8h"])
try:
    while True:
        text = os.read(fd, 4096)
        os.write(1, text)
        if b"[y/N]" in text: os.write(fd, b"y\n")
except OSError: pass
`

// TestStateRemoved checks that an orphan that removes the state directory is no person by
// that, and that the next hook, doctor and status report the removal.
func TestStateRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range removals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needs(t, strings.Fields(c.needs)...)
			w := newInstalledSeat(t)
			if !strings.Contains(c.code, "done") {
				c.code += "; touch done"
			}
			w.write(filepath.Join(w.project, "sits.py"), pausesInTerminal)
			w.write(filepath.Join(w.project, "orphan.sh"), "sleep 1\n("+c.code+") >>chain.out 2>&1\n")
			begin := w.events("ls") + w.reportLines("before") + "setsid -f sh orphan.sh\n"
			end := "for i in $(seq 100); do [ -e done ] && break; sleep 0.1; done\n" + w.events("rm", "volume", "config") + w.reportLines("after")
			if c.ends {
				w.asClaude(begin)
				w.asClaude(end)
			} else {
				w.asClaude(begin + end)
			}
			for _, name := range []string{"rm", "volume", "config"} {
				if out := w.read(name + ".out"); !strings.Contains(out, `"permissionDecision":"deny"`) {
					t.Errorf("%s is not denied: %s\nthe orphan printed: %s", name, out, w.read("chain.out"))
				}
			}
			if out := w.read("chain.out"); !strings.Contains(out, "A person must decide this") {
				t.Errorf("the orphan was not refused: %s", out)
			}
			if _, err := os.Lstat(filepath.Join(w.project, "planted.ran")); err == nil {
				t.Error("the unapproved hook ran")
			}
			if rm, next := w.read("rm.out"), w.read("volume.out"); !strings.Contains(rm, isNew) || strings.Contains(next, isNew) {
				t.Errorf("no report, or two\nthe first answer: %s\nthe next: %s", rm, next)
			}
			if w.reportsNewState("before") || !w.reportsNewState("after") || !strings.Contains(w.read("after.status"), isNew) {
				t.Errorf("doctor or status has no finding\nbefore: %s\nafter: %s", w.read("before.doctor"), w.read("after.doctor"))
			}
		})
	}
}

// isNew is part of the notice about a state directory that was removed.
const isNew = "is new although checkrein's hooks are installed"

// TestNewStateIsReported checks who is not taken for such a program: a person who has just installed
// checkrein, and settings that come with a container, where the notice comes once and
// nothing else changes.
func TestNewStateIsReported(t *testing.T) {
	t.Parallel()
	w := newInstalledSeat(t)
	w.asClaude(w.events("ls") + w.reportLines("before"))
	if out := w.read("ls.out"); strings.Contains(out, isNew) || w.reportsNewState("before") {
		t.Errorf("after a first installation: %s", out)
	}
	if code, out := w.run("hooks", "off"); code != 0 {
		t.Errorf("hooks off by a person: %d: %s", code, out)
	}
	if err := os.RemoveAll(w.state()); err != nil {
		t.Fatal(err)
	}
	w.asClaude(w.events("ls", "rm"))
	if ls, rm := w.read("ls.out"), w.read("rm.out"); !strings.Contains(ls, isNew) || strings.Contains(ls, `"deny"`) || strings.Contains(rm, isNew) || !strings.Contains(rm, `"deny"`) {
		t.Errorf("the first answer: %s\nthe next: %s", ls, rm)
	}
	w.asClaude(w.events("ls"))
	if ls := w.read("ls.out"); strings.Contains(ls, isNew) {
		t.Errorf("the notice comes again: %s", ls)
	}
	x := startInTerminal(t, w.command(filepath.Join(programs, "checkrein"), "install", "claude", "--program", filepath.Join(programs, "checkrein")))
	if code := x.waitForExit(); code != 0 {
		t.Fatalf("install: %d: %s", code, x.text.String())
	}
	w.asClaude(w.reportLines("after"))
	if w.reportsNewState("after") {
		t.Errorf("after an installation by a person: %s", w.read("after.doctor"))
	}
}

// newInstalledSeat returns a chainSeat with checkrein installed in Claude Code.
func newInstalledSeat(t *testing.T) *chainSeat {
	t.Helper()
	s := &chainSeat{newDesk(t, "version: 1\n", "version: 1\nhooks: {pre_tool_use: [{name: planted, type: command, command: \"touch planted.ran\"}]}\n")}
	s.runAsPerson("git init -q .; mkdir $HOME/.claude; checkrein install claude --program " + filepath.Join(programs, "checkrein"))
	s.begin()
	return s
}

// asClaude runs lines of a shell below a program that is called like Claude Code.
func (s *chainSeat) asClaude(lines string) {
	s.t.Helper()
	s.write(filepath.Join(s.project, "host.sh"), "sleep 0.1\n"+lines)
	out, err := s.command(renamedAwk(s.t, "claude"), `BEGIN { system("sh host.sh 2>&1") }`).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// events are lines that send events by the installed line.
func (s *chainSeat) events(names ...string) (lines string) {
	s.t.Helper()
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	data, err := os.ReadFile(filepath.Join(s.home, ".claude", "settings.json"))
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil || len(settings.Hooks["PreToolUse"]) == 0 {
		s.t.Fatalf("the settings: %v: %s", err, data)
	}
	s.write(filepath.Join(s.project, "line.sh"), settings.Hooks["PreToolUse"][0].Hooks[0].Command)
	for _, name := range names {
		lines += `sh -c "$(cat line.sh)" <` + name + ".json >" + name + ".out\n"
	}
	return lines
}

// reportsNewState reports whether doctor's report has the finding about a removed state.
func (s *chainSeat) reportsNewState(when string) bool {
	return strings.Contains(s.read(when+".doctor"), `"state-new"`)
}
