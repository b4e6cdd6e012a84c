package livehost

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
)

// Notes are sealed, and the ledger has each with the next event: one that is removed is
// found there, and what somebody else wrote says nothing about its host.

// writeNote writes the note of a process.
func writeNote(dir state.Dir, id process.ID, text []byte) error {
	name := Folder + "/" + fileName(id)
	sealed, err := dir.SealNote(name, text)
	if err != nil {
		sealed = append(text, '\n') // that there is a note is what matters most
	}
	return dir.Write(name, sealed)
}

// readNote returns what is noted of a process; nil = nothing, or nothing that counts.
func readNote(dir state.Dir, id process.ID) []byte {
	name := Folder + "/" + fileName(id)
	data, err := dir.Read(name, maxNote)
	if err != nil {
		return nil
	}
	body, _ := dir.OpenNote(name, data)
	return body
}

func book(dir state.Dir) *ledger.Ledger { return ledger.Open(ledger.Options{Dir: dir}) }

// hosts lists the processes that count as hosts: those with a note, and those whose note
// somebody removed.
func hosts(dir state.Dir) ([]process.ID, error) {
	ids, err := noted(dir)
	if err != nil {
		return ids, err
	}
	recorded, err := book(dir).Hosts()
	for i := range recorded {
		n := &recorded[i]
		if id, ok := parseName(n.ID); ok && !slices.Contains(ids, id) && (process.Alive(id) || time.Since(n.At) < lasting) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// heardAt is when a host was last heard of: by its note or, if somebody removed that,
// by the ledger.
func heardAt(dir state.Dir, id process.ID) (time.Time, bool) {
	if info, err := os.Lstat(dir.Path(Folder, fileName(id))); err == nil {
		return info.ModTime(), true
	}
	recorded, _ := book(dir).Hosts() // as if there were none
	for i := range recorded {
		if n := &recorded[i]; n.ID == fileName(id) {
			return n.At, true
		}
	}
	return time.Time{}, false
}

func parseName(name string) (process.ID, bool) {
	id, err := process.ParseID(strings.Replace(name, "-", ":", 1))
	return id, err == nil
}

// recently is how long Tampered reports a note that was removed and written again.
const recently = 24 * time.Hour

// Tampered lists the notes of hosts that somebody removed or changed, in words.
func Tampered(dir state.Dir) []string {
	var out []string
	recorded, err := book(dir).Hosts()
	if err != nil {
		out = append(out, fmt.Sprintf("the records of agents cannot be read: %v", err))
	}
	for i := range recorded {
		id, ok := parseName(recorded[i].ID)
		if !ok {
			continue
		}
		path := dir.Path(Folder, fileName(id))
		_, err := os.Lstat(path)
		switch {
		case err != nil && process.Alive(id):
			out = append(out, fmt.Sprintf("%s was removed while that agent was running; it counts as running all the same", path))
		case time.Since(recorded[i].Again) < recently:
			out = append(out, fmt.Sprintf("%s was removed or changed while that agent was running, and was written again", path))
		}
	}
	if len(recorded) == 0 {
		return out
	}
	ids, _ := noted(dir)
	if _, err := dir.SealNote(Folder, nil); err != nil {
		ids = nil // without the key nobody can tell
	}
	for _, id := range ids {
		if readNote(dir, id) == nil && process.Alive(id) && slices.ContainsFunc(recorded, func(n ledger.HostNote) bool { return n.ID == fileName(id) }) {
			out = append(out, fmt.Sprintf("%s was changed: what it says does not count", dir.Path(Folder, fileName(id))))
		}
	}
	return out
}
