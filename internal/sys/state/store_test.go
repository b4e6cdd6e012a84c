package state

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A clock is a time that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

type session struct {
	Name  string
	Count int            `json:",omitempty"`
	Seen  map[string]int `json:",omitempty"`
}

func TestStore(t *testing.T) {
	t.Parallel()
	s := newTestDir(t).OpenStore("sessions", time.Hour, nil)
	want := session{"one", 1, map[string]int{"a": 1}}
	v := session{Name: "stale"}
	if found, err := s.Get("k", &v); found || err != nil || v.Name != "stale" {
		t.Fatalf("get of nothing: %v, %v, %v", found, err, v)
	}
	err := s.Update("k", &v, func() error {
		if !reflect.DeepEqual(v, session{}) {
			t.Errorf("a new value starts as %v", v)
		}
		v = want
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := session{Count: 5, Seen: map[string]int{"stale": 1}}
	if found, err := s.Get("k", &got); !found || err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, %v", got, found, err)
	}
	refused := errors.New("refused")
	err = s.Update("k", &v, func() error {
		v.Count = 99
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if found, err := s.Get("k", &got); !found || err != nil || got.Count != 1 {
		t.Errorf("after a refused change: %v, %v, %v", got, found, err)
	}
	for range 2 {
		if err := s.Delete("k"); err != nil {
			t.Error(err)
		}
		if found, err := s.Get("k", &got); found || err != nil {
			t.Errorf("after delete: %v, %v", found, err)
		}
	}
	if left := dirEntryNames(t, s.dir.Path("sessions")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestStoreMisuse(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	s := d.OpenStore("s", 0, nil)
	pass := func() error { return nil }
	var text string
	enlarge := func() error { text = strings.Repeat("x", maxValue); return nil }
	tests := []struct {
		name string
		err  error
	}{
		{"value", s.Update("k", 1, pass)},
		{"nil", s.Update("k", nil, pass)},
		{"nil pointer", s.Update("k", (*int)(nil), pass)},
		{"no JSON", s.Update("k", new(chan int), pass)},
		{"long key", s.Update(strings.Repeat("k", maxKey+1), new(int), pass)},
		{"large value", s.Update("k", &text, enlarge)},
		{"directory above", increment(d.OpenStore("../s", 0, nil), "k")},
		{"absolute directory", increment(d.OpenStore(filepath.ToSlash(t.TempDir()), 0, nil), "k")},
		{"no directory", increment(d.OpenStore("", 0, nil), "k")},
	}
	for _, test := range tests {
		if test.err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
	if found, err := s.Get("k", new(any)); found || err != nil {
		t.Errorf("something was written: %v, %v", found, err)
	}
}

func TestStoreExpiry(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		ttl   time.Duration
		after time.Duration
		found bool
	}{
		{"at once", time.Hour, 0, true},
		{"just before", time.Hour, time.Hour - time.Second, true},
		{"just then", time.Hour, time.Hour, false},
		{"long after", time.Hour, 1000 * time.Hour, false},
		{"clock set back a little", time.Hour, -time.Minute, true},
		{"clock set back a lot", time.Hour, -2 * time.Hour, false},
		{"no time to live", 0, 100_000 * time.Hour, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			s := newTestDir(t).OpenStore("s", test.ttl, clock.now)
			if err := increment(s, "k"); err != nil {
				t.Fatal(err)
			}
			clock.at = clock.at.Add(test.after)
			n, removed := 0, 1
			if found, err := s.Get("k", &n); found != test.found || err != nil {
				t.Errorf("found %v, %v", found, err)
			}
			if test.found {
				removed = 0
			}
			if got, err := s.Sweep(); got != removed || err != nil {
				t.Errorf("swept %d, %v; want %d", got, err, removed)
			}
			if err := increment(s, "k"); err != nil {
				t.Error(err)
			}
			if found, err := s.Get("k", &n); !found || err != nil || n != 2-removed {
				t.Errorf("after another update: %d, %v, %v", n, found, err)
			}
		})
	}
}

func TestUpdateRenews(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := newTestDir(t).OpenStore("s", time.Hour, clock.now)
	for i := range 5 {
		n := 0
		if _, err := s.Get("k", &n); err != nil || n != i {
			t.Errorf("round %d: %d, %v", i, n, err)
		}
		if err := increment(s, "k"); err != nil {
			t.Fatal(err)
		}
		clock.at = clock.at.Add(50 * time.Minute)
	}
}

func TestStoreDamaged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content string
	}{
		{"empty", ""},
		{"half", `{"Name":"x"`},
		{"another type", `{"Name":"x","Count":"many"}`},
		{"more than one value", `{}{}`},
		{"too large", strings.Repeat(" ", maxValue) + "{}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newTestDir(t).OpenStore("s", time.Hour, nil)
			name, _ := s.fileName("k")
			if err := s.dir.Write(name, []byte(test.content)); err != nil {
				t.Fatal(err)
			}
			v := session{Name: "before"}
			found, err := s.Get("k", &v)
			if found || !errors.Is(err, ErrDamaged) || v.Name != "before" {
				t.Errorf("get: %v, %v, %v", found, err, v)
			}
			if !strings.Contains(err.Error(), s.dir.Path(name)) {
				t.Errorf("error %q does not name the file", err)
			}
			err = s.Update("k", &v, func() error {
				t.Error("change was called")
				return nil
			})
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("update: %v", err)
			}
			if err := s.Delete("k"); err != nil {
				t.Error(err)
			}
			if err := increment(s, "k"); err != nil {
				t.Errorf("after delete: %v", err)
			}
		})
	}
}

