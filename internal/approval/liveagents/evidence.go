package liveagents

import (
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Evidence is why a process counts as an agent.
type Evidence string

const (
	ByName  Evidence = "name"  // its program, or the script that it runs, is an agent's
	ByLine  Evidence = "line"  // it ran the line that install writes
	ByCalls Evidence = "calls" // it called hooks more than once; it may be any program
)

// Proven reports whether a host is an agent for certain. IsAgent reports whether a
// command line is that of an agent; it decides for notes of older builds.
func (h *Host) Proven(isAgent func(args []string) bool) bool {
	switch h.Evidence {
	case ByName, ByLine:
		return true
	case ByCalls:
		return false
	}
	up, _, err := process.Lineage(h.PID)
	return err == nil && len(up) > 0 && up[0].ID == h.ID && isAgent(up[0].Args)
}

// evidence returns why the caller counts as an agent; "" = this may be its only event.
func (c *Call) evidence(isAgent func(args []string) bool) Evidence {
	switch {
	case strings.HasPrefix(c.way.past, pastOurs):
		return ByLine
	case isAgent(c.args):
		return ByName
	case c.noted != "":
		return ByCalls
	}
	return ""
}

// firstSuffix names the files with the way of the first event of a process that is not
// known to be an agent. They are no notes: such a process is no host yet.
const firstSuffix = ".first"

func firstFile(id process.ID) string { return Folder + "/" + fileName(id) + firstSuffix }

// noteFirst keeps the way of a first event.
func noteFirst(dir state.Dir, c *Call) {
	if dir.Write(firstFile(c.ID), []byte(c.way.String())) == nil { // else the next event is the first
		dropDead(dir)
	}
}

// firstWay returns the way of the first event of a process; "" = none was kept.
func firstWay(dir state.Dir, id process.ID) string {
	way, _ := dir.Read(firstFile(id), maxNote) // as above
	return string(way)
}

// dropFirst removes the files of first events whose processes ended.
func dropFirst(dir state.Dir) {
	names, _ := dir.Names(Folder) // else the next one does
	for _, name := range names {
		of, ok := strings.CutSuffix(name, firstSuffix)
		if !ok {
			continue
		}
		if id, err := process.ParseID(strings.Replace(of, "-", ":", 1)); err != nil || !process.IsAlive(id) {
			_ = dir.Remove(Folder + "/" + name) // as above
		}
	}
}

// quiet is how long a note must not have been renewed before a person below its process
// can have it dropped: the process called no hook for at least half of it. A call of an
// agent's tool comes right after the hook that judged it.
const quiet = 2 * renewEvery

// QuietAt returns the time from which a host counts as quiet, if it calls no hook
// until then. It reports false for a host whose note is missing or not as checkrein left
// it: such a host never counts as quiet.
func QuietAt(dir state.Dir, id process.ID) (time.Time, bool) {
	info, err := os.Lstat(dir.Path(Folder, fileName(id)))
	if err != nil || readNote(dir, id) == nil {
		return time.Time{}, false
	}
	return info.ModTime().Add(quiet), true
}

// Forget removes the note of a process, and records that: one that is gone without a
// record counts.
func Forget(dir state.Dir, id process.ID) error {
	if err := book(dir).AppendForgotten(fileName(id)); err != nil {
		return err
	}
	_ = dir.Remove(firstFile(id)) // most have none
	return dir.Remove(Folder + "/" + fileName(id))
}
