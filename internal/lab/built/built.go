// Package built builds programs for tests, as people get them.
package built

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const module = "github.com/checkrein/checkrein/"

// Var names a directory that the tests of one `make test` share, so that each program
// is linked once. It is empty when they start. Without it each test builds its own.
const Var = "CHECKREIN_TEST_PROGRAMS"

// Nobody is an account's home that is not there: what its owner has installed is none
// of a test's.
const Nobody = "/dev/null/account"

// folders has the programs by the names that they get.
var folders = map[string]string{
	"checkrein":        "cmd/checkrein",
	"checkreind":       "cmd/checkreind",
	"checkrein-models": "internal/agent/model/line/courier", // a scripted one of models/
	"fakehost":         "internal/lab/fakehost/cmd",
}

// Put builds programs and puts them into a directory. The account's home is nobody's.
func Put(dir string, names ...string) error {
	shelf := os.Getenv(Var)
	if shelf == "" {
		return For(Nobody, dir, names...)
	}
	if err := stock(shelf, names); err != nil {
		return err
	}
	for _, name := range names {
		if err := Copy(filepath.Join(shelf, exe(name)), filepath.Join(dir, exe(name)), nil); err != nil {
			return err
		}
	}
	return nil
}

// For builds programs into a directory for an account's home, which is compiled in.
func For(account, dir string, names ...string) error {
	work, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	args := []string{"build", "-ldflags", "-s -w -X " + module + "internal/sys/userdirs.account=" + account, "-o", work + string(filepath.Separator)}
	for _, name := range names {
		folder, known := folders[name]
		if !known {
			return fmt.Errorf("no program is named %q", name)
		}
		args = append(args, module+folder)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("building %q: %w\n%s", names, err, out)
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(work, exe(filepath.Base(folders[name]))), filepath.Join(dir, exe(name))); err != nil {
			return err
		}
	}
	return nil
}

// stock builds what the shelf does not have. Others wait meanwhile.
func stock(shelf string, names []string) error {
	var unlock func()
	for err := state.ErrBusy; err != nil; {
		if unlock, err = state.NewDir(shelf).Lock("programs"); err != nil && !errors.Is(err, state.ErrBusy) {
			return err
		}
	}
	defer unlock()
	var missing []string
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(shelf, exe(name))); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, name)
		} else if err != nil {
			return err
		}
	}
	if missing == nil {
		return nil
	}
	return For(Nobody, shelf, missing...)
}

// TempDir makes a directory for a test in which the ledger's upkeep may be at work when the
// test ends, in a process of its own. The directory is removed when no such process is left.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "checkrein")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { RemoveWhenIdle(dir) })
	return dir
}

// RemoveWhenIdle removes dir when no process mentions it any more. After five seconds it gives up.
func RemoveWhenIdle(dir string) {
	for end := time.Now().Add(5 * time.Second); isMentioned(dir) || os.RemoveAll(dir) != nil; {
		if time.Now().After(end) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// isMentioned reports whether another process has dir among its arguments or in its environment.
// Where there is no /proc it reports false.
func isMentioned(dir string) bool {
	self := strconv.Itoa(os.Getpid())
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	for _, file := range files {
		process := filepath.Dir(file)
		if filepath.Base(process) == self {
			continue
		}
		arguments, _ := os.ReadFile(file) // a process that has ended mentions nothing
		environ, _ := os.ReadFile(filepath.Join(process, "environ"))
		if bytes.Contains(arguments, []byte(dir)) || bytes.Contains(environ, []byte(dir)) {
			return true
		}
	}
	return false
}

// WriteScript writes an executable text. As in [Copy], nothing is started meanwhile.
func WriteScript(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

// Copy copies a program, with more at its end. Nothing is started meanwhile: it would
// hold the file open for writing, which then cannot be executed.
func Copy(from, to string, more []byte) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		_, err = dst.Write(more)
	}
	return errors.Join(err, dst.Close())
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
