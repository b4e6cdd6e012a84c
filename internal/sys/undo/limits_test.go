package undo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// helperVar makes the test binary save and then run into a kill instead of testing.
const helperVar = "CHECKREIN_UNDO_HELPER"

// slowFile returns the path of a file in home that takes long to save, if a test creates it.
func slowFile(home string) string { return filepath.Join(home, "state", "slow") }

func TestMain(m *testing.M) {
	if home := os.Getenv(helperVar); home != "" {
		store := Open(ledger.SealedDir(state.NewDir(filepath.Join(home, "state", "checkrein"))), nil, time.Now)
		_, err := store.Save(context.Background(), Request{Losses: []Loss{{Path: filepath.Join(home, "project")}, {Path: slowFile(home), InPlace: true}}})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestLaterEdits checks that what was changed after a call stays unless restoring is forced.
func TestLaterEdits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := b.save(Loss{Path: filepath.Join(b.dir, "src")})
	b.run("rm -rf src")
	done := time.Now()
	time.Sleep(2 * graceTime)
	b.run("mkdir src && echo mine > src/a.go")
	res := b.restore(e, done, false)
	if len(res.Skipped) != 1 || res.Skipped[0].Path != filepath.Join(b.dir, "src", "a.go") || !res.Skipped[0].Later {
		t.Errorf("skipped %+v", res.Skipped)
	}
	if got := b.run("cat src/a.go src/deep/c.go"); got != "mine\nthree\n" {
		t.Errorf("%q", got)
	}
	b.restore(e, done, true)
	if got := b.run("cat src/a.go"); got != "one\nmore\n" {
		t.Errorf("forced: %q", got)
	}
	if all, err := b.store.List(); err != nil || len(all) != 3 {
		t.Errorf("%d saves, %v: each restoring must be a save", len(all), err)
	}
}

// TestUnknownEnd checks that everything which exists counts as changed later if the end of a call is
// unknown.
func TestUnknownEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := b.save(Loss{Path: filepath.Join(b.dir, "src", "a.go"), InPlace: true}, Loss{Path: filepath.Join(b.dir, "run.sh")})
	time.Sleep(10 * time.Millisecond) // file systems count in ticks
	b.run("echo x > src/a.go; rm run.sh")
	res := b.restore(e, time.Time{}, false)
	if len(res.Skipped) != 1 || len(res.Done) != 1 {
		t.Errorf("%+v", res)
	}
}

// TestPlantedSymlinks checks that restoring follows no symlink, wherever one was planted.
func TestPlantedSymlinks(t *testing.T) {
	t.Parallel()
	for _, plant := range []string{
		"ln -s ../outside src",
		"mkdir src && ln -s ../../outside src/deep",
		"cd .. && mv project real && ln -s real project && mkdir real/src",
	} {
		b := newBench(t)
		if err := os.Mkdir(filepath.Join(b.home, "outside"), 0o755); err != nil {
			t.Fatal(err)
		}
		e := b.save(Loss{Path: filepath.Join(b.dir, "src")})
		b.run("rm -rf src; " + plant)
		_, err := b.store.Restore(t.Context(), e, time.Time{}, true)
		if list, _ := os.ReadDir(filepath.Join(b.home, "outside")); len(list) > 0 {
			t.Errorf("%s: %v was written outside", plant, list)
		}
		if err == nil && !strings.HasPrefix(plant, "ln -s ../outside") {
			t.Errorf("%s: no error", plant)
		}
	}
}

