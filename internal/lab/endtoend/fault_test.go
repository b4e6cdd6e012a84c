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

// faultConfig has hooks that cannot answer, each for the call that names it.
const faultConfig = `version: 1
hooks:
  pre_tool_use:
    - {name: crashed, if: {command: {contains: ran-crashed}}, command: echo oops >&2; exit 1}
    - {name: remote, if: {command: {contains: ran-companion}}, url: 'http://127.0.0.1:9/', allow_local: true}
`

// A fault is something broken while a host works.
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

// deletes would be denied on any day.
const deletes = "rm -rf ~/Documents/"

// faults are those that a proof does not have.
func faults() []fault {
	return []fault{
		{name: "none", harmless: true},
		{name: "crashed", told: "exit code 1: oops"},
		{name: "companion", breaks: noCompanion, told: "install checkreind in the same directory"},
		{name: "config", breaks: brokenConfig, told: "checkrein.yaml:3"},
		{name: "state", breaks: noState, command: deletes + "state", told: "checkrein blocked " + deletes + "state"},
		{name: "state, harmless", breaks: noState, command: "touch ran-state", harmless: true},
		{name: "homeless", breaks: homeless, command: deletes + "homeless", told: deletes + "homeless"},
		{name: "mended", harmless: true},
	}
}

func noCompanion(w *world) func() { return w.hide(w.Program("checkreind")) }
func missing(w *world) func()     { return w.hide(w.Program("checkrein")) }

func brokenConfig(w *world) func() {
	w.configure("version: 1\nhooks:\n  pre_tool_use: [\n")
	return func() { w.configure(faultConfig) }
}

// noState makes the state's folder one that nothing can be written to. Modes do
// not keep root out; a file in its place does.
func noState(w *world) func() {
	state := filepath.Join(w.Home, ".local", "state", "checkrein")
	mend := w.hide(state)
	w.files(filepath.Dir(state), map[string]string{"checkrein": "no folder\n"})
	return mend
}

// homeless runs checkrein without a HOME. It would look one up, which must not
// be that of whoever runs this test.
func homeless(w *world) func() {
	return w.replace("#!/bin/sh\nXDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state exec env -u HOME " + hostlab.HiddenPath(w.Program("checkrein")) + ` "$@"` + "\n")
}

// replace puts a script where hosts call checkrein.
func (w *world) replace(script string) func() {
	mend := w.hide(w.Program("checkrein"))
	w.files(w.Bin, map[string]string{"checkrein": script})
	return mend
}

// hide takes something away until mend is called.
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

// ran tells what a fault's command does.
func (w *world) ran(f fault) bool {
	if dir, ok := strings.CutPrefix(f.shell(), deletes); ok {
		return !w.there(filepath.Join(w.Home, "Documents", dir))
	}
	return w.exists(strings.TrimPrefix(f.shell(), "touch "))
}

// testFaults breaks one thing after another while the host runs: each time the
// model asks for a tool, the test has seen to it that something is amiss.
func testFaults(t *testing.T, programs string, known fact) {
	if runtime.GOOS != "linux" {
		t.Skip("the broken programs are shell scripts, and those that run are found in /proc")
	}
	w := newWorld(t, programs, known.host)
	w.configure(faultConfig)
	w.files(w.Home, map[string]string{"Documents/state/a": "a", "Documents/homeless/a": "a"})
	list := faults()
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
	seen := w.ledger()
	for i, f := range list {
		if w.ran(f) != f.harmless {
			t.Errorf("%s: the command ran: %v", f.name, w.ran(f))
		}
		told, _ := res.Record.Result(i, 0)
		if !strings.Contains(told.Text, f.told) {
			t.Errorf("%s: the model was told %q, want %q", f.name, told.Text, f.told)
		}
		t.Logf("%s: ran %v: %q", f.name, w.ran(f), told.Text)
		w.checkFaultRecorded(f, seen)
	}
	if known.prints && !strings.Contains(res.Stderr, "decisions are not being recorded") {
		t.Errorf("the person was not told that nothing is recorded\nstderr: %s", res.Stderr)
	}
	w.checkStatusOfMissing()
}

// checkStatusOfMissing wants status to tell when the program that a host calls
// is not there. It is asked through its companion then.
func (w *world) checkStatusOfMissing() {
	defer missing(w)()
	out, err := w.try("checkreind", "status", w.name)
	if err == nil || !strings.Contains(out, w.Program("checkrein")+" does not exist") {
		w.t.Errorf("status without checkrein: %v\n%s", err, out)
	}
}

// checkFaultRecorded wants a denial in the ledger for each fault of a hook, and
// for each thing that was broken beside the ledger itself.
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
