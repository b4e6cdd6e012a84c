// Package built builds checkrein's programs for tests.
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

// Var is the environment variable that names a directory shared by the tests of one `make test`, so
// that each program is linked only once. The directory is empty at first. Without it, each test builds
// its own programs.
const Var = "CHECKREIN_TEST_PROGRAMS"

// Nobody is the path of a home directory that does not exist. Programs built for it do not depend on
// what is installed for the account that runs the tests.
const Nobody = "/dev/null/account"

// packageDirs maps the names of programs to the directories of their packages.
var packageDirs = map[string]string{
	"checkrein":        "cmd/checkrein",
	"checkreind":       "cmd/checkreind",
	"checkrein-shell":  "cmd/checkrein-shell",
	"checkrein-models": "internal/agent/model/line/courier", // scripted, instead of models/
	"fakehost":         "internal/lab/fakehost/cmd",
}

// Put builds programs, or takes them from the directory that Var names, and puts them into dir. Their
// account's home directory is Nobody.
func Put(dir string, names ...string) error {
	shelf := os.Getenv(Var)
	if shelf == "" {
		return For(Nobody, dir, names...)
	}
	if err := buildMissing(shelf, names); err != nil {
		return err
	}
	for _, name := range names {
		if err := Copy(filepath.Join(shelf, exeName(name)), filepath.Join(dir, exeName(name)), nil); err != nil {
			return err
		}
	}
	return nil
}

// For builds programs into dir. account, the account's home directory, is compiled in.
func For(account, dir string, names ...string) error {
	work, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	args := []string{"build", "-buildvcs=false", "-ldflags", "-s -w -X " + module + "internal/sys/userdirs.account=" + account, "-o", work + string(filepath.Separator)}
	for _, name := range names {
		folder, known := packageDirs[name]
		if !known {
			return fmt.Errorf("no program is named %q", name)
		}
		args = append(args, module+folder)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("building %q: %w\n%s", names, err, out)
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(work, exeName(filepath.Base(packageDirs[name]))), filepath.Join(dir, exeName(name))); err != nil {
			return err
		}
	}
	return nil
}

// buildMissing builds those of the programs that shelf lacks. Other processes wait meanwhile.
func buildMissing(shelf string, names []string) error {
	var unlock func()
	for err := state.ErrBusy; err != nil; {
		if unlock, err = state.NewDir(shelf).Lock("programs"); err != nil && !errors.Is(err, state.ErrBusy) {
			return err
		}
	}
	defer unlock()
	var missing []string
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(shelf, exeName(name))); errors.Is(err, fs.ErrNotExist) {
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

// TempDir returns a temporary directory for a test whose ledger may still be maintained by another
// process when the test ends. The directory is removed when no such process is left.
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

// RemoveWhenIdle removes dir as soon as no other process has it in its arguments or environment. It
// gives up after five seconds.
func RemoveWhenIdle(dir string) {
	for end := time.Now().Add(5 * time.Second); isMentioned(dir) || os.RemoveAll(dir) != nil; {
		if time.Now().After(end) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// isMentioned reports whether another process has dir in its arguments or environment. Without /proc
// it reports false.
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

// WriteScript writes text as an executable file. Like [Copy], it lets no process start meanwhile.
func WriteScript(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

// Copy copies a program and appends more. It lets no process start meanwhile, because the child would
// inherit the file open for writing, and the file could not be executed.
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

// exeName returns name with the suffix .exe on Windows.
func exeName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
