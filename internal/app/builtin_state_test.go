package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// newStateKit returns a kit that has only a state directory and a clock, and a pointer to the clock's
// time.
func newStateKit(t *testing.T) (*Kit, *time.Time) {
	t.Helper()
	now := time.Now()
	return &Kit{state: state.NewDir(t.TempDir()), now: func() time.Time { return now }}, &now
}

// The state of a builtin is saved per session.
func TestBuiltinStateIsSavedPerSession(t *testing.T) {
	t.Parallel()
	k, now := newStateKit(t)
	count := func(id, name string) int {
		t.Helper()
		n := 99 // the previous value of v must not count
		if err := k.updateBuiltinState(&checkrein.Event{Session: checkrein.Session{ID: id}}, name, time.Minute, &n, func() error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, tt := range []struct {
		id, name string
		want     int
	}{{"s", "a", 1}, {"s", "a", 2}, {"t", "a", 1}, {"s", "b", 1}, {"", "a", 1}, {"", "a", 1}, {"s", "a", 3}} {
		if got := count(tt.id, tt.name); got != tt.want {
			t.Errorf("%d: %s of %q: %d, want %d", i, tt.name, tt.id, got, tt.want)
		}
	}
	*now = now.Add(time.Minute)
	if got := count("s", "a"); got != 1 {
		t.Errorf("when its time is over: %d", got)
	}
	ev := &checkrein.Event{Session: checkrein.Session{ID: "s"}}
	n, mistake := 0, errors.New("no")
	if err := k.updateBuiltinState(ev, "a", time.Minute, &n, func() error { n = 50; return mistake }); !errors.Is(err, mistake) {
		t.Errorf("a change that fails: %v", err)
	}
	if got := count("s", "a"); got != 2 {
		t.Errorf("after a change that failed: %d", got)
	}
	if err := k.removeBuiltinState(ev, "a"); err != nil {
		t.Fatal(err)
	}
	if got := count("s", "a"); got != 1 {
		t.Errorf("when it was forgotten: %d", got)
	}
}

// Damaged state is lost, but state that is saved later is not.
func TestDamagedBuiltinState(t *testing.T) {
	t.Parallel()
	k, _ := newStateKit(t)
	ev := &checkrein.Event{Session: checkrein.Session{ID: "s"}}
	for want := range 3 {
		n := 0
		if err := k.updateBuiltinState(ev, "a", time.Minute, &n, func() error { n++; return nil }); err != nil || n != want%2+1 {
			t.Fatalf("%d: %d, %v", want, n, err)
		}
		if want == 1 {
			files, _ := filepath.Glob(k.state.Path(builtinsFolder, "a", "*.json"))
			if len(files) != 1 || os.WriteFile(files[0], []byte("{torn"), 0o600) != nil {
				t.Fatalf("files %q", files)
			}
		}
	}
}

// The state of sessions without further events is removed.
func TestBuiltinStateExpires(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	k, now := newStateKit(t)
	most := 0
	for i := range 3000 {
		*now = now.Add(time.Second)
		n := 0
		if err := k.updateBuiltinState(&checkrein.Event{Session: checkrein.Session{ID: fmt.Sprint(i)}}, "a", time.Minute, &n, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			files, _ := os.ReadDir(k.state.Path(builtinsFolder, "a"))
			most = max(most, len(files))
		}
	}
	if most > 2400 { // two files for each session; without sweeps there would be 6000
		t.Errorf("%d files", most)
	}
}

// Without a state directory, every call starts from zero.
func TestBuiltinStateWithoutStateDir(t *testing.T) {
	t.Parallel()
	k := &Kit{now: time.Now}
	ev := &checkrein.Event{Session: checkrein.Session{ID: "s"}}
	n := 5
	if err := k.updateBuiltinState(ev, "a", time.Minute, &n, func() error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if err := k.removeBuiltinState(ev, "a"); err != nil {
		t.Error(err)
	}
}

func TestAddLine(t *testing.T) {
	t.Parallel()
	k, _ := newStateKit(t)
	own := k.state.Path("log", "x.jsonl")
	if err := k.appendLine("x.jsonl", []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "sub", "y.jsonl")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if err := k.appendLine(file, []byte(`{"a":1}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for path, want := range map[string]int{own: 1, file: 160} {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != strings.Repeat("{\"a\":1}\n", want) {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	// The half-written line of a killed writer stays a separate line.
	if err := os.WriteFile(file, []byte("{\"a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := k.appendLine(file, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "{\"a\n{}\n" {
		t.Errorf("got %q", got)
	}
	if err := k.appendLine(filepath.Dir(file), []byte(`{}`)); err == nil {
		t.Error("a line was written to a directory")
	}
}
