package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
)

// A containedRun is what checkrein remembers about a contained command until its call ends.
type containedRun struct {
	Programs []string // because of which it is contained
	Network  bool     // it may use the network
	Dirs     []string // of the project
	Began    time.Time
	Files    [][]walls.LaterFile // of each of Dirs, before the command ran
}

// timesFile is the name of the file of the state directory with the times of contained commands.
const timesFile = wrap.Folder + "/times"

// runName returns the name of the file about the run of the call of ev.
func runName(ev *checkrein.Event) string {
	sum := sha256.Sum256([]byte(ev.Host + "\x00" + ev.Session.ID + "\x00" + ev.Tool.CallID))
	return wrap.Runs + "/" + hex.EncodeToString(sum[:16])
}

// beginRun remembers a contained run that is about to begin, and the files of the project that
// something runs later.
func (k *Kit) beginRun(ev *checkrein.Event, run *containedRun) {
	run.Files = make([][]walls.LaterFile, len(run.Dirs))
	for i, dir := range run.Dirs {
		run.Files[i], _ = walls.ReadLater(dir) // what cannot be read cannot be compared
	}
	k.addRunTime(ev.Session.Root, run.Began)
	data, err := json.Marshal(run)
	if err == nil {
		data, err = k.state.SealNote(runName(ev), data)
	}
	if err == nil {
		err = k.state.WriteFast(runName(ev), data)
	}
	if err != nil {
		k.logLine("a contained command is not watched: " + err.Error())
	}
}

// endRun returns what checkrein remembered about the contained run of the call of ev, or false if there
// is nothing.
func (k *Kit) endRun(ev *checkrein.Event) (run containedRun, ok bool) {
	data, err := k.state.Read(runName(ev), 16<<20)
	if err != nil {
		return run, false
	}
	body, ok := k.state.UnsealNote(runName(ev), data)
	_ = k.state.Remove(runName(ev)) // a sweep removes it otherwise
	return run, ok && json.Unmarshal(body, &run) == nil
}

// reportWalls returns what a person should know about walls after the call of t: that the command did
// not run through the wrapper, that files were put back, or that walls stopped something. The model is
// then told not to retry.
func (k *Kit) reportWalls(t *turn) []string {
	ev := &t.event
	if !t.real || ev.Kind != checkrein.PostToolUse && ev.Kind != checkrein.PostToolUseFailure || shellCommand(ev) == "" {
		return nil
	}
	if _, walled := k.wrapperOf(ev); !walled {
		return nil
	}
	receipt, ok := k.awaitReceipt(ev.Session.ID, ev.Tool.CallID)
	if !ok && ev.Kind == checkrein.PostToolUseFailure {
		return nil // the host may not have started it
	}
	if !ok {
		_ = k.state.WriteFast(wrap.Missed, []byte(k.now().UTC().Format(time.RFC3339)+"\n")) // the notice is given anyway
		return []string{"This command did not run through checkrein-shell as it was permitted: checkrein asks about unknown commands until the next session"}
	}
	run, ok := k.endRun(ev)
	if !ok || !receipt.Contained {
		return nil
	}
	out := k.putBack(&run)
	output := string(ev.Tool.Output) + string(ev.Detail("error")) + ev.Text
	if !walls.ReportsDenial(output) {
		return out
	}
	v := &t.out.Verdict
	v.Context = append(v.Context, "checkrein ran this command behind walls: it may change the project and temporary files, and may not read credentials. "+
		"If that is why it failed, do not retry it in another way, and do not use sudo or chown. Tell the user.")
	line := "Walls may have stopped something that " + strings.Join(run.Programs, ", ") + " did"
	if handle := k.offerOpening(ev, &run); handle != "" {
		line += "; to let it, run checkrein allow " + handle
	}
	return append(out, line)
}

// putBack puts back the files that something runs later, where the run changed them, and returns what to
// tell the person.
func (k *Kit) putBack(run *containedRun) []string {
	var out []string
	for i, dir := range run.Dirs {
		if i >= len(run.Files) {
			break
		}
		back, changed, err := walls.PutBack(dir, run.Files[i], isHarmlessChange)
		if len(back) > 0 {
			out = append(out, "A contained command changed "+strings.Join(back, ", ")+", which something runs later: checkrein put it back")
		}
		if len(changed) > 0 {
			out = append(out, "A contained command changed "+strings.Join(changed, ", ")+", which something runs later")
		}
		if err != nil {
			out = append(out, fmt.Sprintf("checkrein could not put back all files of %s: %v", dir, err))
		}
	}
	return out
}

