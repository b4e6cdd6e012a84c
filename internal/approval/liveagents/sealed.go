package liveagents

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Notes are sealed, and the record of the next event names each: one that was removed is
// found there, and the content of a note without a valid seal does not count.

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
// was removed.
func hosts(dir state.Dir) ([]process.ID, error) {
	ids, err := noted(dir)
	if err != nil {
		return ids, err
	}
	recorded, err := book(dir).Hosts()
	for i := range recorded {
		n := &recorded[i]
		if id, ok := parseName(n.ID); ok && !slices.Contains(ids, id) && (process.IsAlive(id) || time.Since(n.At) < lasting) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// lastCall returns the time of a host's last hook call, by its note or, if that was
// removed, by the ledger.
func lastCall(dir state.Dir, id process.ID) (time.Time, bool) {
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

// reportFor is how long TamperedNotes reports a note that was removed and written again.
const reportFor = 24 * time.Hour

// TamperedNotes returns a line for each note of a host that was removed or changed.
func TamperedNotes(dir state.Dir) []string {
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
		case err != nil && process.IsAlive(id):
			out = append(out, fmt.Sprintf("%s was removed while that agent was running; it counts as running all the same", path))
		case time.Since(recorded[i].Again) < reportFor:
			out = append(out, fmt.Sprintf("%s was removed or changed while that agent was running, and was written again", path))
		}
	}
	if len(recorded) == 0 {
		return out
	}
	ids, _ := noted(dir)
	if _, err := dir.SealNote(Folder, nil); err != nil {
		ids = nil // without the key no seal can be checked
	}
	for _, id := range ids {
		if readNote(dir, id) == nil && process.IsAlive(id) && slices.ContainsFunc(recorded, func(n ledger.HostNote) bool { return n.ID == fileName(id) }) {
			out = append(out, fmt.Sprintf("%s was changed: what it says does not count", dir.Path(Folder, fileName(id))))
		}
	}
	return out
}
