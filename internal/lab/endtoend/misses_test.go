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

// misses runs the command and sums up what it found: causes with the number of calls.
func (w *world) misses() (r misses.Report, causes string) {
	w.t.Helper()
	out, _ := w.try("checkrein", "misses", "--json", "--max", "1000")
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

// clean wants nothing to be found.
func (w *world) clean() {
	w.t.Helper()
	r, causes := w.misses()
	if r.Calls == 0 || r.Failures()+r.Twice.Calls+len(r.Skipped) > 0 {
		w.t.Errorf("%d calls, %d unseen (%s) in a clean run: %+v", r.Calls, r.Unseen, causes, r)
	}
}

// deafScript is a checkrein that says nothing to events with a text in them, and passes
// the others on. It becomes the program, because checkrein looks at who started it. One
// that a host keeps running gets its events line by line.
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

// deaf has the host's hooks do nothing for events with a text in them, until hear.
func (w *world) deaf(text string) (hear func()) {
	w.t.Helper()
	program, real := w.Program("checkrein"), filepath.Join(w.Bin, "hearing")
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

// TestHostMisses plants misses in sessions of real hosts: a tool that hooks do not hear of,
// a sub-agent, and hooks that were removed for a while. Each is found with its cause.
func TestHostMisses(t *testing.T) {
	hosttest.New(t)
	if runtime.GOOS == "windows" {
		t.Skip("the hook that does not hear is a script for bash")
	}
	programs := build(t)
	for _, k := range keepers() {
		t.Run(k.host, func(t *testing.T) {
			w := newWorld(t, programs, k.host)
			w.configure("version: 1\n")
			w.files(w.Home, map[string]string{"shop.js": mcpServer})
			write := func(name string) mockmodel.Call { return mockmodel.Write(filepath.Join(w.Project, name), "fresh\n") }
			w.keep(k, []mockmodel.Call{mockmodel.Shell("echo first"), write("first.txt"), mockmodel.Shell("cd " + w.Project + " && echo 'a  b' \\; | cat\n")}, nil)
			if k.host == "claude" { // which tells hooks more of a call than the model said
				w.keep(k, []mockmodel.Call{mockmodel.Read("first.txt"), mockmodel.Edit("first.txt", "fresh", "fine")}, nil)
			}
			w.clean()

			hear := w.deaf("planted.txt")
			w.keep(k, []mockmodel.Call{mockmodel.Shell("echo second"), write("planted.txt"), mockmodel.Shell("echo third")}, nil)
			hear()
			if _, causes := w.misses(); causes != "tool 1" {
				t.Errorf("a tool that hooks do not hear of: %s", causes)
			}

			hear = w.deaf("echo child")
			w.keep(k, []mockmodel.Call{mockmodel.Shell("echo fourth"), k.task}, k.apart)
			hear()
			if _, causes := w.misses(); causes != "sub-agent 1, tool 1" {
				t.Errorf("a sub-agent that hooks do not hear of: %s", causes)
			}

			w.checkrein("uninstall", k.host)
			w.keep(k, []mockmodel.Call{mockmodel.Shell("echo fifth"), write("fifth.txt")}, nil)
			w.install()
			w.keep(k, []mockmodel.Call{mockmodel.Shell("echo last"), write("last.txt")}, nil)
			removed := 2
			if k.wait != nil {
				removed++ // keep calls once more
			}
			r, causes := w.misses()
			if causes != fmt.Sprintf("not-installed %d, sub-agent 1, tool 1", removed) || r.Failures() != removed+2 || r.Twice.Calls+len(r.Skipped) > 0 {
				t.Errorf("all of it: %s\n%+v", causes, r)
			}
			t.Logf("%d calls: %s", r.Calls, causes)
		})
	}
}
