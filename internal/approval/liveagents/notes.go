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

// Notes are sealed, and the ledger's record of the next event names each of them. A removed note is found
// there, and a note without a valid seal is ignored.

// writeNote writes text as the note of id, sealed if that is possible.
func writeNote(dir state.Dir, id process.ID, text []byte) error {
	name := Folder + "/" + noteName(id)
	sealed, err := dir.SealNote(name, text)
	if err != nil {
		sealed = append(text, '\n') // an unsealed note is better than none
	}
	return dir.Write(name, sealed)
}

// readNote returns the contents of the note of id, or nil if there is none or its seal is invalid.
func readNote(dir state.Dir, id process.ID) []byte {
	name := Folder + "/" + noteName(id)
	data, err := dir.Read(name, maxNote)
	if err != nil {
		return nil
	}
	body, _ := dir.UnsealNote(name, data)
	return body
}

func openLedger(dir state.Dir) *ledger.Ledger { return ledger.Open(ledger.Options{Dir: dir}) }

// hostProcesses returns the processes that count as hosts: those with a note, and those whose note was
// removed although the ledger names it.
func hostProcesses(dir state.Dir) ([]process.ID, error) {
	ids, err := notedProcesses(dir)
	if err != nil {
		return ids, err
	}
	recorded, err := openLedger(dir).Hosts()
	for i := range recorded {
		n := &recorded[i]
		if id, ok := parseNoteName(n.ID); ok && !slices.Contains(ids, id) && (process.IsAlive(id) || time.Since(n.At) < keepEnded) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// lastCall returns the time of the last hook call of id, by its note or, if that was removed, by the
// ledger. It reports false if neither is there.
func lastCall(dir state.Dir, id process.ID) (time.Time, bool) {
	if info, err := os.Lstat(dir.Path(Folder, noteName(id))); err == nil {
		return info.ModTime(), true
	}
	recorded, _ := openLedger(dir).Hosts() // an error counts as none
	for i := range recorded {
		if n := &recorded[i]; n.ID == noteName(id) {
			return n.At, true
		}
	}
	return time.Time{}, false
}

// parseNoteName returns the process whose note has this name. It reports false if there is none.
func parseNoteName(name string) (process.ID, bool) {
	id, err := process.ParseID(strings.Replace(name, "-", ":", 1))
	return id, err == nil
}

// reportPeriod is how long DescribeTampering reports a note that was removed and rewritten.
const reportPeriod = 24 * time.Hour

// DescribeTampering returns a message for each note of a host that was removed or changed.
func DescribeTampering(dir state.Dir) []string {
	var out []string
	recorded, err := openLedger(dir).Hosts()
	if err != nil {
		out = append(out, fmt.Sprintf("the records of agents cannot be read: %v", err))
	}
	for i := range recorded {
		id, ok := parseNoteName(recorded[i].ID)
		if !ok {
			continue
		}
		path := dir.Path(Folder, noteName(id))
		_, err := os.Lstat(path)
		switch {
		case err != nil && process.IsAlive(id):
			out = append(out, fmt.Sprintf("%s was removed while that agent was running; the agent counts as running nevertheless", path))
		case time.Since(recorded[i].Again) < reportPeriod:
			out = append(out, fmt.Sprintf("%s was removed or changed while that agent was running, and was written again", path))
		}
	}
	if len(recorded) == 0 {
		return out
	}
	ids, _ := notedProcesses(dir)
	if _, err := dir.SealNote(Folder, nil); err != nil {
		ids = nil // without the key no seal can be checked
	}
	for _, id := range ids {
		if readNote(dir, id) == nil && process.IsAlive(id) && slices.ContainsFunc(recorded, func(n ledger.HostNote) bool { return n.ID == noteName(id) }) {
			out = append(out, fmt.Sprintf("%s was changed, so its contents do not count", dir.Path(Folder, noteName(id))))
		}
	}
	return out
}