// isHarmlessChange reports whether a change of the file name from was to is need not be put back: if it
// holds settings of git, when they name the same programs and files to load.
func isHarmlessChange(name string, was, is []byte) bool {
	if base := path.Base(name); base != "config" && base != "config.worktree" {
		return false
	}
	return slices.Equal(programSettings(was), programSettings(is))
}

// programSettings returns the settings of git in text that name programs or files to load, sorted.
func programSettings(text []byte) []string {
	var out []string
	for _, s := range gitconfig.ParseSettings(string(text)) {
		if key := s.FullKey(); shell.GitSettingCommand(key, s.Value) != "" || shell.GitSettingLoads(key) {
			out = append(out, key+"="+s.Value)
		}
	}
	slices.Sort(out)
	return out
}

// offerOpening saves a handle by which a person can open the walls for the programs of the run, and
// returns it, or "" if that fails.
func (k *Kit) offerOpening(ev *checkrein.Event, run *containedRun) string {
	next := grant.OpenOutside
	if !run.Network {
		next = grant.OpenNetwork
	}
	by := grant.Decider{Hook: "walls", Type: "builtin", Scope: checkrein.ScopeUser.String(), Rule: "walls", Decision: "contained", Reason: "it ran behind walls, which may have stopped something"}
	b := grant.Block{Event: ev.Kind.String(), Host: ev.Host, Session: ev.Session.ID, Agent: ev.Session.Agent, Root: ev.Session.Root, Dir: ev.Session.Dir, Call: ev.Tool.CallID,
		Tool: ev.Tool.Name, Shown: lineOfCall(ev), Decision: "contained", By: []grant.Decider{by}, Opens: &grant.Opening{Programs: run.Programs, What: next}}
	b.Text = strings.Join(append([]string{next}, run.Programs...), " ")
	key, err := k.ledger.Key()
	if err == nil {
		handles := key.Derive(ledger.LabelHandles)
		err = k.grants.SaveBlock(&b, handles[:])
	}
	if err != nil {
		k.logLine("an opening has no handle: " + err.Error())
		return ""
	}
	return b.Handle
}

// maxRunTimes is how many contained runs are remembered by time.
const maxRunTimes = 512

// A runTime is when a contained command of a project ran. A command that ended later than checkrein
// heard, such as one in the background, counts for as long as its ticket.
type runTime struct {
	Root  string    `json:"root"`
	Began time.Time `json:"began"`
}

// addRunTime remembers that a contained command of the project root begins at the time began.
func (k *Kit) addRunTime(root string, began time.Time) {
	list := k.runTimes()
	if n := len(list); n > 0 && list[n-1].Root == root && began.Sub(list[n-1].Began) < time.Minute {
		return // the earlier one covers it
	}
	list = append(list, runTime{root, began})
	data, err := json.Marshal(list[max(0, len(list)-maxRunTimes):])
	if err == nil {
		data, err = k.state.SealNote(timesFile, data)
	}
	if err == nil {
		_ = k.state.WriteFast(timesFile, data) // then what the command writes counts as the project's own
	}
}

// runTimes returns when contained commands ran, the oldest first.
func (k *Kit) runTimes() []runTime {
	data, err := k.state.Read(timesFile, 1<<20)
	if err != nil {
		return nil
	}
	var list []runTime
	if body, ok := k.state.UnsealNote(timesFile, data); ok {
		_ = json.Unmarshal(body, &list) // an unreadable list is as good as none
	}
	return list
}

// mayBeContainedWork reports whether a contained command may have written the file path: its inode
// changed while one ran in that project. Programs cannot set that time.
func (k *Kit) mayBeContainedWork(path string) bool {
	if !k.state.Has(timesFile) {
		return false
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	changed := state.ChangeTime(info)
	for _, r := range k.runTimes() {
		rel, err := filepath.Rel(r.Root, path)
		if err == nil && filepath.IsLocal(rel) && !changed.Before(r.Began) && changed.Before(r.Began.Add(wrap.Lifetime)) {
			return true
		}
	}
	return false
}
