package undo

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// copiesIn returns the number of copies in the only save, or -1 if there is no save yet.
func (b *bench) copiesIn() int {
	names := b.store.names()
	if len(names) == 0 {
		return -1
	}
	found, _ := filepath.Glob(b.store.path(names[0], "files", "*", "*"))
	return len(found)
}

// TestKilledWhileSaving kills a process that saves the project, at several points. The project stays as it
// was, the unfinished save cannot be restored and is removed later, and the next save works.
func TestKilledWhileSaving(t *testing.T) {
	t.Parallel()
	for _, after := range []int{0, 1, groupSize + 1} { // copies
		b := newBench(t)
		b.run("for d in $(seq 6); do mkdir -p big/$d && (cd big/$d && seq 100 | xargs touch); done; mkdir ../state && truncate -s 200M " + slowFile(".."))
		before := b.state()
		unfinished := ""
		for range 20 { // the process may be faster than this one
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(b.environ(), helperVar+"="+b.home)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for b.copiesIn() < after && len(ended) == 0 {
				time.Sleep(time.Millisecond)
			}
			_ = cmd.Process.Kill()
			if len(ended) == 0 {
				<-ended
			}
			names := b.store.names()
			if len(names) == 1 {
				if _, _, bytes := parseName(names[0]); bytes < 0 {
					unfinished = names[0]
					break
				}
			}
			if _, err := b.store.ForgetAll(); err != nil {
				t.Fatal(err)
			}
		}
		if unfinished == "" {
			t.Errorf("after %d copies: every process had finished", after)
			continue
		}
		if now := b.state(); now != before {
			t.Errorf("after %d copies: the project changed:\n%s", after, difference(before, now))
		}
		_, id, _ := parseName(unfinished)
		list, err := b.store.List()
		if _, findErr := b.store.Find(id); err != nil || len(list) != 0 || findErr == nil {
			t.Errorf("after %d copies: an unfinished save is listed: %v %v %v", after, list, err, findErr)
		}
		e := b.save(Loss{Path: filepath.Join(b.dir, "big")})
		b.run("rm -rf big")
		b.restore(e, time.Now(), false)
		if now := b.state(); now != before {
			t.Errorf("after %d copies: the next save restores something else:\n%s", after, difference(before, now))
		}
		b.now = time.Now().Add(2 * unfinishedAfter)
		b.save(Loss{Path: filepath.Join(b.dir, "src")})
		if slices.Contains(b.store.names(), unfinished) {
			t.Errorf("after %d copies: the unfinished save is left", after)
		}
	}
}

// TestMirror checks that git push --mirror publishes nothing of a save.
func TestMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	push := func(to string) string {
		return b.run("git init -q --bare ../" + to + " && git push -q --mirror ../" + to + " && cd ../" + to + " && git for-each-ref && git cat-file --batch-check --batch-all-objects")
	}
	before := push("before")
	b.save(Loss{Repo: b.dir, Work: true, Ignored: true, Commits: true}, Loss{Path: filepath.Join(b.dir, "src")}, Loss{Path: filepath.Join(b.dir, ".env"), InPlace: true})
	if after := push("after"); after != before {
		t.Errorf("published besides:\n%s", difference(before, after))
	}
}
