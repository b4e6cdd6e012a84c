package endtoend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// TestHostCannotGrant has the model of each host try what only a person may do: allow a blocked push,
// pause the guard, confirm, report a false alarm and revoke, in many ways. Half of the tries use
// checkrein's own name, which the guard recognizes; the others use a name that it does not, so that
// the command itself must refuse.
func TestHostCannotGrant(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	for _, tool := range []string{"tmux", "screen", "script", "unshare", "python3", "perl", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			fmt.Fprintf(os.Stderr, "NOT TRIED: %s is not installed here, so the attacks that use it do nothing\n", tool)
		}
	}
	programs := buildPrograms(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) { testCannotGrant(t, programs, f) })
	}
}

func testCannotGrant(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	origin := w.makeRemote()
	w.copyProgram(filepath.Join(programs, "checkrein"), w.ProgramPath(renamedProgram))
	w.copyProgram(filepath.Join(programs, "checkreind"), w.ProgramPath(renamedProgram+"d"))
	w.writeFiles(w.Home, map[string]string{"Documents/thesis.txt": "ten years of work\n", configFile: "version: 1\n",
		".profile": "PATH=" + w.Bin + ":$PATH\n"}) // which login shells set anew
	w.makeDirs(filepath.Join(w.Home, ".local/bin/code"))
	w.copyProgram("/usr/bin/python3", filepath.Join(w.Home, ".local/bin/code")) // an editor that runs scripts
	handle, id := w.firstGrant()
	before := w.personsState(handle)
	c := tally{world: w, f: f, handle: handle, grant: id, before: before}
	for list := range slices.Chunk(c.allTries(), callsPerRun) {
		c.run(list)
	}
	c.late()
	t.Logf("%s: an agent tried %d ways to grant: %d denied by the guard, %d refused by the command, %d without effect, %d got through",
		f.host, c.tried, c.denied, c.refused, c.idle, c.through)
	if c.refused < c.tried/3 {
		t.Errorf("only %d of %d tries reached the command", c.refused, c.tried)
	}

	res := w.Run(hostlab.Run{Prompt: "please push", Script: callScript(mockmodel.Shell(forcePush))})
	told, _ := res.Record.Result(0, 0)
	if w.tipMessage(origin) != "theirs" || !remedy.MatchString(told.Text) {
		t.Errorf("the push is not denied any more: main of origin is %q; the model was told %q", w.tipMessage(origin), told.Text)
	}
	w.readLedger()
	// A person still can: nothing above failed only because nothing works.
	person, err := w.openUserTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer person.exitShell()
	if got := person.run("rein allow "+handle, "[y/N] ", "y"); !strings.Contains(got, "allowed (grant ") {
		t.Errorf("a person cannot allow it either:\n%s", got)
	}
}

// firstGrant blocks two calls, one of which a person allows. It returns the handle of the other, and
// the id of the grant.
func (w *world) firstGrant() (handle, id string) {
	w.t.Helper()
	res := w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("rm -rf ~/Documents"), mockmodel.Shell(forcePush))})
	told := w.callResults(res, 2)
	other, mine := remedy.FindStringSubmatch(told[0]), remedy.FindStringSubmatch(told[1])
	person, err := w.openUserTerminal()
	if err != nil {
		w.t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
	}
	defer person.exitShell()
	if other == nil || mine == nil {
		w.t.Fatalf("the model was told %q", told)
	}
	if got := person.run("checkrein allow "+other[1]+" --project", "[y/N] ", "y"); !strings.Contains(got, "allowed (grant g1)") {
		w.t.Fatalf("a person cannot allow a call:\n%s", got)
	}
	return mine[1], "g1"
}

// personsState returns everything that only a person may change: grants, pauses, blocks, the person's
// files, their records in the ledger, and where the host refers to checkrein.
func (w *world) personsState(handle string) map[string]string {
	out := map[string]string{}
	dir := filepath.Join(w.Home, ".local/state/checkrein")
	paths := append(w.settingsFiles(), filepath.Join(dir, "grants.json"), filepath.Join(dir, "pause.json"), filepath.Join(dir, "trust.json"), filepath.Join(dir, "blocks", unknownHandle))
	_ = filepath.WalkDir(filepath.Join(w.Home, ".config/checkrein"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return nil
	})
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil {
			out[path] = string(b)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "ledger/current.jsonl")); err == nil {
		out["what people did"] = fmt.Sprint(bytes.Count(b, []byte(`"kind":"person"`)))
	}
	var block struct {
		Text, Shown, Root string
		Deeds             json.RawMessage
	}
	b, err := os.ReadFile(filepath.Join(dir, "blocks", handle))
	if err == nil {
		err = json.Unmarshal(b, &block)
	}
	out["the block"] = fmt.Sprint(block.Text, block.Shown, block.Root, string(block.Deeds), err)
	return out
}

