// Package liveagents finds the processes of this machine that are agents, because
// they call hooks, so that a command for people can be refused to an agent.
//
// Every `checkrein hook` notes its host: a small file in the state directory,
// named after the host's process and the time it started, which is written once
// in a host's life. What runs below such a process was started by an agent. A
// process that is not known to be an agent is noted with its second event, see
// [Evidence]: people, services and tests run `checkrein hook` once to try it.
//
// It is a guard rail. Who can read the ledger's key can make and remove notes, and a
// process that has left its ancestors behind is recognised only by having none.
package liveagents

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Folder is where the notes are, in the state directory.
const Folder = "hosts"

const (
	maxNote  = 16 << 10
	maxNotes = 4096 // that are looked at
	unnamed  = "an agent"
)

// A Host is an agent host that is running.
type Host struct {
	process.ID
	Name   string // of the host, as hook was told it
	Config string // where the person's own files lie, as hook was told it; "" = nowhere
	Gone   bool   // it has ended, and what it started may be left

	Note  string    // the path of its note; "" = that was removed, and the ledger has it
	Heard time.Time // when a hook call last renewed the note

	Evidence Evidence // why it counts as an agent; "" = an older build wrote the note

	Spaces process.Namespaces // that it is in
}

// Note notes which process called us for a host, and on what way, unless it is
// known. It asks about only for a host that is new. What cannot be noted is not: the
// event is to be answered all the same. IsAgent reports whether a command line is
// that of an agent.
//
// It reports whether no host but a hook of ours called us, or a host below so many
// of our hooks that they must be calling each other: then nothing is noted.
func Note(dir state.Dir, c *Call, isAgent func(args []string) bool, about func() Host) (inside bool) {
	switch {
	case c.inside:
		return true
	case c.PID <= 1:
		return false
	case known(dir, c.ID):
		if c.noted != "" {
			return false
		}
	case Deep():
		return true
	}
	evidence := c.evidence(isAgent)
	if evidence == "" {
		noteFirst(dir, c)
		return false
	}
	if note(dir, c.ID, cmp.Or(c.noted, c.way.String()), evidence, about) {
		c.Written = fileName(c.ID)
	}
	return false
}

// NoteSelf notes this process as a host: a runtime that embeds checkrein is one
// itself. It returns the name of the note if it wrote one.
func NoteSelf(dir state.Dir, about func() Host) string {
	self, err := process.Self()
	if err != nil {
		return ""
	}
	return noteNew(dir, self, "self", ByName, about)
}

// NoteProcess notes another process as a host, one whose events come by another way
// than a call. It returns the name of the note if it wrote one.
func NoteProcess(dir state.Dir, id process.ID, way string, about func() Host) string {
	return noteNew(dir, id, way, ByCalls, about)
}

// noteNew notes a process that has no note, and returns the name of the note.
func noteNew(dir state.Dir, id process.ID, way string, evidence Evidence, about func() Host) string {
	if id.PID > 1 && !known(dir, id) && note(dir, id, way, evidence, about) {
		return fileName(id)
	}
	return ""
}

// note writes the note of a process and reports whether it could.
func note(dir state.Dir, id process.ID, way string, evidence Evidence, about func() Host) bool {
	h := about()
	text := rawjson.Object{'{'}
	text.Text("host", h.Name)
	text.Text("config", h.Config)
	of := process.NamespacesOf(id.PID)
	text.Text("space", process.PIDNamespace()) // which the number is from
	text.Text("mnt", of.Mount)
	text.Text("user", of.User)
	text.Text("time", of.Time)
	text.Text("way", way)
	text.Text("evidence", string(evidence))
	text.Close()
	if writeNote(dir, id, text) != nil {
		return false
	}
	_ = dir.Remove(firstFile(id)) // else dropDead does
	dropDead(dir)
	return true
}

