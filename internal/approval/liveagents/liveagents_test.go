//go:build linux || darwin

package liveagents

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// The note of an ancestor is found and read. The note of a process that has ended, or whose pid was
// reused, is not found, and is removed with the next host.
func TestNotes(t *testing.T) {
	t.Parallel()
	dir := ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state")))
	if _, found, err := StartedByAgent(dir); found || err != nil {
		t.Errorf("without notes: %v, %v", found, err)
	}
	parent, err := process.ParentID()
	if err != nil {
		t.Fatal(err)
	}
	reused := process.ID{PID: parent.PID, Start: parent.Start + 1}
	if err := dir.Write(Folder+"/"+noteName(reused), []byte(`{"host":"other"}`)); err != nil {
		t.Fatal(err)
	}
	if f, found, err := StartedByAgent(dir); found || err != nil {
		t.Errorf("a number that was used again counts: %+v, %v", f, err)
	}
	if err := writeNote(dir, parent, []byte(`{"host":"claude","config":"/c"}`)); err != nil {
		t.Fatal(err)
	}
	f, found, err := StartedByAgent(dir)
	f.Note, f.LastCall = "", time.Time{}
	if want := (Finding{Host: Host{ID: parent, Name: "claude", Config: "/c"}}); f != want || !found || err != nil {
		t.Errorf("got %+v, %v, %v; want %+v", f, found, err, want)
	}
	removeDeadNotes(dir)
	if !renewNote(dir, parent) || !renewNote(dir, reused) {
		t.Error("the living go, or those that ended just now")
	}
	if hosts, _, err := RecentHosts(dir); err != nil || len(hosts) != 2 || hosts[0].ID != parent || hosts[0].Gone || hosts[1].ID != reused || !hosts[1].Gone {
		t.Errorf("living %+v, %v; want the parent and, gone, the other", hosts, err)
	}
	long := time.Now().Add(-keepEnded - time.Minute)
	for _, id := range []process.ID{parent, reused} {
		if err := os.Chtimes(dir.Path(Folder, noteName(id)), long, long); err != nil {
			t.Fatal(err)
		}
	}
	removeDeadNotes(dir)
	if !renewNote(dir, parent) || renewNote(dir, reused) {
		t.Error("the living go, or what ended a day ago stays")
	}
}

// A host whose note was removed or changed counts nevertheless, and DescribeTampering lists it.
func TestNotesRemoved(t *testing.T) {
	t.Parallel()
	parent, err := process.ParentID()
	if err != nil {
		t.Fatal(err)
	}
	text := `{"host":"claude","config":"/c"}`
	for name, tamper := range map[string]func(dir state.Dir, path string) error{
		"removed":  func(_ state.Dir, path string) error { return os.Remove(path) },
		"all gone": func(dir state.Dir, _ string) error { return os.RemoveAll(dir.Path(Folder)) },
		"changed": func(_ state.Dir, path string) error {
			return os.WriteFile(path, []byte(`{"host":"claude","config":"/evil"}`), 0o600)
		},
	} {
		dir := ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state")))
		note := func() {
			if err := writeNote(dir, parent, []byte(text)); err != nil {
				t.Fatal(err)
			}
			if _, err := openLedger(dir).Append(ledger.KindEvent, []byte(`"noted":["`+noteName(parent)+`"]`), false); err != nil {
				t.Fatal(err)
			}
		}
		note()
		if told := DescribeTampering(dir); len(told) != 0 {
			t.Errorf("%s: before: %q", name, told)
		}
		if _, ok := QuietAt(dir, parent); !ok {
			t.Errorf("%s: before: it is never quiet", name)
		}
		if err := tamper(dir, dir.Path(Folder, noteName(parent))); err != nil {
			t.Fatal(err)
		}
		if f, found, err := StartedByAgent(dir); !found || err != nil || f.Config != "" {
			t.Errorf("%s: %+v, %v, %v", name, f, found, err)
		}
		if at, ok := QuietAt(dir, parent); ok {
			t.Errorf("%s: it is quiet at %s", name, at)
		}
		if told := DescribeTampering(dir); len(told) != 1 {
			t.Errorf("%s: %q", name, told)
		}
		note()
		if told := DescribeTampering(dir); len(told) != 1 {
			t.Errorf("%s, written again: %q", name, told)
		}
		if err := Forget(dir, parent); err != nil {
			t.Fatal(err)
		}
		if _, found, err := StartedByAgent(dir); found || err != nil || len(DescribeTampering(dir)) != 0 {
			t.Errorf("%s: what a person took back counts: %v, %v", name, err, DescribeTampering(dir))
		}
	}
}

