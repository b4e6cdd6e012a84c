package endtoend

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// push overwrites what others pushed: it is denied without any configuration.
const push = "git push --force origin main"

// remedy is how a block says what a person can do about it.
var remedy = regexp.MustCompile(`checkrein allow ([0-9a-f]{4,})\b`)

// TestHostRemedy has the model of each host push by force in one session, three
// times. The first push is blocked, and what the model is told names a handle. A
// person gives one command in a terminal of their own; the second push works; the
// third is blocked again.
func TestHostRemedy(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := build(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) { testRemedy(t, programs, f) })
	}
}

func testRemedy(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	origin := w.remote()
	person, err := w.sit()
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
	}

	var saw [4]string // main of origin before each call, and after the last
	var handle, granted string
	between := []func(mockmodel.Request){
		func(mockmodel.Request) { saw[0] = w.tip(origin) },
		func(q mockmodel.Request) {
			saw[1] = w.tip(origin)
			handle = handleIn(q)
			granted = person.run("checkrein allow "+handle+" --once", "[y/N] ", "y")
		},
		func(mockmodel.Request) {
			saw[2] = w.tip(origin)
			w.git(w.Project, "commit", "-q", "--amend", "--allow-empty", "-m", "mine again") // else there is nothing to overwrite
		},
		func(mockmodel.Request) { saw[3] = w.tip(origin) },
	}
	res := w.Run(hostlab.Run{Prompt: "please push", Script: stepwise(between, push)})
	person.leave() // the end of a run took the shell, as it takes all that has this home
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	if want := [...]string{"theirs", "theirs", "mine", "mine"}; saw != want {
		t.Errorf("main of origin before each call and after the last: %q, want %q", saw, want)
	}
	told := w.tolds(res, 3)
	if handle == "" || remedy.MatchString(told[1]) || !remedy.MatchString(told[2]) {
		t.Errorf("the model was told of handle %q, then\n%s\nand then\n%s\nwant no handle, and one", handle, told[1], told[2])
	}
	if !strings.Contains(granted, "Allow it? [y/N] y\n✓ allowed (grant g1)") || !strings.Contains(granted, push) {
		t.Errorf("the person saw\n%s", granted)
	}
	seen := w.ledger()
	w.checkRemedied(seen, handle)
	tr := transcript{w: w, handle: handle, told: told, granted: granted}
	if person, err = w.sit(); err != nil {
		t.Fatal(err)
	}
	defer person.leave()
	tr.list = person.run("checkrein allow --list", "", "")
	if !strings.Contains(tr.list, "used up") {
		t.Errorf("the person's list says\n%s", tr.list)
	}
	tr.explain = person.run("checkrein explain "+lifted(seen)+" | head -n 1", "", "")
	if !strings.Contains(tr.explain, "g1") {
		t.Errorf("explain says of the second call\n%s", tr.explain)
	}
	tr.verify = person.run("checkrein audit verify | head -n 1", "", "")
	tr.check()
}

// TestHostRemedyOnce has the model make the call that a person allowed twice in one
// turn: one of the two passes. Where calls have no ids, the same call side by side
// counts as one.
func TestHostRemedyOnce(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := build(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) {
			w := newWorld(t, programs, f.host)
			w.remote()
			person, err := w.sit()
			if err != nil {
				t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
			}
			granted := ""
			s := stepwise([]func(mockmodel.Request){
				func(mockmodel.Request) {},
				func(q mockmodel.Request) {
					granted = person.run("checkrein allow "+handleIn(q), "[y/N] ", "y")
				},
				func(mockmodel.Request) {},
			}, push)
			choose := s.Choose
			s.Choose = func(q mockmodel.Request) mockmodel.Turn {
				turn := choose(q)
				if q.Turn == 1 {
					turn.Calls = append(turn.Calls, mockmodel.Shell(push))
				}
				return turn
			}
			res := w.Run(hostlab.Run{Prompt: "please push", Script: s})
			person.leave()
			if !strings.Contains(granted, "allowed (grant g1)") {
				t.Errorf("the person saw\n%s", granted)
			}
			var judged []string
			for _, r := range w.ledger() {
				if r.Event == "pre_tool_use" && isLifted(r) {
					judged = append(judged, "lifted")
				} else if r.Event == "pre_tool_use" {
					judged = append(judged, r.Decision)
				}
			}
			slices.Sort(judged)
			want := []string{"deny", "deny", "lifted"}
			if f.noCallIDs {
				want[1] = "lifted"
			}
			if !slices.Equal(judged, want) {
				one, _ := res.Record.Result(1, 0)
				two, _ := res.Record.Result(1, 1)
				t.Errorf("calls were judged %q, want %q; the model was told %q and %q", judged, want, one.Text, two.Text)
			}
		})
	}
}

