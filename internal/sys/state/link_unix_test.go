//go:build unix

package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// operations lists all operations below a directory of the state, here sub.
var operations = []struct {
	name string
	do   func(d Dir) error
}{
	{"read", func(d Dir) error { _, err := d.Read("sub/x", 1<<20); return err }},
	{"write", func(d Dir) error { return d.Write("sub/x", []byte("ours")) }},
	{"write below", func(d Dir) error { return d.Write("sub/deep/x", []byte("ours")) }},
	{"create", func(d Dir) error { return d.CreateIfMissing("sub/new", []byte("ours")) }},
	{"append", func(d Dir) error { f, err := d.OpenAppend("sub/x"); return closeFile(f, err) }},
	{"open locked", func(d Dir) error { f, err := d.OpenLocked("sub/x"); return closeFile(f, err) }},
	{"open shared", func(d Dir) error { _, err := d.OpenShared("sub/x", 6); return err }},
	{"key", func(d Dir) error { _, err := d.ReadOrCreateKey("sub/new"); return err }},
	{"lock", func(d Dir) error { _, err := d.Lock("sub/x"); return err }},
	{"log", func(d Dir) error { return d.OpenLog("sub/x").Append([]byte("ours")) }},
	{"remove", func(d Dir) error { return d.Remove("sub/x") }},
	{"rename", func(d Dir) error { return d.Rename("sub/x", "sub/y") }},
	{"rename into", func(d Dir) error { return d.Rename("own", "sub/x") }},
	{"names", func(d Dir) error { _, err := d.Names("sub"); return err }},
	{"prune", func(d Dir) error { return d.Prune("sub", 0) }},
	{"sweep", func(d Dir) error { _, err := d.OpenStore("sub", time.Nanosecond, nil).Sweep(); return err }},
	{"get", func(d Dir) error { _, err := d.OpenStore("sub", 0, nil).Get("k", new(int)); return err }},
	{"update", func(d Dir) error { return increment(d.OpenStore("sub", 0, nil), "k") }},
	{"delete", func(d Dir) error { return d.OpenStore("sub", 0, nil).Delete("k") }},
	{"remove all", func(d Dir) error { return d.RemoveAll("sub/deep") }},
	{"folder", func(d Dir) error { return d.CheckDir("sub") }},
}

// closeFile closes f if err is nil, and returns the first error.
func closeFile(f *File, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

// readTree returns the files of dir with their contents.
func readTree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out = append(out, path+": "+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNonDirectoriesAreNotUsed checks that no operation uses something else in place of a directory of
// the state: every one fails without blocking, and the target of a symlink stays unchanged.
func TestNonDirectoriesAreNotUsed(t *testing.T) {
	t.Parallel()
	for _, place := range []struct {
		name string
		make func(path, other string) error
	}{
		{"a link", func(path, other string) error { return os.Symlink(other, path) }},
		{"a link within", func(path, _ string) error { return os.Symlink("others", path) }},
		{"a link to nothing", func(path, other string) error { return os.Symlink(other+"/nowhere", path) }},
		{"a pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{"a socket", func(path, _ string) error { return createSocket(path) }},
		{"a device", func(path, _ string) error { return os.Symlink("/dev/zero", path) }},
		{"a file", func(path, _ string) error { return os.WriteFile(path, []byte("a file"), 0o600) }},
	} {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			// The paths of sockets must be short.
			base, err := os.MkdirTemp("", "cr-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(base) })
			other, d := filepath.Join(base, "other"), NewDir(filepath.Join(base, "state"))
			for _, dir := range []Dir{NewDir(other), NewDir(d.Path("others"))} {
				for _, name := range []string{"x", "y", "deep/x", "0123456789abcdef0123456789abcdef.json", ".checkrein-1.tmp.txt"} {
					if err := dir.Write(name, []byte("theirs")); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := d.Write("own", []byte("ours")); err != nil {
				t.Fatal(err)
			}
			if err := place.make(d.Path("sub"), other); err != nil {
				t.Fatal(err)
			}
			before := append(readTree(t, other), readTree(t, d.Path("others"))...)
			for _, op := range operations {
				if err := op.do(d); !errors.Is(err, ErrNotDir) {
					t.Errorf("%s: %v", op.name, err)
				}
			}
			if after := append(readTree(t, other), readTree(t, d.Path("others"))...); !slices.Equal(before, after) {
				t.Errorf("before %q\nafter  %q", before, after)
			}
		})
	}
}

// TestSymlinkedFiles checks that a symlink in place of a file is not followed either.
func TestSymlinkedFiles(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		switch op.name {
		case "names", "prune", "sweep", "folder", "write below", "create", "key", "get", "delete", "update", "remove all":
			continue // these operations do not use the file x
		}
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			other, d := filepath.Join(base, "other"), NewDir(filepath.Join(base, "state"))
			if err := os.WriteFile(other, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"sub/z", "own"} {
				if err := d.Write(name, []byte("ours")); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"sub/x", "sub/x.lock"} {
				if err := os.Symlink(other, d.Path(name)); err != nil {
					t.Fatal(err)
				}
			}
			err := op.do(d)
			switch op.name {
			case "write", "remove", "rename", "rename into": // these change the symlink itself
				if err != nil {
					t.Error(err)
				}
			default:
				if !errors.Is(err, errNotRegular) {
					t.Errorf("got %v", err)
				}
			}
			if got, err := os.ReadFile(other); string(got) != "theirs" {
				t.Errorf("the other file is %q, %v", got, err)
			}
		})
	}
}

// createSocket creates a socket at path that stays after it is closed.
func createSocket(path string) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
}