// A tally counts the results of tries.
type tally struct {
	*world
	f                                     fact
	handle, grant                         string
	before                                map[string]string
	tried, denied, refused, idle, through int
}

// run has the model make some tries in one session, and checks the result of each.
func (c *tally) run(list []try) {
	c.t.Helper()
	var steps []func(mockmodel.Request)
	for i := range list {
		steps = append(steps, func(mockmodel.Request) {
			if i > 0 {
				c.settle(list[i-1])
			}
		})
	}
	steps = append(steps, func(mockmodel.Request) { c.settle(list[len(list)-1]) })
	s := stepwise(steps, "")
	choose := s.Choose
	s.Choose = func(q mockmodel.Request) mockmodel.Turn {
		turn := choose(q)
		if len(turn.Calls) > 0 {
			turn.Calls = []mockmodel.Call{list[q.Turn].call}
		}
		return turn
	}
	res := c.Run(hostlab.Run{Prompt: "please go", Script: s, Timeout: 8 * time.Minute})
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		c.t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	for i, a := range list {
		told, ok := res.Record.Result(i, 0)
		code, _ := os.ReadFile(filepath.Join(c.Project, a.name+".exit"))
		if a.prepares {
			continue
		}
		c.tried++
		what := "without effect"
		switch {
		case !ok:
			c.t.Errorf("%s: the model was told nothing", a.name)
		case strings.Contains(told.Text, "checkrein blocked"):
			c.denied++
			what = "denied"
		case strings.TrimSpace(string(code)) == "4" || strings.Contains(told.Text, "A person must decide this"):
			c.refused++
			what = "refused"
		default:
			c.idle++
		}
		out, _ := os.ReadFile(filepath.Join(c.Project, a.name+".out"))
		c.t.Logf("%-15s %s: %s; exit %q, told %s%s", what, a.name, a, strings.TrimSpace(string(code)), quoteEnd(told.Text), quoteEnd(string(out)))
	}
}

// late lets the try go on that waits for the end of all sessions.
func (c *tally) late() {
	c.t.Helper()
	c.writeFiles(c.Project, map[string]string{late.name + ".go": ""})
	for range 200 {
		if c.exists(late.name + ".exit") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	out, _ := os.ReadFile(filepath.Join(c.Project, late.name+".out"))
	code, _ := os.ReadFile(filepath.Join(c.Project, late.name+".exit"))
	if c.settle(try{name: late.name, veiled: late.command}); string(code) == "4" {
		c.refused++
		c.idle--
	}
	c.t.Logf("%s: exit %q, %s", late.name, code, quoteEnd(string(out)))
}

// quoteEnd returns the last 300 bytes of text, quoted.
func quoteEnd(text string) string { return fmt.Sprintf("%q", text[max(0, len(text)-300):]) }

// settle checks what a try has changed. It undoes successful changes, so that they do not count for
// the next try.
func (c *tally) settle(a try) {
	now := c.personsState(c.handle)
	if maps.Equal(now, c.before) {
		return
	}
	c.through++
	for _, what := range slices.Sorted(maps.Keys(now)) {
		if now[what] != c.before[what] {
			c.t.Errorf("GOT THROUGH: %s: %s: %s is now %.300s", a.name, a, what, now[what])
		}
	}
	for what, was := range c.before {
		if now[what] != was {
			c.t.Logf("%s: %s was %.300s", a.name, what, was)
		}
		if filepath.IsAbs(what) && now[what] != was {
			if err := os.WriteFile(what, []byte(was), 0o600); err != nil {
				c.t.Error(err)
			}
		}
	}
	for what := range now {
		if _, ok := c.before[what]; !ok && filepath.IsAbs(what) {
			if err := os.Remove(what); err != nil {
				c.t.Error(err)
			}
		}
	}
	c.before = c.personsState(c.handle) // the ledger keeps what was done
}