// stepwise has the model give one command as often as there are steps but one. A
// step is taken when the model hears of what came before it, and the host waits
// meanwhile.
func stepwise(steps []func(mockmodel.Request), command string) mockmodel.Script {
	once := make([]sync.Once, len(steps)) // a host may ask again
	return mockmodel.Script{Final: "all is well", Choose: func(q mockmodel.Request) mockmodel.Turn {
		if q.Turn < len(steps) {
			once[q.Turn].Do(func() { steps[q.Turn](q) })
		}
		if q.Turn >= len(steps)-1 {
			return mockmodel.Turn{}
		}
		return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell(command)}}
	}}
}

// handleIn is the handle that the model was told last.
func handleIn(q mockmodel.Request) string {
	handle := ""
	for _, r := range q.Results() {
		if m := remedy.FindStringSubmatch(r.Text); m != nil {
			handle = m[1]
		}
	}
	return handle
}

// tolds is what the model was told of the calls of the first turns.
func (w *world) tolds(res hostlab.Result, turns int) []string {
	w.t.Helper()
	told := make([]string, turns)
	for i := range told {
		r, ok := res.Record.Result(i, 0)
		if !ok {
			w.t.Errorf("the model was told nothing of call %d", i)
		}
		told[i] = r.Text
	}
	return told
}

// remote makes the project one whose origin has a commit that a forced push would
// destroy, and returns where that is.
func (w *world) remote() string {
	w.t.Helper()
	origin := filepath.Join(w.Dir, "origin.git")
	w.git(w.Dir, "init", "-q", "--bare", "-b", "main", origin)
	w.git(w.Project, "config", "user.name", "ann")
	w.git(w.Project, "config", "user.email", "ann@example.invalid")
	w.git(w.Project, "remote", "add", "origin", origin)
	w.git(w.Project, "commit", "-q", "--allow-empty", "-m", "theirs")
	w.git(w.Project, "push", "-q", "origin", "main")
	w.git(w.Project, "commit", "-q", "--allow-empty", "--amend", "-m", "mine")
	return origin
}

// tip is what the newest commit of main says.
func (w *world) tip(repository string) string {
	return w.git(repository, "log", "-1", "--format=%s", "main")
}

// git may be called while the host runs.
func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(w.Environ(nil), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// checkRemedied wants the ledger to tell of the block by its handle, of the person
// who granted, and of the use; and of the denial that came after it.
func (w *world) checkRemedied(seen []record.Record, handle string) {
	w.t.Helper()
	story := map[uint64]string{}
	for _, r := range seen {
		switch {
		case r.Event != "pre_tool_use":
		case isLifted(r):
			story[r.Seq] = r.Decision + " lifted"
		default:
			story[r.Seq] = r.Decision + " " + r.Handle
		}
	}
	for _, a := range w.acts() {
		story[a.Seq] = "person: " + a.Act + " " + a.Handle
	}
	var told []string
	for _, seq := range slices.Sorted(maps.Keys(story)) {
		told = append(told, story[seq])
	}
	want := []string{"deny " + handle, "person: allow " + handle, "none lifted", "deny " + handle}
	if !slices.Equal(told, want) {
		w.t.Errorf("the ledger tells %q, want %q", told, want)
	}
}

// An act is what the ledger says that a person did.
type act struct {
	Seq               uint64
	Kind, Act, Handle string
}

// acts are what people did, from the ledger as it lies there.
func (w *world) acts() []act {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.Home, ".local/state/checkrein/ledger/current.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []act
	for line := range bytes.Lines(b) {
		var a act
		if err := json.Unmarshal(line, &a); err != nil {
			w.t.Fatal(err)
		}
		if a.Kind == "person" {
			out = append(out, a)
		}
	}
	return out
}

// isLifted reports whether a grant let a call pass.
func isLifted(r record.Record) bool {
	return slices.ContainsFunc(r.Plan, func(s record.Step) bool { return s.Lifted != nil })
}

// lifted names the record of a call that a grant let pass.
func lifted(seen []record.Record) string {
	if i := slices.IndexFunc(seen, isLifted); i >= 0 {
		return strconv.FormatUint(seen[i].Seq, 10)
	}
	return "nothing"
}
