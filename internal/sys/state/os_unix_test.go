//go:build unix

package state

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// otherUID is the id of a user other than the one who runs the tests.
const otherUID = 64321

func TestModes(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	if err := d.Write("sub/x", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.OpenLog("logs/log").Append(nil); err != nil {
		t.Fatal(err)
	}
	if err := increment(d.OpenStore("store", 0, nil), "k"); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Dir(d.Path()), func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(fileMode)
		if e.IsDir() {
			want = dirMode
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnsafe(t *testing.T) {
	t.Parallel()
	chmod := func(name string, mode os.FileMode) func(Dir) error {
		return func(d Dir) error { return os.Chmod(d.Path(name), mode) }
	}
	chown := func(name string) func(Dir) error {
		return func(d Dir) error { return os.Chown(d.Path(name), otherUID, -1) }
	}
	tests := []struct {
		name string
		make func(Dir) error
		path string
		want string // part of the error; "" if it is safe
	}{
		{"private", chmod("", 0o700), "", ""},
		{"readable by others", chmod("", 0o755), "", ""},
		{"writable by group", chmod("", 0o770), "", "chmod 700 "},
		{"writable by others", chmod("", 0o702), "", "chmod 700 "},
		{"writable by all, sticky", chmod("", 0o777|os.ModeSticky), "", "chmod 700 "},
		{"another's", chown(""), "", "belongs to user 64321"},
		{"subdirectory writable by group", chmod("sub", 0o770), "sub", "chmod 700 "},
		{"subdirectory of another", chown("sub"), "sub", "belongs to user 64321"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDir(t)
			if err := d.Write("sub/x", nil); err != nil {
				t.Fatal(err)
			}
			s := d.OpenStore("sub", time.Hour, nil)
			if err := increment(s, "k"); err != nil {
				t.Fatal(err)
			}
			if err := test.make(d); errors.Is(err, os.ErrPermission) {
				t.Skip("needs root")
			} else if err != nil {
				t.Fatal(err)
			}
			_, readErr := d.Read("sub/x", 10)
			_, lockErr := d.Lock("sub/x")
			_, getErr := s.Get("k", new(int))
			_, sweepErr := s.Sweep()
			for what, err := range map[string]error{
				"read": readErr, "lock": lockErr, "get": getErr, "sweep": sweepErr,
				"write":  d.Write("sub/x", nil),
				"update": increment(s, "k"),
				"append": d.OpenLog("sub/log").Append(nil),
				"remove": d.Remove("sub/x"),
				"delete": s.Delete("k"),
			} {
				checkRefusal(t, what, err, d.Path(test.path), test.want)
			}
		})
	}
}

func checkRefusal(t *testing.T, what string, err error, path, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
		t.Errorf("%s: %v; want %q and %s", what, err, want, path)
	}
}

func TestUnsafeFile(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	if err := d.Write("x", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.Path("x"), 0o660); err != nil {
		t.Fatal(err)
	}
	_, err := d.Read("x", 10)
	checkRefusal(t, "read", err, d.Path("x"), "chmod 600 ")
	if err := d.Write("x", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Read("x", 10); err != nil {
		t.Errorf("after a write: %v", err)
	}
}

func TestSymlinkedDir(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		mode os.FileMode
		want string
	}{
		{"safe target", 0o700, ""},
		{"unsafe target", 0o777, "chmod 700 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			target, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
			if err := os.Chmod(target, test.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			checkRefusal(t, "write", NewDir(link).Write("sub/x", nil), link, test.want)
		})
	}
}

func TestNonRegularFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(path string) error
	}{
		{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"directory", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"device", func(path string) error { return os.Symlink("/dev/zero", path) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDir(t)
			if err := d.Write("other", nil); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"x", "x.lock", "log"} {
				if err := test.make(d.Path(name)); err != nil {
					t.Fatal(err)
				}
			}
			// A read that waited for the other end of the pipe would block forever.
			if _, err := d.Read("x", 10); !errors.Is(err, errNotRegular) {
				t.Errorf("read: %v", err)
			}
			if _, err := d.Lock("x"); err == nil || errors.Is(err, ErrBusy) {
				t.Errorf("lock: %v", err)
			}
			if err := d.OpenLog("log").Append(nil); err == nil {
				t.Error("append succeeded")
			}
		})
	}
}

// TestReadOnlyDirectory checks writes to a read-only directory. It does not stop root, so root starts
// a process of another user.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("root may write everywhere")
	}
	path, err := os.MkdirTemp("", "checkrein-state-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(path) })
	cmd := helperCommand(t, "write", path)
	if os.Geteuid() == 0 {
		if err := os.Chown(path, otherUID, otherUID); err != nil {
			t.Fatal(err)
		}
		// Other users may not be able to read the directory of the binary, but they can use this symlink.
		cmd = exec.Command("/proc/self/exe", path)
		cmd.Env = append(os.Environ(), helperEnv+"=write")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUID, Gid: otherUID}}
	}
	if err := os.Chmod(path, 0o500); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "write "+filepath.Join(path, "x")) ||
		!strings.Contains(string(out), "permission denied") {
		t.Errorf("got %v, %s", err, out)
	}
	if left := dirEntryNames(t, path); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestCheckOwnerOnly(t *testing.T) {
	t.Parallel()
	d := NewDir(filepath.Join(t.TempDir(), "state"))
	if err := d.CheckOwnerOnly("key"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if _, err := d.ReadOrCreateKey("key"); err != nil {
		t.Fatal(err)
	}
	if err := d.CheckOwnerOnly("key"); err != nil {
		t.Error(err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o622} {
		if err := os.Chmod(d.Path("key"), mode); err != nil {
			t.Fatal(err)
		}
		if err := d.CheckOwnerOnly("key"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if (Dir{}).CheckOwnerOnly("key") == nil {
		t.Error("there is no secret without a directory")
	}
}
