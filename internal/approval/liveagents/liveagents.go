// Package liveagents finds the processes of this machine that are agents, because they call hooks, so
// that commands for people can be refused to agents.
//
// Every checkrein hook notes its host once: it writes a small file to the state directory, named after
// the host's process and its start time. Processes below such a host were started by an agent. A
// process that is not known to be an agent is noted only with its second event, see [Evidence], since
// people, services and tests run checkrein hook once to try it.
//
// It is a guard rail, not a barrier. A process that can read the ledger's key can write and remove
// notes, and a process that detached from its ancestors is recognised only because it has no ancestors.
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

// Folder is the directory of the notes in the state directory.
const Folder = "hosts"

const (
	maxNote  = 16 << 10
	maxNotes = 4096 // number of notes that are read
	unnamed  = "an agent"
)

// A Host is a running agent host.
type Host struct {
	process.ID
	Name   string // as passed to the hook command
	Config string // the directory of the user's own files, as passed to the hook command; "" means none
	Gone   bool   // it has ended, but programs that it started may be left

	Note     string    // the path of its note; "" means that the note was removed and the ledger records it
	LastCall time.Time // when a hook call last renewed the note

	Evidence Evidence // why it counts as an agent; "" means that an older build wrote the note

	Spaces process.Namespaces // the namespaces that it is in
}

// NoteHost records the process that called on behalf of a host, and its route, unless a note about it
// exists. It calls about only for a new host. isAgent reports whether a command line is that of an
// agent. Failures are ignored, since the event must be answered anyway.
//
// The result reports whether the caller is one of checkrein's hooks rather than a host, or a host
// nested in so many of these hooks that they must be calling each other. Nothing is recorded then.
func NoteHost(dir state.Dir, c *Call, isAgent func(args []string) bool, about func() Host) (inside bool) {
	switch {
	case c.inside:
		return true
	case c.PID <= 1:
		return false
	case renewNote(dir, c.ID):
		if c.notedRoute != "" {
			return false
		}
	case IsTooNested():
		return true
	}
	evidence := c.evidence(isAgent)
	if evidence == "" {
		writeFirstRoute(dir, c)
		return false
	}
	if noteProcess(dir, c.ID, cmp.Or(c.notedRoute, c.route.String()), evidence, about) {
		c.Written = noteName(c.ID)
	}
	return false
}

// NoteSelf notes this process as a host, for a runtime that embeds checkrein. It returns the name of
// the note if it wrote one, otherwise "".
func NoteSelf(dir state.Dir, about func() Host) string {
	self, err := process.SelfID()
	if err != nil {
		return ""
	}
	return noteIfNew(dir, self, "self", ByName, about)
}

// NoteProcess notes id as a host whose events do not come from hook calls but by way. It returns the
// name of the note if it wrote one, otherwise "".
func NoteProcess(dir state.Dir, id process.ID, way string, about func() Host) string {
	return noteIfNew(dir, id, way, ByCalls, about)
}

// noteIfNew notes id unless it has a note. It returns the name of the note if it wrote one, otherwise
// "".
func noteIfNew(dir state.Dir, id process.ID, way string, evidence Evidence, about func() Host) string {
	if id.PID > 1 && !renewNote(dir, id) && noteProcess(dir, id, way, evidence, about) {
		return noteName(id)
	}
	return ""
}

// noteProcess writes the note of id and reports whether it succeeded. way is the route of its events.
func noteProcess(dir state.Dir, id process.ID, way string, evidence Evidence, about func() Host) bool {
	h := about()
	text := rawjson.Object{'{'}
	text.Text("host", h.Name)
	text.Text("config", h.Config)
	of := process.NamespacesOf(id.PID)
	text.Text("space", process.PIDNamespace()) // the namespace of the pid
	text.Text("mnt", of.Mount)
	text.Text("user", of.User)
	text.Text("time", of.Time)
	text.Text("way", way)
	text.Text("evidence", string(evidence))
	text.Close()
	if writeNote(dir, id, text) != nil {
		return false
	}
	_ = dir.Remove(firstFile(id)) // otherwise removeDeadNotes does
	removeDeadNotes(dir)
	return true
}

