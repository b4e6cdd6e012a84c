package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A bench is a project in a home directory, with a store.
type bench struct {
	t         *testing.T
	home, dir string
	store     *Store
	now       time.Time
}

// environ returns the environment of programs.
func (b *bench) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.home, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_NOSYSTEM=1"}
}

// run runs a shell command in the project and returns its output.
func (b *bench) run(command string) string {
	b.t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = b.dir, b.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, home: home, dir: filepath.Join(home, "project")}
	b.store = Open(ledger.SealedDir(state.NewDir(filepath.Join(home, "state", "checkrein"))), b.environ(), b.clock)
	if err := os.MkdirAll(filepath.Join(b.dir, "src", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.run(`git init -q -b main . && echo one > src/a.go && echo two > src/b.go && echo three > src/deep/c.go && printf '#!/bin/sh\n' > run.sh && chmod 750 run.sh
ln -s a.go src/link && printf '.env\ndist/\n' > .gitignore && git add -A && git commit -qm one
echo more >> src/a.go && git commit -qam two && git branch feature && git tag v1
echo stash1 > src/b.go && git stash -q && echo stash2 > src/b.go && git stash -q
echo staged > src/staged.go && git add src/staged.go && echo 'and changed' >> src/staged.go
echo changed > src/b.go && echo untracked > notes.txt && echo secret > .env && mkdir -p dist 'odd name' && echo built > dist/x
printf 'x\ny' > $'odd name/new\nline' && touch 'odd name/a*b'`)
	return b
}

// clock returns the time, or the one that the test set.
func (b *bench) clock() time.Time {
	if b.now.IsZero() {
		return time.Now()
	}
	return b.now
}

// state returns everything that must come back: the files with modes and contents, and what git has.
func (b *bench) state() string {
	b.t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(b.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == ".git" || path == filepath.Join(b.home, "state")) {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(b.home, path)
		fmt.Fprintf(&out, "%q %v", rel, info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			fmt.Fprintf(&out, " %s %d", hex.EncodeToString(sum[:4]), info.ModTime().Unix())
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			out.WriteString(" " + target)
		}
		out.WriteByte('\n')
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	out.WriteString(b.run("git for-each-ref; cat .git/HEAD; git ls-files -s; git stash list --format='%gd %H'; git status --porcelain; git fsck --no-dangling --connectivity-only 2>&1 || true"))
	return out.String()
}

// kinds are the kinds of loss that must come back whole.
var kinds = []struct {
	name, command string
	losses        func(b *bench) []Loss
}{
	{"rm", "rm src/a.go src/link", paths("src/a.go", "src/link")},
	{"rm -r", "rm -rf src 'odd name'", paths("src", "odd name")},
	{"rm of a pattern", "rm src/*.go", paths("src/*.go")},
	{"rm of a file with a pattern's name", "rm 'odd name/a*b'", paths("odd name/a*b")},
	{"mv over", "mv run.sh src/a.go", paths("run.sh", "src/a.go")},
	{"mv -f of a directory", "mv src /tmp/\"$$\" && rm -rf /tmp/\"$$\"", paths("src")},
	{"find -delete", "find . -name '*.go' -delete", paths("*.go")},
	{"sed -i", "sed -i s/changed/gone/ src/b.go", inPlace("src/b.go")},
	{"redirection", "echo x > src/b.go", inPlace("src/b.go")},
	{"cp over", "cp run.sh src/b.go", inPlace("src/b.go")},
	{"redirection to a hard link", "echo x > hard", inPlace("hard")},
	{"tee", "echo x | tee src/link > /dev/null", inPlace("src/link")},
	{"truncate", "truncate -s 0 notes.txt", inPlace("notes.txt")},
	{"dd", "dd if=/dev/zero of=notes.txt bs=1 count=3 status=none", inPlace("notes.txt")},
	{"sqlite3 and other local databases", "printf dropped > shop.db", inPlace("shop.db")},
	{"chmod -R", "chmod -R 700 src", paths("src")},
	{"ln -sf", "ln -sfn /nowhere src/a.go", paths("src/a.go")},
	{"git checkout of files", "git checkout -q -- src/b.go src/staged.go", repo},
	{"git restore", "git restore --staged --worktree .", repo},
	{"git reset --hard", "git reset -q --hard HEAD~1", repo},
	{"git clean", "git clean -qfd", repo},
	{"git clean -x", "git clean -qfdx", func(b *bench) []Loss { return []Loss{{Repo: b.dir, Ignored: true}} }},
	{"git rm -f", "git rm -qrf src", repo},
	{"git checkout -f", "git checkout -qf feature~1", repo},
	{"git switch -C", "git switch -qf -C feature main~1", both},
	{"git stash drop", "git stash drop -q", commits},
	{"git stash drop of an older one", "git stash drop -q stash@{1}", commits},
	{"git stash clear", "git stash clear && git reflog expire --expire=now --all && git gc -q --prune=now", commits},
	{"git branch -D", "git branch -qD feature && git reflog expire --expire=now --all && git gc -q --prune=now", commits},
	{"git branch -f", "git branch -qf feature main~1", commits},
	{"git tag -d", "git tag -d v1", commits},
	{"git update-ref -d", "git update-ref -d refs/heads/feature", commits},
	{"git commit --amend", "git commit -q --amend -m other", commits},
	{"git rebase", "git stash -q -u && git rebase -q -f HEAD~1 && git stash pop -q && git reset -q --hard", both},
	{"git worktree remove", "git worktree remove --force ../tree", paths("../tree")},
}

func paths(names ...string) func(*bench) []Loss {
	return func(b *bench) (out []Loss) {
		for _, n := range names {
			out = append(out, Loss{Path: filepath.Join(b.dir, n)})
		}
		return out
	}
}

func inPlace(names ...string) func(*bench) []Loss {
	return func(b *bench) []Loss {
		out := paths(names...)(b)
		for i := range out {
			out[i].InPlace = true
		}
		return out
	}
}

func repo(b *bench) []Loss    { return []Loss{{Repo: b.dir, Work: true}} }
func commits(b *bench) []Loss { return []Loss{{Repo: b.dir, Commits: true}} }
func both(b *bench) []Loss    { return []Loss{{Repo: b.dir, Work: true, Commits: true}} }

// TestEveryKindComesBack saves, loses and restores, takes that back, and restores once more.
func TestEveryKindComesBack(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.run("printf 'SQLite format 3' > shop.db")
			if strings.Contains(k.name, "hard link") {
				b.run("ln src/b.go hard")
			}
			if strings.Contains(k.name, "worktree") {
				b.run("git worktree add -q ../tree feature && echo mine > ../tree/mine")
			}
			before := b.state()
			git := b.gitFiles()
			e := b.save(k.losses(b)...)
			if after := b.gitFiles(); !slices.Equal(git, after) {
				t.Errorf("saving wrote below .git:\n%q\n%q", git, after)
			}
			b.run(k.command)
			lost := b.state()
			if lost == before {
				t.Fatal("the command lost nothing")
			}
			done := time.Now()
			res := b.restore(e, done, false)
			got := b.state()
			if e.Repos != nil { // what git checks out gets the time of that
				got, before = stripTimes(got), stripTimes(before)
			}
			if got != before {
				t.Fatalf("not as before:\n%s", difference(before, got))
			}
			if len(res.Skipped) > 0 {
				t.Errorf("skipped %v", res.Skipped)
			}
			back, err := b.store.Find(res.Undo)
			if err != nil || back.Undoes != e.ID {
				t.Fatalf("%+v %v", back, err)
			}
			b.restore(back, time.Now(), false)
			if got := stripTimes(b.state()); got != stripTimes(lost) {
				t.Errorf("undoing the undo:\n%s", difference(stripTimes(lost), got))
			}
		})
	}
}

