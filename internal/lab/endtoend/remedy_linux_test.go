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

// forcePush overwrites commits that others pushed. It is denied without any configuration.
const forcePush = "git push --force origin main"

// remedy matches the command in a message about a block with which a person can allow the call.
var remedy = regexp.MustCompile(`checkrein allow ([0-9a-f]{4,})\b`)

// TestHostRemedy has the model of each host push by force three times in one session. The first push
// is blocked, and the message to the model names a handle. A person runs one command in a separate
// terminal; the second push works; the third is blocked again.
func TestHostRemedy(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := buildPrograms(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) { testRemedy(t, programs, f) })
	}
}

func testRemedy(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	origin := w.makeRemote()
	person, err := w.openUserTerminal()
	if err != nil {
		t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
	}

	var saw [4]string // main of origin before each call, and after the last
	var handle, granted string
	between := []func(mockmodel.Request){
		func(mockmodel.Request) { saw[0] = w.tipMessage(origin) },
		func(q mockmodel.Request) {
			saw[1] = w.tipMessage(origin)
			handle = lastHandle(q)
			granted = person.run("checkrein allow "+handle+" --once", "[y/N] ", "y")
		},
		func(mockmodel.Request) {
			saw[2] = w.tipMessage(origin)
			w.runGit(w.Project, "commit", "-q", "--amend", "--allow-empty", "-m", "mine again") // else there is nothing to overwrite
		},
		func(mockmodel.Request) { saw[3] = w.tipMessage(origin) },
	}
	res := w.Run(hostlab.Run{Prompt: "please push", Script: stepwise(between, forcePush)})
	person.exitShell() // the end of a run took the shell, as it takes all that has this home
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	if want := [...]string{"theirs", "theirs", "mine", "mine"}; saw != want {
		t.Errorf("main of origin before each call and after the last: %q, want %q", saw, want)
	}
	told := w.callResults(res, 3)
	if handle == "" || remedy.MatchString(told[1]) || !remedy.MatchString(told[2]) {
		t.Errorf("the model was told of handle %q, then\n%s\nand then\n%s\nwant no handle, and one", handle, told[1], told[2])
	}
	if !strings.Contains(granted, "Allow it? [y/N] y\n✓ allowed (grant g1)") || !strings.Contains(granted, forcePush) {
		t.Errorf("the person saw\n%s", granted)
	}
	seen := w.readLedger()
	w.checkRemedied(seen, handle)
	tr := transcript{w: w, handle: handle, told: told, granted: granted}
	if person, err = w.openUserTerminal(); err != nil {
		t.Fatal(err)
	}
	defer person.exitShell()
	tr.list = person.run("checkrein allow --list", "", "")
	if !strings.Contains(tr.list, "used up") {
		t.Errorf("the person's list says\n%s", tr.list)
	}
	tr.explain = person.run("checkrein explain "+liftedRecord(seen)+" | head -n 1", "", "")
	if !strings.Contains(tr.explain, "g1") {
		t.Errorf("explain says of the second call\n%s", tr.explain)
	}
	tr.verify = person.run("checkrein audit verify | head -n 1", "", "")
	tr.check()
}

// TestHostRemedyOnce has the model make a call that a person allowed twice in one turn: one of the two
// passes. On hosts whose calls have no ids, identical parallel calls count as one.
func TestHostRemedyOnce(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := buildPrograms(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) {
			w := newWorld(t, programs, f.host)
			w.makeRemote()
			person, err := w.openUserTerminal()
			if err != nil {
				t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
			}
			granted := ""
			s := stepwise([]func(mockmodel.Request){
				func(mockmodel.Request) {},
				func(q mockmodel.Request) {
					granted = person.run("checkrein allow "+lastHandle(q), "[y/N] ", "y")
				},
				func(mockmodel.Request) {},
			}, forcePush)
			choose := s.Choose
			s.Choose = func(q mockmodel.Request) mockmodel.Turn {
				turn := choose(q)
				if q.Turn == 1 {
					turn.Calls = append(turn.Calls, mockmodel.Shell(forcePush))
				}
				return turn
			}
			res := w.Run(hostlab.Run{Prompt: "please push", Script: s})
			person.exitShell()
			if !strings.Contains(granted, "allowed (grant g1)") {
				t.Errorf("the person saw\n%s", granted)
			}
			var judged []string
			for _, r := range w.readLedger() {
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

// lastHandle returns the last handle in the messages to the model.
func lastHandle(q mockmodel.Request) string {
	handle := ""
	for _, r := range q.Results() {
		if m := remedy.FindStringSubmatch(r.Text); m != nil {
			handle = m[1]
		}
	}
	return handle
}

// callResults returns the results that the model got for the calls of the first turns.
func (w *world) callResults(res hostlab.Result, turns int) []string {
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

// makeRemote gives the project a remote origin with a commit that a forced push would destroy, and
// returns the path of that repository.
func (w *world) makeRemote() string {
	w.t.Helper()
	origin := filepath.Join(w.Dir, "origin.git")
	w.runGit(w.Dir, "init", "-q", "--bare", "-b", "main", origin)
	w.runGit(w.Project, "config", "user.name", "ann")
	w.runGit(w.Project, "config", "user.email", "ann@example.invalid")
	w.runGit(w.Project, "remote", "add", "origin", origin)
	w.runGit(w.Project, "commit", "-q", "--allow-empty", "-m", "theirs")
	w.runGit(w.Project, "push", "-q", "origin", "main")
	w.runGit(w.Project, "commit", "-q", "--allow-empty", "--amend", "-m", "mine")
	return origin
}

// tipMessage returns the message of the newest commit of main.
func (w *world) tipMessage(repository string) string {
	return w.runGit(repository, "log", "-1", "--format=%s", "main")
}

// runGit runs git and returns its output. It may be called while the host runs.
func (w *world) runGit(dir string, args ...string) string {
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

// checkRemedied checks that the ledger has the block with its handle, the person's grant, its use, and
// the denial after it.
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

// An act is a ledger record of something that a person did.
type act struct {
	Seq               uint64
	Kind, Act, Handle string
}

// acts returns the records of what people did, read from the ledger's files.
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

// liftedRecord returns the name of the record of a call that a grant let pass.
func liftedRecord(seen []record.Record) string {
	if i := slices.IndexFunc(seen, isLifted); i >= 0 {
		return strconv.FormatUint(seen[i].Seq, 10)
	}
	return "nothing"
}
