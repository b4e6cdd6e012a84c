package liveagents

import (
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Evidence is the reason why a process counts as an agent.
type Evidence string

const (
	ByName  Evidence = "name"  // its program, or the script that it runs, is an agent
	ByLine  Evidence = "line"  // it ran a command line that checkrein install writes
	ByCalls Evidence = "calls" // it called hooks more than once; it may be any program
)

// IsProvenAgent reports whether h is certainly an agent. isAgent reports whether a command line is
// that of an agent; it decides if an older build wrote the note.
func (h *Host) IsProvenAgent(isAgent func(args []string) bool) bool {
	switch h.Evidence {
	case ByName, ByLine:
		return true
	case ByCalls:
		return false
	}
	up, _, err := process.Lineage(h.PID)
	return err == nil && len(up) > 0 && up[0].ID == h.ID && isAgent(up[0].Args)
}

// evidence returns why the caller counts as an agent, or "" if it may not be one, because this may be
// its only event.
func (c *Call) evidence(isAgent func(args []string) bool) Evidence {
	switch {
	case strings.HasPrefix(c.route.via, viaOurs):
		return ByLine
	case isAgent(c.args):
		return ByName
	case c.notedRoute != "":
		return ByCalls
	}
	return ""
}

// firstSuffix ends the names of files with the route of the first event of a process that may not be
// an agent. Such a process is not a host yet, so the files are not notes.
const firstSuffix = ".first"

// firstFile returns the path of the file for the first event of id.
func firstFile(id process.ID) string { return Folder + "/" + noteName(id) + firstSuffix }

// writeFirstRoute stores the route of c, the first event of its process.
func writeFirstRoute(dir state.Dir, c *Call) {
	if dir.Write(firstFile(c.ID), []byte(c.route.String())) == nil { // otherwise the next event counts as the first
		removeDeadNotes(dir)
	}
}

// readFirstRoute returns the route of the first event of id, or "" if none was stored.
func readFirstRoute(dir state.Dir, id process.ID) string {
	way, _ := dir.Read(firstFile(id), maxNote) // otherwise this event counts as the first
	return string(way)
}

// removeDeadFirst removes the files of first events whose processes have ended.
func removeDeadFirst(dir state.Dir) {
	names, _ := dir.Names(Folder) // on error, a later call removes them
	for _, name := range names {
		of, ok := strings.CutSuffix(name, firstSuffix)
		if !ok {
			continue
		}
		if id, err := process.ParseID(strings.Replace(of, "-", ":", 1)); err != nil || !process.IsAlive(id) {
			_ = dir.Remove(Folder + "/" + name) // see above
		}
	}
}

// quietPeriod is how long a note must not have been renewed before a person below its process can have
// it removed. The process has then called no hook for at least half of that time, whereas a call of an
// agent's tool comes right after the hook that judged it.
const quietPeriod = 2 * renewEvery

// QuietAt returns the time from which the host id counts as quiet if it calls no hook until then. It
// reports false if the host's note is missing or was tampered with; such a host never counts as quiet.
func QuietAt(dir state.Dir, id process.ID) (time.Time, bool) {
	info, err := os.Lstat(dir.Path(Folder, noteName(id)))
	if err != nil || readNote(dir, id) == nil {
		return time.Time{}, false
	}
	return info.ModTime().Add(quietPeriod), true
}

// Forget removes the note of id, after recording that in the ledger. A host whose note is missing
// without such a record still counts.
func Forget(dir state.Dir, id process.ID) error {
	if err := openLedger(dir).AppendHostForgotten(noteName(id)); err != nil {
		return err
	}
	_ = dir.Remove(firstFile(id)) // it usually does not exist
	return dir.Remove(Folder + "/" + noteName(id))
}