// TestLimits checks that a loss over a limit is not saved, and that nothing of it is kept.
func TestLimits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, prepare := range map[string]string{
		"too much to copy": "truncate -s 300M big",
		"too many files":   "mkdir big && cd big && seq 1 50001 | xargs touch",
		"unreadable":       "echo x > big", // by way of a store that cannot be written
	} {
		b.run("rm -rf big; " + prepare)
		store := b.store
		if name == "unreadable" {
			store = Open(state.NewDir(filepath.Join(b.dir, "big", "state")), nil, time.Now)
		}
		e, err := store.Save(t.Context(), Request{Losses: []Loss{{Path: filepath.Join(b.dir, "big"), InPlace: true}}})
		if err == nil || e.ID != "" {
			t.Errorf("%s: %+v", name, e)
		}
		if name != "unreadable" && !errors.Is(err, ErrNotSaved) {
			t.Errorf("%s: %v", name, err)
		}
		if names := b.store.names(); len(names) > 0 {
			t.Errorf("%s: %v is left", name, names)
		}
	}
	// Links have no size, so a large file that is deleted can be saved.
	b.run("rm -rf big; truncate -s 1G big")
	e := b.save(Loss{Path: filepath.Join(b.dir, "big")})
	b.run("rm big")
	b.restore(e, time.Now(), false)
	b.run("test $(stat -c %s big) = 1073741824")
}

// TestFullDisk checks that saves on another disk can be restored, and that nothing is saved where little
// of the disk is free.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := mountSmallDisk(t)
	b := newBench(t)
	store := Open(ledger.SealedDir(state.NewDir(filepath.Join(dir, "checkrein"))), b.environ(), time.Now)
	losses := []Loss{{Path: filepath.Join(b.dir, "src")}}
	before := b.state()
	e, err := store.Save(t.Context(), Request{Losses: losses})
	if err != nil || e.ID == "" {
		t.Fatalf("to another disk: %v", err)
	}
	b.run("rm -rf src")
	if _, err := store.Restore(t.Context(), e, time.Now(), false); err != nil || b.state() != before {
		t.Errorf("from another disk: %v\n%s", err, difference(before, b.state()))
	}
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 970<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(t.Context(), Request{Losses: losses}); !errors.Is(err, ErrNotSaved) {
		t.Errorf("on a full disk: %v", err)
	}
}

// TestConcurrentSaves has 64 processes save the same tree while another writes files, links and
// directories to it and removes them.
func TestConcurrentSaves(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stop := make(chan bool)
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				src := filepath.Join(b.dir, "src")
				_ = os.WriteFile(filepath.Join(src, "new"+strconv.Itoa(i%50)), []byte("x"), 0o600)
				_ = os.Remove(filepath.Join(src, "new"+strconv.Itoa((i+25)%50)))
				_ = os.Symlink("a", filepath.Join(src, "link"+strconv.Itoa(i%10)))
				_ = os.Remove(filepath.Join(src, "link"+strconv.Itoa((i+5)%10)))
				_ = os.Mkdir(filepath.Join(src, "dir"+strconv.Itoa(i%10)), 0o700)
				_ = os.Remove(filepath.Join(src, "dir"+strconv.Itoa((i+5)%10)))
			}
		}
	})
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(b.environ(), helperVar+"="+b.home)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	close(stop)
	writer.Wait()
	list, err := b.store.List()
	ids := map[string]bool{}
	for _, e := range list {
		ids[e.ID] = true
	}
	if err != nil || len(ids) != 64 {
		t.Errorf("%d saves, %v", len(ids), err)
	}
}

// TestKilled checks that a save that was killed does not count and is removed later, and that one that
// was finished counts although its call never ran.
func TestKilled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := b.save(Loss{Path: filepath.Join(b.dir, "src")})
	dir := b.store.path(e.name)
	if err := os.Rename(dir, strings.TrimSuffix(dir, dir[strings.LastIndexByte(dir, '-'):])); err != nil {
		t.Fatal(err)
	}
	if list, err := b.store.List(); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	b.now = time.Now().Add(2 * unfinishedAfter)
	next := b.save(Loss{Path: filepath.Join(b.dir, "src")})
	if names := b.store.names(); len(names) != 1 {
		t.Errorf("%v is left", names)
	}
	if res := b.restore(next, time.Time{}, false); len(res.Done)+len(res.Skipped) > 0 {
		t.Errorf("nothing was lost, yet %+v", res)
	}
}

// TestPrivate checks that nothing that is saved is readable by others.
func TestPrivate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := b.save(Loss{Path: filepath.Join(b.dir, ".env"), InPlace: true}, Loss{Repo: b.dir, Commits: true})
	for dir := b.store.path(e.name); dir != b.home; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 == 0 {
			return
		}
	}
	t.Error("no directory keeps others out")
}

