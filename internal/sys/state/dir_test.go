package state

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestReadWriteRemove(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	for _, name := range []string{"x", "sub/x", "sub/deep/x"} {
		if _, err := d.Read(name, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read of missing %s: %v", name, err)
		}
		if err := d.Remove(name); err != nil {
			t.Errorf("remove of missing %s: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Dir(d.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("reading created something: %v", err)
	}
	for _, name := range []string{"x", "sub/x", "sub/deep/x"} {
		for _, text := range []string{"first", "", "second"} {
			if err := d.Write(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
			if got, err := d.Read(name, 10); string(got) != text || err != nil {
				t.Errorf("%s: got %q, %v; want %q", name, got, err, text)
			}
		}
		if err := d.Remove(name); err != nil {
			t.Error(err)
		}
		if _, err := d.Read(name, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read of removed %s: %v", name, err)
		}
	}
}

func TestReadLimit(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	if err := d.Write("x", []byte("12345")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		limit int64
		ok    bool
	}{
		{"none", 0, false},
		{"one less", 4, false},
		{"exact", 5, true},
		{"more", 6, true},
		{"largest", math.MaxInt64, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := d.Read("x", test.limit)
			if test.ok && (err != nil || string(got) != "12345") {
				t.Errorf("got %q, %v", got, err)
			}
			if !test.ok && !errors.Is(err, ErrTooLarge) {
				t.Errorf("got %q, %v; want an error", got, err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
	}{
		{"empty", ""},
		{"the directory", "."},
		{"parent", ".."},
		{"above", "../x"},
		{"above from within", "a/../../x"},
		{"absolute", "/etc/passwd"},
		{"empty element", "a//x"},
		{"trailing slash", "a/"},
		{"backslash", `a\x`},
		{"nul", "a\x00b"},
		{"lock file", "x.lock"},
		{"lock file in capitals", "x.LOCK"},
		{"temporary file", "sub/.checkrein-1.tmp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDir(t)
			if err := d.Write("a/x", nil); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Read(test.file, 10); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read: %v", err)
			}
			if err := d.Write(test.file, nil); err == nil {
				t.Error("write succeeded")
			}
			if err := d.Remove(test.file); err == nil {
				t.Error("remove succeeded")
			}
			if _, err := d.Lock(test.file); err == nil {
				t.Error("lock succeeded")
			}
		})
	}
}

func TestZeroDir(t *testing.T) {
	t.Parallel()
	var v int
	for _, d := range []Dir{{}, NewDir("")} {
		if d.Path("x") != "" {
			t.Errorf("path is %q", d.Path("x"))
		}
		if _, err := d.Read("x", 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read: %v", err)
		}
		_, lockErr := d.Lock("x")
		for what, err := range map[string]error{
			"write":      d.Write("x", nil),
			"remove":     d.Remove("x"),
			"lock":       lockErr,
			"log":        d.OpenLog("x").Append(nil),
			"update":     increment(d.OpenStore("s", 0, nil), "k"),
			"delete":     d.OpenStore("s", 0, nil).Delete("k"),
			"zero log":   Log{}.Append(nil),
			"zero store": increment(Store{}, "k"),
		} {
			if !errors.Is(err, ErrNoState) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, s := range []Store{{}, d.OpenStore("s", 0, nil)} {
			if found, err := s.Get("k", &v); found || err != nil {
				t.Errorf("get: %v, %v", found, err)
			}
			if n, err := s.Sweep(); n != 0 || err != nil {
				t.Errorf("sweep: %v, %v", n, err)
			}
		}
	}
}

// TestFileInPlaceOfDirectory checks writes below a file. Permissions do not stop root, but a file in
// place of a directory does.
func TestFileInPlaceOfDirectory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file string // the file in place of a directory
		dir  string
		want string // part of the error of a write
	}{
		{"the state directory itself", "s", "s", "is a file, not a directory: nothing in it is used: move it"},
		{"above it", "a", "a/s", "not a directory"},
		{"below it", "s/sub", "s", "is a file, not a directory: nothing in it is used: move it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			file := filepath.Join(base, test.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("keep"), 0o600); err != nil {
				t.Fatal(err)
			}
			d := NewDir(filepath.Join(base, test.dir))
			err := d.Write("sub/x", nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
				t.Errorf("write: %v", err)
			}
			if _, err := d.Read("sub/x", 10); err == nil {
				t.Error("read succeeded")
			}
			if got, err := os.ReadFile(file); string(got) != "keep" {
				t.Errorf("file is now %q, %v", got, err)
			}
		})
	}
}

func TestConcurrentWritesAreWhole(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	texts := [][]byte{bytes.Repeat([]byte("a"), 50_000), bytes.Repeat([]byte("b"), 70_000)}
	if err := d.Write("x", texts[0]); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 100 {
				if err := d.Write("x", text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		got, err := d.Read("x", 1<<20)
		if err != nil || !bytes.Equal(got, texts[0]) && !bytes.Equal(got, texts[1]) {
			t.Fatalf("read %d bytes, %v", len(got), err)
		}
	}
	writers.Wait()
	if got := dirEntryNames(t, d.Path()); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left behind: %q", got)
	}
}

func TestKilledWriter(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	if err := d.Write("x", []byte("old")); err != nil {
		t.Fatal(err)
	}
	startUntil(t, helperCommand(t, "stage", d.Path()), "staged")()
	left := dirEntryNames(t, d.Path())
	if len(left) != 2 || !isTempName(left[0]) {
		t.Fatalf("directory holds %q, want one temporary file and x", left)
	}
	if got, err := d.Read("x", 10); string(got) != "old" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}

	write := func(times int) (cleaned bool) {
		for range times {
			if err := d.Write("x", []byte("new")); err != nil {
				t.Fatal(err)
			}
			if len(dirEntryNames(t, d.Path())) == 1 {
				return true
			}
		}
		return false
	}
	if write(5 * tidyOdds) {
		t.Error("a fresh temporary file was removed")
	}
	ageFile(t, d.Path(left[0]), tempAge+time.Minute)
	if !write(100 * tidyOdds) {
		t.Error("the leftover is never removed")
	}
	if got, err := d.Read("x", 10); string(got) != "new" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// ageFile sets the modification time of path back by by.
func ageFile(t *testing.T, path string, by time.Duration) {
	t.Helper()
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-by)); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFast(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	for _, want := range []string{"one", "two", ""} {
		if err := d.WriteFast("sub/x", []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Read("sub/x", 100); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if names, err := d.Names("sub"); err != nil || len(names) != 1 {
		t.Errorf("left are %v, %v", names, err)
	}
	if err := os.Mkdir(d.Path("dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFast("dir", nil); err == nil {
		t.Error("a directory was replaced")
	}
	if info, err := os.Stat(d.Path("dir")); err != nil || !info.IsDir() {
		t.Errorf("the directory is %v, %v", info, err)
	}
	if err := NewDir("").WriteFast("x", nil); !errors.Is(err, ErrNoState) {
		t.Errorf("without a directory: %v", err)
	}
}