// stripTimes returns a state without times, which the index has too.
func stripTimes(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		if f := strings.Fields(line); strings.HasPrefix(line, `"`) && len(f) > 3 {
			line = strings.Join(f[:len(f)-1], " ")
		}
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "\n")
}

// gitFiles returns the paths and change times of everything below .git.
func (b *bench) gitFiles() (out []string) {
	_ = filepath.WalkDir(filepath.Join(b.dir, ".git"), func(path string, e fs.DirEntry, err error) error {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			out = append(out, path+" "+info.ModTime().String())
		}
		return nil
	})
	return out
}

func (b *bench) save(losses ...Loss) Entry {
	b.t.Helper()
	e, err := b.store.Save(b.t.Context(), Request{Session: "s", Command: "test", Dir: b.dir, Losses: losses})
	if err != nil || e.ID == "" {
		b.t.Fatalf("%+v %v", e, err)
	}
	return e
}

func (b *bench) restore(e Entry, done time.Time, force bool) Result {
	b.t.Helper()
	res, err := b.store.Restore(b.t.Context(), e, done, force)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// difference returns the lines of a that b lacks, and the other way round.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out strings.Builder
	for _, line := range x {
		if !slices.Contains(y, line) {
			out.WriteString("- " + line + "\n")
		}
	}
	for _, line := range y {
		if !slices.Contains(x, line) {
			out.WriteString("+ " + line + "\n")
		}
	}
	return out.String()
}