// TestAltered checks that a save whose list or whose copies were altered restores nothing wrong.
func TestAltered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := b.save(Loss{Path: filepath.Join(b.dir, "src", "a.go")})
	f := filepath.Join(b.store.path(e.name), "files", copyName(0))
	b.run("rm src/a.go && sleep 0.01 && echo evil > '" + f + "'")
	if res := b.restore(e, time.Now(), true); len(res.Skipped) != 1 || !res.Skipped[0].Lost {
		t.Errorf("%+v", res)
	}
	m := filepath.Join(b.store.path(e.name), manifestName)
	data, err := os.ReadFile(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m, []byte(strings.Replace(string(data), "src/a.go", "src/b.go", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.store.Restore(t.Context(), e, time.Now(), true); !errors.Is(err, state.ErrTampered) {
		t.Errorf("an altered list: %v", err)
	}
}

// TestManySaves checks that age, size and number stay within the limits over 10,000 saves.
func TestManySaves(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := time.Now().Add(-20 * 24 * time.Hour)
	for i := range 10_000 {
		size := int64(i%1000) << 10 // KiB
		name := strconv.FormatInt(at.Add(time.Duration(i)*3*time.Minute).UnixMilli(), 36) + fmt.Sprintf("-%08x-", i) + strconv.FormatInt(size, 36)
		if err := os.MkdirAll(b.store.path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.save(Loss{Path: filepath.Join(b.dir, "src")})
	names := b.store.names()
	total := int64(0)
	for _, name := range names {
		made, _, bytes := parseName(name)
		total += bytes
		if time.Since(made) > keepFor {
			t.Fatalf("%s is too old", name)
		}
	}
	if len(names) < 2 || len(names) > maxSaves || total > maxTotal {
		t.Errorf("%d saves with %d MiB", len(names), total>>20)
	}
}

// TestForget checks that forgetting removes the copies.
func TestForget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e, other := b.save(Loss{Path: filepath.Join(b.dir, ".env")}), b.save(Loss{Path: filepath.Join(b.dir, "run.sh")})
	if err := b.store.Forget(e.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.store.path(e.name)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("its copies are left")
	}
	if _, err := b.store.Find(other.ID); err != nil {
		t.Error(err)
	}
	if err := b.store.Forget(e.ID); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// TestPlantedFilters checks that saving runs no program that a repository's settings name.
func TestPlantedFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(`git config core.fsmonitor "touch ~/ran-fsmonitor" && git config filter.x.clean "touch ~/ran-clean; cat" && git config filter.x.smudge "touch ~/ran-smudge; cat"
git config diff.y.textconv "touch ~/ran-textconv" && git config core.hooksPath ../hooks && echo '* filter=x diff=y' > .gitattributes && touch src/*`)
	e := b.save(Loss{Repo: b.dir, Commits: true, Ignored: true})
	if _, err := b.store.Preview(t.Context(), e, time.Now()); err != nil {
		t.Fatal(err)
	}
	if ran, _ := filepath.Glob(filepath.Join(b.home, "ran-*")); len(ran) > 0 {
		t.Errorf("%v ran", ran)
	}
}

// TestBrokenRepository restores a repository that git cannot read any more.
func TestBrokenRepository(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"rm .git/HEAD; : > .git/config", "rm -r .git/refs .git/HEAD src", "rm -rf .git"} {
		b := newBench(t)
		before := b.state()
		e := b.save(Loss{Repo: b.dir, Work: true, Ignored: true, Commits: true, InPlace: true}, Loss{Path: filepath.Join(b.dir, ".git"), Literal: true})
		b.run(command)
		if _, err := b.store.Preview(t.Context(), e, time.Now()); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		b.restore(e, time.Now(), false)
		if got := stripTimes(b.state()); got != stripTimes(before) {
			t.Errorf("%s: %s", command, difference(stripTimes(before), got))
		}
	}
}
