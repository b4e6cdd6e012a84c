package endtoend

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// runMisses runs the misses command. It returns the report, and the causes with their numbers of
// calls.
func (w *world) runMisses() (r misses.Report, causes string) {
	w.t.Helper()
	out, _ := w.runProgram("checkrein", "misses", "--json", "--max", "1000")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	count := map[misses.Cause]int{}
	for _, m := range r.Misses {
		count[m.Cause] += m.Calls
	}
	var list []string
	for _, c := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%s %d", c, count[c]))
	}
	return r, strings.Join(list, ", ")
}

// checkNoMisses checks that the misses command finds nothing.
func (w *world) checkNoMisses() {
	w.t.Helper()
	r, causes := w.runMisses()
	if r.Calls == 0 || r.Failures()+r.Twice.Calls+len(r.Skipped) > 0 {
		w.t.Errorf("%d calls, %d unseen (%s) in a clean run: %+v", r.Calls, r.Unseen, causes, r)
	}
}

// deafScript is a checkrein that does not answer events containing a text, and passes the others on.
// It execs the program, because checkrein checks its parent process. If the host keeps it running, it
// gets its events line by line.
const deafScript = `#!/bin/bash
if [ "$3" = --serve-stdio ]; then
	exec 3<&0 4>&1
	exec REAL "$@" < <(while IFS= read -r line <&3; do
		case $line in
		*'TEXT'*) id=${line#*'"id":'} && echo '{"id":'"${id%%,*}"'}' >&4 ;;
		*) printf '%s\n' "$line" ;;
		esac
	done) 3<&- 4>&-
fi
event=EVENT.$$
cat >$event
grep -qF 'TEXT' $event && exit 0
exec REAL "$@" <$event
`

// ignoreEvents makes the host's hooks do nothing for events that contain text, until hear is called.
func (w *world) ignoreEvents(text string) (hear func()) {
	w.t.Helper()
	program, real := w.ProgramPath("checkrein"), filepath.Join(w.Bin, "hearing")
	fail := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	fail(os.Rename(program, real))
	fail(built.WriteScript(program, strings.NewReplacer("REAL", real, "EVENT", filepath.Join(w.Dir, "event"), "TEXT", text).Replace(deafScript)))
	return func() {
		w.t.Helper()
		fail(os.Rename(real, program))
	}
}

// TestHostMisses causes misses in sessions of real hosts: a tool for which no hooks run, a sub-agent,
// and hooks that were removed for a while. Each is found with its cause.
func TestHostMisses(t *testing.T) {
	hosttest.New(t)
	if runtime.GOOS == "windows" {
		t.Skip("the hook that does not hear is a script for bash")
	}
	programs := buildPrograms(t)
	for _, k := range keepers() {
		t.Run(k.host, func(t *testing.T) {
			w := newWorld(t, programs, k.host)
			w.configure("version: 1\n")
			w.writeFiles(w.Home, map[string]string{"shop.js": mcpServer})
			write := func(name string) mockmodel.Call { return mockmodel.Write(filepath.Join(w.Project, name), "fresh\n") }
			w.makeCalls(k, []mockmodel.Call{mockmodel.Shell("echo first"), write("first.txt"), mockmodel.Shell("cd " + w.Project + " && echo 'a  b' \\; | cat\n")}, nil)
			if k.host == "claude" { // which tells hooks more of a call than the model said
				w.makeCalls(k, []mockmodel.Call{mockmodel.Read("first.txt"), mockmodel.Edit("first.txt", "fresh", "fine")}, nil)
			}
			w.checkNoMisses()

			hear := w.ignoreEvents("planted.txt")
			w.makeCalls(k, []mockmodel.Call{mockmodel.Shell("echo second"), write("planted.txt"), mockmodel.Shell("echo third")}, nil)
			hear()
			if _, causes := w.runMisses(); causes != "tool 1" {
				t.Errorf("a tool that hooks do not hear of: %s", causes)
			}

			removed, missed := 2, "tool 1"
			if k.mcp != "" { // it has sub-agents in the lab
				missed = "sub-agent 1, tool 1"
				hear = w.ignoreEvents("echo child")
				w.makeCalls(k, []mockmodel.Call{mockmodel.Shell("echo fourth"), k.task}, k.apart)
				hear()
				if _, causes := w.runMisses(); causes != missed {
					t.Errorf("a sub-agent that hooks do not hear of: %s", causes)
				}
			}

			w.checkrein("uninstall", k.host)
			w.makeCalls(k, []mockmodel.Call{mockmodel.Shell("echo fifth"), write("fifth.txt")}, nil)
			w.install()
			w.makeCalls(k, []mockmodel.Call{mockmodel.Shell("echo last"), write("last.txt")}, nil)
			if k.wait != nil {
				removed++ // keep calls once more
			}
			r, causes := w.runMisses()
			if causes != fmt.Sprintf("not-installed %d, %s", removed, missed) || r.Failures() != removed+strings.Count(missed, "1") || r.Twice.Calls+len(r.Skipped) > 0 {
				t.Errorf("all of it: %s\n%+v", causes, r)
			}
			t.Logf("%d calls: %s", r.Calls, causes)
		})
	}
}