func TestHostileKeys(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	s := d.OpenStore("s", time.Hour, nil)
	keys := []string{
		"", ".", "..", "../../etc/passwd", "/etc/passwd", `C:\x`, `..\..\x`, "a/b", "a\x00b", "a\nb", "\xff\xfe",
		"NUL", "con", "k", "K", "k ", " k", "k.lock", "k.json", ".checkrein-1.tmp", "*", "$(id)",
		strings.Repeat("x", maxKey), strings.Repeat("x", maxKey-1),
	}
	for i, key := range keys {
		err := s.Update(key, new(int), func() error { return nil })
		if err == nil {
			n := 0
			err = s.Update(key, &n, func() error { n = i + 1; return nil })
		}
		if err != nil {
			t.Errorf("key %d: %v", i, err)
		}
	}
	for i, key := range keys {
		n := 0
		if found, err := s.Get(key, &n); !found || err != nil || n != i+1 {
			t.Errorf("key %d: got %d, %v, %v", i, n, found, err)
		}
	}
	if got := dirEntryNames(t, d.Path()); len(got) != 1 || got[0] != "s" {
		t.Errorf("state directory holds %q", got)
	}
	files := dirEntryNames(t, d.Path("s"))
	if len(files) != 2*len(keys) {
		t.Errorf("%d files for %d keys", len(files), len(keys))
	}
	for _, name := range files {
		if !isValueFile(strings.TrimSuffix(name, lockSuffix)) {
			t.Errorf("unexpected file %q", name)
		}
	}
}

func TestUpdateAcrossProcesses(t *testing.T) {
	t.Parallel()
	const processes, times = 8, 200
	d := newTestDir(t)
	var cmds []*exec.Cmd
	for range processes {
		cmds = append(cmds, helperCommand(t, "increment", d.Path(), fmt.Sprint(times)))
	}
	runConcurrently(t, cmds...)
	n := 0
	found, err := d.OpenStore("counters", time.Hour, nil).Get("key", &n)
	if !found || err != nil || n != processes*times {
		t.Errorf("got %d, %v, %v; want %d", n, found, err, processes*times)
	}
}

func TestStoreAdd(t *testing.T) {
	t.Parallel()
	s := newTestDir(t).OpenStore("rows", time.Hour, nil)
	if text, err := s.Text("k"); text != nil || err != nil {
		t.Fatalf("text of nothing: %q, %v", text, err)
	}
	for _, row := range []string{"one\n", "two\n"} {
		if err := s.AppendText("k", []byte(row)); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := s.Text("k"); string(text) != "one\ntwo\n" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if err := s.AppendText("k", make([]byte, maxValue)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a value without an end: %v", err)
	}
	late := s
	late.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if text, err := late.Text("k"); text != nil || err != nil {
		t.Errorf("expired: %q, %v", text, err)
	}
	if err := late.AppendText("k", []byte("three\n")); err != nil {
		t.Fatal(err)
	}
	if text, err := s.Text("k"); string(text) != "three\n" || err != nil {
		t.Errorf("after what had expired: %q, %v", text, err)
	}
	if err := s.Delete("k"); err != nil {
		t.Fatal(err)
	}
	if text, err := s.Text("k"); text != nil || err != nil {
		t.Errorf("deleted: %q, %v", text, err)
	}
	if err := NewDir("").OpenStore("rows", 0, nil).AppendText("k", nil); !errors.Is(err, ErrNoState) {
		t.Errorf("without a directory: %v", err)
	}
}