// Of very many hosts that have ended, the notes of those that called last stay.
func TestNotesOfMany(t *testing.T) {
	t.Parallel()
	dir := ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state")))
	self, err := process.SelfID()
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) process.ID { return process.ID{PID: self.PID, Start: self.Start - uint64(i) - 1} }
	began := time.Now()
	for i := range maxGone + 5 {
		if err := dir.Write(Folder+"/"+noteName(at(i)), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		heard := began.Add(-time.Duration(i) * time.Millisecond)
		if err := os.Chtimes(dir.Path(Folder, noteName(at(i))), heard, heard); err != nil {
			t.Fatal(err)
		}
	}
	removeDeadNotes(dir)
	if ids, _ := notedProcesses(dir); len(ids) != maxGone || !renewNote(dir, at(0)) || renewNote(dir, at(maxGone)) {
		t.Errorf("%d notes stay, want %d", len(ids), maxGone)
	}
}

func isAgent([]string) bool   { return true }
func isNoAgent([]string) bool { return false }

// A program that is not known to be an agent is noted with its second event, by the route of the
// first.
func TestNoteOfUnknown(t *testing.T) {
	t.Parallel()
	dir := ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state")))
	host, ok := findCaller()
	if !ok {
		t.Skip("SKIPPED: the tests were started from a shell that is typed in")
	}
	about := func() Host { return Host{Name: "claude"} }
	never := func(string) (ok, today bool) { return false, false }
	first := InspectCall(dir, never)
	NoteHost(dir, &first, isNoAgent, about)
	if f, found, err := StartedByAgent(dir); found || err != nil || renewNote(dir, host.ID) {
		t.Errorf("one event makes a host: %+v, %v", f, err)
	}
	removeDeadNotes(dir)
	second := InspectCall(dir, never)
	NoteHost(dir, &second, isNoAgent, about)
	h := readHost(dir, host.ID)
	if second.notedRoute != first.route.String() || h.Evidence != ByCalls || h.IsProvenAgent(isNoAgent) {
		t.Errorf("the second event: way %q, %+v", second.notedRoute, h)
	}
	if err := Forget(dir, host.ID); err != nil || renewNote(dir, host.ID) || readFirstRoute(dir, host.ID) != "" {
		t.Errorf("a note that is forgotten stays: %v", err)
	}
}

// The program that runs the tests is noted, once.
func TestNote(t *testing.T) {
	t.Parallel()
	dir := ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state")))
	host, ok := findCaller()
	if !ok {
		t.Skip("SKIPPED: the tests were started from a shell that is typed in")
	}
	asked := 0
	about := func() Host { asked++; return Host{Name: "claude", Config: "/c"} }
	never := func(string) (ok, today bool) { return false, false }
	first := InspectCall(dir, never)
	NoteHost(dir, &first, isAgent, about)
	second := InspectCall(dir, never)
	NoteHost(dir, &second, isAgent, about)
	if !second.MatchesRoute() || second.notedRoute != first.route.String() {
		t.Errorf("the way of the first call, %s, is noted as %s", first.route, second.notedRoute)
	}
	h := readHost(dir, host.ID)
	if filepath.Base(h.Note) != noteName(host.ID) || time.Since(h.LastCall) > time.Minute {
		t.Errorf("noted in %s at %s", h.Note, h.LastCall)
	}
	h.Note, h.LastCall = "", time.Time{}
	if asked != 1 || h != (Host{ID: host.ID, Name: "claude", Config: "/c", Evidence: ByName, Spaces: process.NamespacesOf(host.PID)}) {
		t.Errorf("asked %d times, noted %+v", asked, h)
	}
	NoteSelf(dir, about)
	self, err := process.SelfID()
	if err != nil || !renewNote(dir, self) || !renewNote(dir, host.ID) {
		t.Errorf("a runtime is not noted beside its caller: %v", err)
	}
	NoteHost(state.Dir{}, &first, isAgent, about) // nowhere to note it, which is no error
}

// The host is determined for every event.
func BenchmarkInspectCall(b *testing.B) {
	dir := ledger.SealedDir(state.NewDir(filepath.Join(b.TempDir(), "state")))
	for b.Loop() {
		c := InspectCall(dir, func(string) (ok, today bool) { return false, false })
		NoteHost(dir, &c, isAgent, func() Host { return Host{} })
	}
}