func known(dir state.Dir, id process.ID) bool {
	path := dir.Path(Folder, fileName(id))
	if path == "" {
		return false
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > renewEvery {
		_ = os.Chtimes(path, now, now) // else it is renewed with the next event
	}
	return true
}

const (
	renewEvery = 30 * time.Second // how old a note gets at most before a call of its host renews it
	renewal    = 10 * time.Minute // how long after its last call a host that ended may have run
	// heard is how long the host of a note counts as alive where that cannot be
	// looked up: its number is of another set of processes, such as a container's.
	heard = 2 * time.Hour
	// lasting is how long the note of a host that ended is kept: as long as what was
	// blocked can be allowed, since what it left running could do that.
	lasting = 24 * time.Hour
	maxGone = 100 // notes of such hosts
)

// isFar reports whether the host of a note cannot be looked up, because its number
// is of another set of processes or its start by another clock, and whether it was
// heard of lately.
func isFar(dir state.Dir, h *Host, own process.Namespaces) (far, lately bool) {
	if !process.AreDifferent(h.Spaces.PID, own.PID) && !process.AreDifferent(h.Spaces.Time, own.Time) {
		return false, false
	}
	info, err := os.Lstat(dir.Path(Folder, fileName(h.ID)))
	return true, err == nil && time.Since(info.ModTime()) < heard
}

// ownSpaces are those that our numbers and times are from.
func ownSpaces() process.Namespaces { return process.NamespacesOf(os.Getpid()) }

// Living lists the hosts with a note: first those that are alive, then those that
// ended in the last day. Far are those that may be:
// what they start may be here, and they are not to be seen from here.
func Living(dir state.Dir) (near, far []Host, err error) {
	ids, err := hosts(dir)
	if err != nil || len(ids) == 0 {
		return nil, nil, err
	}
	if _, err := process.Self(); err != nil {
		return nil, nil, err // and so nothing can be told of the others
	}
	own := ownSpaces()
	var gone []Host
	for _, id := range ids {
		h := read(dir, id)
		if elsewhere, lately := isFar(dir, &h, own); elsewhere {
			// Nothing that runs in a part of a machine gets out into the whole of it.
			if lately && (process.InContainer() || process.AreDifferent(h.Spaces.Time, own.Time)) {
				far = append(far, h)
			}
			continue
		}
		if process.IsAlive(id) {
			near = append(near, h)
		} else if at, ok := ended(dir, id); ok {
			h.Gone, h.Heard = true, at
			gone = append(gone, h)
		}
	}
	return append(near, gone...), far, err
}

// CountsUntil returns the time until which a host that has ended counts.
func (h *Host) CountsUntil() time.Time { return h.Heard.Add(lasting) }

// ended is when a host that has ended was last heard of; false = so long ago that
// it does not count, or before the machine started.
func ended(dir state.Dir, id process.ID) (time.Time, bool) {
	at, ok := lastCall(dir, id)
	if !ok || time.Since(at) > lasting {
		return time.Time{}, false
	}
	start, ok := process.StartTime(id)
	return at, ok && !at.Before(start)
}

func fileName(id process.ID) string {
	return strconv.Itoa(id.PID) + "-" + strconv.FormatUint(id.Start, 10)
}

// noted lists the processes that have a note, at most so many.
func noted(dir state.Dir) ([]process.ID, error) {
	if process.IsMountedOver(dir.Path(), Folder) {
		return nil, fmt.Errorf("another file system is mounted over %s", dir.Path(Folder))
	}
	if !process.ListsTruthfully(dir.Path()) {
		return nil, fmt.Errorf("this process cannot see what is in %s", dir.Path())
	}
	names, err := dir.Names(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []process.ID
	for _, name := range names[:min(len(names), maxNotes)] {
		if id, ok := parseName(name); ok {
			out = append(out, id)
		}
	}
	return out, err
}

// dropDead removes the notes of hosts that are gone for a day, and the oldest of
// too many.
func dropDead(dir state.Dir) {
	ids, _ := noted(dir)
	own := ownSpaces()
	type note struct {
		id process.ID
		at time.Time
	}
	var gone []note
	for _, id := range ids {
		h := read(dir, id)
		far, lately := isFar(dir, &h, own)
		if lately || !far && process.IsAlive(id) {
			continue
		}
		if at, ok := ended(dir, id); ok && !far {
			gone = append(gone, note{id, at})
			continue
		}
		_ = dir.Remove(Folder + "/" + fileName(id)) // else the next one does
	}
	slices.SortFunc(gone, func(a, b note) int { return b.at.Compare(a.at) })
	for _, n := range gone[min(len(gone), maxGone):] {
		_ = dir.Remove(Folder + "/" + fileName(n.id)) // as above
	}
	dropFirst(dir)
}

// read returns what is noted of a process.
func read(dir state.Dir, id process.ID) Host {
	h := Host{ID: id}
	if note := readNote(dir, id); note != nil {
		h.Name, h.Config = rawjson.GetText(note, "host"), rawjson.GetText(note, "config")
		h.Evidence = Evidence(rawjson.GetText(note, "evidence"))
		h.Spaces = process.Namespaces{PID: rawjson.GetText(note, "space"), Mount: rawjson.GetText(note, "mnt"), User: rawjson.GetText(note, "user"), Time: rawjson.GetText(note, "time")}
	}
	if h.Name == "" {
		h.Name = unnamed
	}
	path := dir.Path(Folder, fileName(id))
	if info, err := os.Lstat(path); err == nil {
		h.Note, h.Heard = path, info.ModTime()
	}
	return h
}