// renewNote reports whether id has a note, and renews the note if it is old.
func renewNote(dir state.Dir, id process.ID) bool {
	path := dir.Path(Folder, noteName(id))
	if path == "" {
		return false
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > renewEvery {
		_ = os.Chtimes(path, now, now) // otherwise the next event renews it
	}
	return true
}

const (
	renewEvery = 30 * time.Second // age from which a call of its host renews a note
	renewal    = 10 * time.Minute // how long a host that has ended may have run after its last call
	// recentCall is how long the host of a note counts as running if that cannot be
	// checked: its pid is from another namespace, such as a container's.
	recentCall = 2 * time.Hour
	// keepEnded is how long the note of an ended host is kept. That is as long as a blocked
	// call can be allowed, since programs that the host left running could allow it.
	keepEnded = 24 * time.Hour
	maxGone   = 100 // notes of such hosts
)

// isUninspectable reports whether h cannot be inspected, because its pid is from another namespace or
// its start time from another clock, and whether it called recently.
func isUninspectable(dir state.Dir, h *Host, own process.Namespaces) (far, lately bool) {
	if !process.AreNamespacesDifferent(h.Spaces.PID, own.PID) && !process.AreNamespacesDifferent(h.Spaces.Time, own.Time) {
		return false, false
	}
	info, err := os.Lstat(dir.Path(Folder, noteName(h.ID)))
	return true, err == nil && time.Since(info.ModTime()) < recentCall
}

// ownSpaces returns the namespaces of this process.
func ownSpaces() process.Namespaces { return process.NamespacesOf(os.Getpid()) }

// RecentHosts returns the hosts with a note. visible are first those that are running, then those
// that ended within the last day. hidden are hosts that may be running but cannot be inspected from
// here, while programs that they started may run here.
func RecentHosts(dir state.Dir) (visible, hidden []Host, err error) {
	ids, err := hostProcesses(dir)
	if err != nil || len(ids) == 0 {
		return nil, nil, err
	}
	if _, err := process.SelfID(); err != nil {
		return nil, nil, err // other processes cannot be inspected either
	}
	own := ownSpaces()
	var gone []Host
	for _, id := range ids {
		h := readHost(dir, id)
		if elsewhere, lately := isUninspectable(dir, &h, own); elsewhere {
			// Programs in a container cannot reach the rest of the machine.
			if lately && (process.MayBeInContainer() || process.AreNamespacesDifferent(h.Spaces.Time, own.Time)) {
				hidden = append(hidden, h)
			}
			continue
		}
		if process.IsAlive(id) {
			visible = append(visible, h)
		} else if at, ok := lastCallIfRecent(dir, id); ok {
			h.Gone, h.LastCall = true, at
			gone = append(gone, h)
		}
	}
	return append(visible, gone...), hidden, err
}

// CountsUntil returns the time until which h, a host that has ended, counts.
func (h *Host) CountsUntil() time.Time { return h.LastCall.Add(keepEnded) }

// lastCallIfRecent returns the time of the last call of id, a host that has ended. It reports false if
// that is too long ago to count, or was before the machine started.
func lastCallIfRecent(dir state.Dir, id process.ID) (time.Time, bool) {
	at, ok := lastCall(dir, id)
	if !ok || time.Since(at) > keepEnded {
		return time.Time{}, false
	}
	start, ok := process.StartTime(id)
	return at, ok && !at.Before(start)
}

// noteName returns the file name of the note of id.
func noteName(id process.ID) string {
	return strconv.Itoa(id.PID) + "-" + strconv.FormatUint(id.Start, 10)
}

// notedProcesses returns the processes that have a note, at most maxNotes. It returns an error if the
// notes may be hidden from this process.
func notedProcesses(dir state.Dir) ([]process.ID, error) {
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
		if id, ok := parseNoteName(name); ok {
			out = append(out, id)
		}
	}
	return out, err
}

// removeDeadNotes removes the notes of hosts that ended more than a day ago, and the oldest notes of
// ended hosts if there are too many.
func removeDeadNotes(dir state.Dir) {
	ids, _ := notedProcesses(dir)
	own := ownSpaces()
	type note struct {
		id process.ID
		at time.Time
	}
	var gone []note
	for _, id := range ids {
		h := readHost(dir, id)
		far, lately := isUninspectable(dir, &h, own)
		if lately || !far && process.IsAlive(id) {
			continue
		}
		if at, ok := lastCallIfRecent(dir, id); ok && !far {
			gone = append(gone, note{id, at})
			continue
		}
		_ = dir.Remove(Folder + "/" + noteName(id)) // on error, a later call removes it
	}
	slices.SortFunc(gone, func(a, b note) int { return b.at.Compare(a.at) })
	for _, n := range gone[min(len(gone), maxGone):] {
		_ = dir.Remove(Folder + "/" + noteName(n.id)) // as above
	}
	removeDeadFirst(dir)
}

// readHost returns what the note of id contains. Without a valid note, only ID and a generic name are
// set.
func readHost(dir state.Dir, id process.ID) Host {
	h := Host{ID: id}
	if note := readNote(dir, id); note != nil {
		h.Name, h.Config = rawjson.GetText(note, "host"), rawjson.GetText(note, "config")
		h.Evidence = Evidence(rawjson.GetText(note, "evidence"))
		h.Spaces = process.Namespaces{PID: rawjson.GetText(note, "space"), Mount: rawjson.GetText(note, "mnt"), User: rawjson.GetText(note, "user"), Time: rawjson.GetText(note, "time")}
	}
	if h.Name == "" {
		h.Name = unnamed
	}
	path := dir.Path(Folder, noteName(id))
	if info, err := os.Lstat(path); err == nil {
		h.Note, h.LastCall = path, info.ModTime()
	}
	return h
}
