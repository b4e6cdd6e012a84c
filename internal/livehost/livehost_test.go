//go:build linux || darwin

package livehost

import (
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
)

// A note of a process above us is found, with what it says; one of a process
// that is gone, or that only has the number of one, is not, and goes with the
// next host.
func TestNotes(t *testing.T) {
	t.Parallel()
	dir := state.At(filepath.Join(t.TempDir(), "state"))
	if _, found, err := Above(dir); found || err != nil {
		t.Errorf("without notes: %v, %v", found, err)
	}
	parent, err := process.Parent()
	if err != nil {
		t.Fatal(err)
	}
	reused := process.ID{PID: parent.PID, Start: parent.Start + 1}
	if err := dir.Write(folder+"/"+fileName(reused), []byte(`{"host":"other"}`)); err != nil {
		t.Fatal(err)
	}
	if f, found, err := Above(dir); found || err != nil {
		t.Errorf("a number that was used again counts: %+v, %v", f, err)
	}
	if err := dir.Write(folder+"/"+fileName(parent), []byte(`{"host":"claude","config":"/c"}`)); err != nil {
		t.Fatal(err)
	}
	f, found, err := Above(dir)
	if want := (Finding{Host: Host{ID: parent, Name: "claude", Config: "/c"}}); f != want || !found || err != nil {
		t.Errorf("got %+v, %v, %v; want %+v", f, found, err, want)
	}
	dropDead(dir)
	if !known(dir, parent) || known(dir, reused) {
		t.Error("the living go, or the dead stay")
	}
}

// Whoever runs the tests is a program, so it is noted, once.
func TestNote(t *testing.T) {
	t.Parallel()
	dir := state.At(filepath.Join(t.TempDir(), "state"))
	host, ok := caller()
	if !ok {
		t.Skip("SKIPPED: the tests were started from a shell that is typed in")
	}
	asked := 0
	about := func() Host { asked++; return Host{Name: "claude", Config: "/c"} }
	Note(dir, about)
	Note(dir, about)
	if h := read(dir, host.ID); asked != 1 || h != (Host{ID: host.ID, Name: "claude", Config: "/c"}) {
		t.Errorf("asked %d times, noted %+v", asked, h)
	}
	NoteSelf(dir, about)
	self, err := process.Self()
	if err != nil || !known(dir, self) || !known(dir, host.ID) {
		t.Errorf("a runtime is not noted beside its caller: %v", err)
	}
	Note(state.Dir{}, about) // nowhere to note it, and nothing to say about that
}

func BenchmarkNoteKnown(b *testing.B) {
	dir := state.At(filepath.Join(b.TempDir(), "state"))
	parent, err := process.Parent()
	if err != nil {
		b.Fatal(err)
	}
	if err := dir.Write(folder+"/"+fileName(parent), []byte("{}")); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Note(dir, func() Host { return Host{} })
	}
}

// A host that a shell stands before is found anew for every event.
func BenchmarkNoteBehindShell(b *testing.B) {
	for b.Loop() {
		caller()
	}
}
