package endtoend

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// faultConfig has hooks that fail, each for the call that names it.
const faultConfig = `version: 1
hooks:
  pre_tool_use:
    - {name: crashed, if: {command: {contains: ran-crashed}}, command: echo oops >&2; exit 1}
    - {name: remote, if: {command: {contains: ran-companion}}, url: 'http://127.0.0.1:9/', allow_local: true}
`

// A fault is something that breaks while a host runs.
type fault struct {
	name string
	// breaks breaks it, and returns what mends it; nil if a hook of the
	// configuration is what is broken.
	breaks func(w *world) (mend func())
	// command is what the model runs then; "" is one that leaves a file. It
	// must not run.
	command string
	// told is what the model is told.
	told string
	// harmless tells that the command is to run.
	harmless bool
}

// deniedCommand is a command that is also denied without a fault.
const deniedCommand = "rm -rf ~/Documents/"

// allFaults returns the faults that a proof does not cover.
func allFaults() []fault {
	return []fault{
		{name: "none", harmless: true},
		{name: "crashed", told: "exit code 1: oops"},
		{name: "companion", breaks: noCompanion, told: "install checkreind in the same directory"},
		{name: "config", breaks: brokenConfig, told: "checkrein.yaml:3"},
		{name: "state", breaks: blockState, command: deniedCommand + "state", told: "checkrein blocked " + deniedCommand + "state"},
		{name: "state, harmless", breaks: blockState, command: "touch ran-state", harmless: true},
		{name: "homeless", breaks: unsetHome, command: deniedCommand + "homeless", told: deniedCommand + "homeless"},
		{name: "mended", harmless: true},
	}
}

func noCompanion(w *world) func() { return w.hide(w.ProgramPath("checkreind")) }
func missing(w *world) func()     { return w.hide(w.ProgramPath("checkrein")) }

func brokenConfig(w *world) func() {
	w.configure("version: 1\nhooks:\n  pre_tool_use: [\n")
	return func() { w.configure(faultConfig) }
}

// blockState replaces the state directory with a file, so that nothing can be written to it; file
// modes would not stop root. It returns a function that undoes that.
func blockState(w *world) func() {
	state := filepath.Join(w.Home, ".local", "state", "checkrein")
	mend := w.hide(state)
	w.writeFiles(filepath.Dir(state), map[string]string{"checkrein": "no folder\n"})
	return mend
}

// unsetHome runs checkrein without HOME. It must not fall back to the home directory of the user who
// runs this test.
func unsetHome(w *world) func() {
	return w.replaceProgram("#!/bin/sh\nXDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state exec env -u HOME " + hostlab.HiddenPath(w.ProgramPath("checkrein")) + ` "$@"` + "\n")
}

// replaceProgram puts a script in place of the program that hosts call, and returns a function that
// undoes that.
func (w *world) replaceProgram(script string) func() {
	mend := w.hide(w.ProgramPath("checkrein"))
	w.writeFiles(w.Bin, map[string]string{"checkrein": script})
	return mend
}

// hide removes path until mend is called.
func (w *world) hide(path string) (mend func()) {
	back, err := w.Hide(path)
	if err != nil {
		w.t.Error(err)
	}
	return func() {
		if err := back(); err != nil {
			w.t.Error(err)
		}
	}
}

func (f fault) shell() string {
	if f.command != "" {
		return f.command
	}
	return "touch ran-" + f.name
}

// commandRan reports whether the command of a fault ran.
func (w *world) commandRan(f fault) bool {
	if dir, ok := strings.CutPrefix(f.shell(), deniedCommand); ok {
		return !w.there(filepath.Join(w.Home, "Documents", dir))
	}
	return w.exists(strings.TrimPrefix(f.shell(), "touch "))
}

// testFaults breaks one thing after another while the host runs, each time before the model calls a
// tool.
func testFaults(t *testing.T, programs string, known fact) {
	if runtime.GOOS != "linux" {
		t.Skip("the broken programs are shell scripts, and those that run are found in /proc")
	}
	w := newWorld(t, programs, known.host)
	w.configure(faultConfig)
	w.writeFiles(w.Home, map[string]string{"Documents/state/a": "a", "Documents/homeless/a": "a"})
	list := allFaults()
	var once []func() (mend func())
	for _, f := range list {
		once = append(once, sync.OnceValue(func() func() {
			if f.breaks == nil {
				return func() {}
			}
			return sync.OnceFunc(f.breaks(w))
		}))
	}
	// A host may send a request again, so each turn is prepared once.
	choose := func(q mockmodel.Request) mockmodel.Turn {
		if q.Turn > 0 && q.Turn <= len(list) {
			once[q.Turn-1]()()
		}
		if q.Turn >= len(list) {
			return mockmodel.Turn{}
		}
		once[q.Turn]()
		return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell(list[q.Turn].shell())}}
	}
	res := w.Run(hostlab.Run{Prompt: "please go", Script: mockmodel.Script{Choose: choose, Final: "all is well"}})
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	seen := w.readLedger()
	for i, f := range list {
		if w.commandRan(f) != f.harmless {
			t.Errorf("%s: the command ran: %v", f.name, w.commandRan(f))
		}
		told, _ := res.Record.Result(i, 0)
		if !strings.Contains(told.Text, f.told) {
			t.Errorf("%s: the model was told %q, want %q", f.name, told.Text, f.told)
		}
		t.Logf("%s: ran %v: %q", f.name, w.commandRan(f), told.Text)
		w.checkFaultRecorded(f, seen)
	}
	if known.prints && !strings.Contains(res.Stderr, "decisions are not being recorded") {
		t.Errorf("the person was not told that nothing is recorded\nstderr: %s", res.Stderr)
	}
	w.checkStatusOfMissing()
}

// checkStatusOfMissing checks that status reports it if the program that a host calls is missing. The
// companion runs status in that case.
func (w *world) checkStatusOfMissing() {
	defer missing(w)()
	out, err := w.runProgram("checkreind", "status", w.name)
	if err == nil || !strings.Contains(out, w.ProgramPath("checkrein")+" does not exist") {
		w.t.Errorf("status without checkrein: %v\n%s", err, out)
	}
}

// checkFaultRecorded checks that the ledger has a denial for each fault of a hook, and for everything
// else that was broken, except the ledger itself.
func (w *world) checkFaultRecorded(f fault, seen []record.Record) {
	if f.harmless || f.name == "state" {
		return
	}
	if !slices.ContainsFunc(seen, func(r record.Record) bool {
		return r.Event == "pre_tool_use" && r.Decision == "deny" && strings.Contains(r.Reason, f.told)
	}) {
		w.t.Errorf("%s: not in the ledger", f.name)
	}
}
