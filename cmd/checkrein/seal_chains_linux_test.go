package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A chain is code that an agent wrote, and how it has a program run it. The code edits
// checkrein's state without its key.
type chain struct {
	name  string
	needs string // the programs that it takes
	run   string // in the project
	files string // a txtar archive
}

// Parts of the chains' code: what stands in a file that switches everything off, and
// what approves the unapproved hook.
const (
	offText    = `{"version":1,"off":true,"approvals":[]}`
	pauseText  = `{"made":{"wall":"2026-01-02T03:04:05Z"},"until":"2126-01-02T04:00:00Z"}`
	looseText  = `{"accepted":["*.off=true"]}`
	allowsText = `{"v":1,"last":1,"grants":[{"id":"g1","scope":"always","lifts":[{"hook":"packs","type":"builtin","scope":"user"}]}]}`
	looseFile  = `printf 'version: 1\npacks: []\n' >"$HOME/.config/checkrein/checkrein.yaml"; `
)

// TestChains runs code that edits checkrein's state, by the runners that agents have. None
// of it switches anything off, approves anything or opens a gate, and status, doctor or the hook reports it.
func TestChains(t *testing.T) {
	t.Parallel()
	for _, c := range chains {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needs(t, strings.Fields(c.needs)...)
			w := newChainSeat(t)
			for _, f := range txtar.Parse([]byte(c.files)).Files {
				w.write(filepath.Join(w.project, f.Name), string(f.Data))
			}
			w.asHost("checkrein hook claude <ls.json >/dev/null\ncheckrein hook claude <ls.json >/dev/null\n" +
				w.reportLines("before") + "(" + c.run + ") >chain.out 2>&1\n" +
				"for e in rm volume config deploy; do checkrein hook claude <$e.json >$e.out; done\n" + w.reportLines("after"))
			for _, name := range []string{"rm", "volume", "config", "deploy"} {
				if out := w.read(name + ".out"); !strings.Contains(out, `"permissionDecision":"deny"`) {
					t.Errorf("%s is not denied: %s\nthe chain said: %s", name, out, w.read("chain.out"))
				}
			}
			if _, err := os.Lstat(filepath.Join(w.project, "planted.ran")); err == nil {
				t.Error("the unapproved hook ran")
			}
			if !w.isReported() {
				t.Errorf("no report\nthe chain printed: %s\nhook: %s", w.read("chain.out"), w.read("rm.out"))
			}
		})
	}
}

// A chainSeat is a home and a project in which a person approved a gate, and did and
// undid everything that an old copy of a file could bring back.
type chainSeat struct{ *desk }

const chainProject = `version: 1
hooks:
  pre_tool_use:
    - {name: house, type: command, command: ./house.sh, gate: true}
    - {name: planted, type: command, command: "touch planted.ran"}
`

func newChainSeat(t *testing.T) *chainSeat {
	t.Helper()
	d := newDesk(t, "version: 1\n", chainProject)
	s := &chainSeat{d}
	house := filepath.Join(d.project, "house.sh")
	d.write(house, "#!/bin/sh\ngrep -q deploy && { echo 'no deploys' >&2; exit 2; }\nexit 0\n")
	if err := os.Chmod(house, 0o700); err != nil {
		t.Fatal(err)
	}
	s.runAsPerson("git init -q .")
	s.keep("none")
	s.runAsPerson("checkrein hooks approve --all >/dev/null")
	s.keep("planted") // which is approved here
	s.runAsPerson("checkrein hooks revoke planted >/dev/null")
	s.runAsPerson("checkrein hooks off >/dev/null")
	s.keep("off")
	s.runAsPerson("checkrein hooks on >/dev/null")
	d.pause()
	s.keep("pause")
	s.runAsPerson("checkrein pause off >/dev/null")
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\npacks: []\n")
	d.write(filepath.Join(d.project, "ls.json"), d.call("Bash", "command", "ls"))
	s.runAsPerson("sleep 0.3")
	d.asHost("checkrein hook claude <ls.json >/dev/null") // which starts after the change, so that it counts
	s.keep("loose")
	d.write(filepath.Join(d.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\n")
	d.write(filepath.Join(d.project, "start.json"), `{"hook_event_name":"SessionStart","session_id":"t","source":"startup","cwd":"`+d.project+`"}`)
	d.asHost("checkrein hook claude <start.json >/dev/null")
	s.begin()
	return s
}

// runAsPerson runs line as a person.
func (s *chainSeat) runAsPerson(line string) {
	s.t.Helper()
	if out, err := s.command("bash", "-c", line).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v: %s", line, err, out)
	}
}

func (s *chainSeat) state() string { return filepath.Join(s.home, ".local", "state", "checkrein") }

// keep copies the state, as an agent could have that was there at the time.
func (s *chainSeat) keep(name string) {
	s.t.Helper()
	s.runAsPerson(`mkdir -p "$HOME/old"; [ ! -d "` + s.state() + `" ] || cp -a "` + s.state() + `" "$HOME/old/` + name + `"`)
}

// call is an event of a tool call with one argument.
func (d *desk) call(tool, name, value string) string {
	text, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": d.project, "tool_name": tool,
		"tool_input": map[string]any{name: value, "content": "version: 1\npacks: []\n"}})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// begin puts the events and the environment in place for a chain.
func (s *chainSeat) begin() {
	s.t.Helper()
	s.env = append(s.env, "STATE="+s.state(), "OLD="+filepath.Join(s.home, "old"), "GOFLAGS=-buildvcs=false",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		s.env = append(s.env, "GOCACHE="+strings.TrimSpace(string(out)))
	}
	for _, name := range []string{"cargo", "rustup"} { // their toolchains are in the tester's home
		s.env = append(s.env, strings.ToUpper(name)+"_HOME="+filepath.Join(os.Getenv("HOME"), "."+name))
	}
	config := filepath.Join(s.home, ".config", "checkrein", "checkrein.yaml")
	for name, text := range map[string]string{"ls": s.call("Bash", "command", "ls"), "rm": s.call("Bash", "command", "rm -rf ~"), "volume": s.call("Bash", "command", overwrite),
		"deploy": s.call("Bash", "command", "echo deploy"), "config": s.call("Write", "file_path", config)} {
		s.write(filepath.Join(s.project, name+".json"), text)
	}
}

func (s *chainSeat) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(s.project, name))
	return string(data)
}

// reportLines returns the shell lines that write the reports of status and doctor to files.
func (s *chainSeat) reportLines(when string) string {
	return "checkrein status --json >" + when + ".status 2>/dev/null\ncheckrein doctor --no-run --json >" + when + ".doctor 2>/dev/null\n"
}

// isReported reports whether status, doctor or the hook has a finding about the state, the
// ledger or what agents run that was not so before.
func (s *chainSeat) isReported() bool {
	type findings struct {
		Findings []struct{ Check, Area, Level, What string }
	}
	var before, after findings
	for name, report := range map[string]*findings{"before.doctor": &before, "after.doctor": &after} {
		if err := json.Unmarshal([]byte(s.read(name)), report); err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	for _, f := range after.Findings {
		if (f.Area == "state" || f.Area == "ledger" || f.Area == "hosts") && f.Level != "info" && !slices.Contains(before.Findings, f) {
			return true
		}
	}
	var status struct{ Tampered []string }
	_ = json.Unmarshal([]byte(s.read("after.status")), &status)
	return len(status.Tampered) > 0 || strings.Contains(s.read("rm.out"), "not as checkrein left it")
}
