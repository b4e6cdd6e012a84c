package ledger_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// anybody is a user whom modes concern, unlike root.
const anybody = 65534

// File modes that prevent the user's own processes from writing are repaired, which is recorded. Calls
// are recorded nevertheless.
func TestModesAreRepaired(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the test makes a process of another user")
	}
	for name, modes := range map[string]map[string]fs.FileMode{
		"ledger 777":             {"": 0o777},
		"ledger 770":             {"": 0o770},
		"ledger 000":             {"": 0},
		"ledger 500":             {"": 0o500, "current.jsonl": 0o400},
		"current 400":            {"current.jsonl": 0o400},
		"current 000":            {"current.jsonl": 0},
		"current and missed 400": {"current.jsonl": 0o400, "missed": 0o400},
		"head 000":               {"head": 0},
		"head 666":               {"head": 0o666},
		"key 000":                {"key": 0},
		"all 000":                {"key": 0, "head": 0, "current.jsonl": 0, "missed": 0, "": 0},
		"state 000":              {"..": 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newUnprivilegedBench(t)
			for file, mode := range modes {
				if file != "" && file != ".." {
					chmod(t, b.file(file), mode)
				}
			}
			for _, dir := range []string{"", ".."} {
				if mode, ok := modes[dir]; ok {
					chmod(t, filepath.Join(b.opts.Dir.Path(ledger.Folder), dir), mode)
				}
			}
			if out := callUnprivileged(t, b, 3); strings.Count(out, "recorded") != 3 {
				t.Fatalf("%s", out)
			}
			mended := 0
			eachLine(t, b.opts.Dir.Path(ledger.Folder), func(l *ledger.Line) {
				if l.Kind == ledger.KindMended && strings.Contains(l.Text("what"), "had mode 0") {
					mended++
				}
			})
			r := verified(t, b, seal.VerifyOptions{})
			if mended != 1 || !r.IsClean() || len(r.Notices) != 1 || r.Notices[0].Kind != seal.FindMode {
				t.Errorf("%d records tell it; %v, %v", mended, r.Findings, r.Notices)
			}
		})
	}
}

// The mode of a count that cannot be written is repaired while the lock is held.
func TestMissedModeIsRepaired(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the test makes a process of another user")
	}
	b := newUnprivilegedBench(t)
	chmod(t, b.file(ledger.MissedFile), 0o400)
	held, err := os.Open(b.file(ledger.HeadFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if out := callUnprivileged(t, b, 2); strings.Count(out, "missed") != 2 {
		t.Fatalf("%s", out)
	}
	held.Close()
	if out := callUnprivileged(t, b, 1); strings.Count(out, "recorded") != 1 {
		t.Fatalf("%s", out)
	}
	if list := gaps(t, b); len(list) != 1 || list[0].Text("missed") != "2" {
		t.Errorf("%v", list)
	}
}

// If no file descriptor is left, calls are counted nevertheless.
func TestMissedWithoutDescriptors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(t, 1)
	cmd := misser(b.opts.Dir.Path(), 3, missFiles+"=1")
	if out, err := cmd.Output(); err != nil || strings.Count(string(out), "missed") != 3 {
		t.Fatalf("%v, %s", err, out)
	}
	b.add(t, 2)
	if list := gaps(t, b); len(list) != 1 || list[0].Text("missed") != "3" {
		t.Errorf("%v", list)
	}
}

const missFiles = "CHECKREIN_TEST_MISS_FILES"

func init() {
	if os.Getenv(missFiles) != "" {
		// What is open stays open; nothing more can be opened.
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: 3}); err != nil {
			panic(err)
		}
	}
}

// newUnprivilegedBench returns a ledger of another user with a record.
func newUnprivilegedBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	home, err := os.MkdirTemp("", "ledger-modes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chown(home, anybody, anybody); err != nil {
		t.Fatal(err)
	}
	b.opts.Dir = state.NewDir(filepath.Join(home, "state"))
	b.Ledger = ledger.Open(b.opts)
	if out := callUnprivileged(t, b, 1); !strings.Contains(out, "recorded") {
		t.Fatalf("%s", out)
	}
	return b
}

// callUnprivileged makes n calls as that user, and returns the output.
func callUnprivileged(t *testing.T, b *bench, n int) string {
	t.Helper()
	cmd := misser(b.opts.Dir.Path(), n)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: anybody, Gid: anybody}}
	self, err := os.Open("/proc/self/exe") // where the program lies, others may not get to
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	cmd.ExtraFiles = []*os.File{self}
	cmd.Path = "/proc/self/fd/3"
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	return string(out)
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
