package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/checkrein/checkrein/internal/lab/built"
)

const (
	refuses = "#!/bin/sh\n: >{good}\necho approved-says-no >&2\nexit 2\n"
	passes  = "#!/bin/sh\n: >{evil}\nexit 0\n"
)

// A swap puts the file that was not approved in the place of the one that was, and back.
type swap struct {
	name        string
	files       map[string]string
	put         string // how s/gate.sh is written, unless the next two do it
	there, back func(p *attemptPlace)
}

var swaps = []swap{
	{name: "a file renamed over it", files: map[string]string{"s/gate.sh*": refuses}, put: "s/gate.sh*"},
	{name: "written in place, the time put back", files: map[string]string{"s/gate.sh*": refuses}, put: "s/gate.sh~"},
	{
		name:  "two files exchanged",
		files: map[string]string{"s/gate.sh*": refuses, "other.sh*": passes},
		there: exchange("s/gate.sh", "other.sh"),
		back:  exchange("s/gate.sh", "other.sh"),
	},
	{
		name:  "a link swapped",
		files: map[string]string{"s/gate.sh@": "../one.sh", "one.sh*": refuses, "two.sh*": passes},
		there: func(p *attemptPlace) { p.relink("s/gate.sh", "../two.sh") },
		back:  func(p *attemptPlace) { p.relink("s/gate.sh", "../one.sh") },
	},
	{
		name:  "two directories exchanged",
		files: map[string]string{"s/gate.sh*": refuses, "t/gate.sh*": passes},
		there: exchange("s", "t"),
		back:  exchange("s", "t"),
	},
	{
		name:  "a directory's link swapped",
		files: map[string]string{"s@": "one", "one/gate.sh*": refuses, "two/gate.sh*": passes},
		there: func(p *attemptPlace) { p.relink("s", "two") },
		back:  func(p *attemptPlace) { p.relink("s", "one") },
	},
}

func exchange(a, b string) func(*attemptPlace) {
	return func(p *attemptPlace) {
		if err := unix.Renameat2(unix.AT_FDCWD, filepath.Join(p.project, a), unix.AT_FDCWD, filepath.Join(p.project, b), unix.RENAME_EXCHANGE); err != nil {
			p.t.Error(err)
		}
	}
}

// relink leads a link elsewhere in one step.
func (p *attemptPlace) relink(name, to string) {
	file := filepath.Join(p.project, name)
	if err := os.Symlink(to, file+".fresh"); err != nil {
		p.t.Error(err)
	}
	if err := os.Rename(file+".fresh", file); err != nil {
		p.t.Error(err)
	}
}

// with is the swap with other texts.
func (s swap) with(refuse, pass string) swap {
	texts := strings.NewReplacer(refuses, refuse, passes, pass)
	files := map[string]string{}
	for name, text := range s.files {
		files[name] = texts.Replace(text)
	}
	s.files = files
	if s.put != "" {
		s.there = func(p *attemptPlace) { p.put(map[string]string{s.put: pass}) }
		s.back = func(p *attemptPlace) { p.put(map[string]string{s.put: refuse}) }
	}
	return s
}

// place approves the hook and sees it through once. Hooks wait by a program of the
// person's, which a change of the repository cannot reach.
func (s *swap) place(t *testing.T, a attempt) *attemptPlace {
	t.Helper()
	a.files = s.files
	own := t.TempDir()
	p := newAttemptPlace(t, a, own)
	waits := "#!/bin/sh\ncd {marks}\n: >started\nuntil test -e $1; do sleep 0.01; done\n"
	if err := built.WriteScript(filepath.Join(own, "waits"), strings.ReplaceAll(waits, "{marks}", p.marks)); err != nil {
		t.Fatal(err)
	}
	if code, said := p.approve(); code != 0 {
		t.Fatalf("exit %d: %s", code, said)
	}
	p.mark("go")
	if heard, reply := p.sendEvent(); heard != "deny" || !p.ran("good") || !strings.Contains(reply, "approved-says-no") {
		t.Fatalf("%s: %s", heard, reply)
	}
	p.ran("go")
	p.ran("started")
	return p
}

// A script is swapped repeatedly while calls are judged: unapproved contents may run, since a path is
// opened twice, but their answer never counts. For a sealed hook they do not run either.
func TestApprovalSwapRace(t *testing.T) {
	t.Parallel()
	const calls = 100
	for _, sealed := range []bool{false, true} {
		name := "swaps: race"
		if sealed {
			name = "swaps: race, sealed"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if sealed && !hasSealed(t) {
				reportRow(t, name, []string{"there is no such setting"}, "", "")
				return
			}
			s := swaps[2].with(refuses, passes)
			p := s.place(t, attempt{argv: []string{"./s/gate.sh"}, sealed: sealed})
			stop := startSwapping(p, s)
			var ran, counted, other int
			for range calls {
				heard, reply := p.sendEvent()
				evil := p.ran("evil")
				switch {
				case evil && heard != "deny":
					counted++
				case heard != "deny":
					other++
					t.Logf("%s: %s", heard, reply)
				}
				if evil {
					ran++
				}
			}
			stop()
			t.Logf("%d calls: other bytes ran %d times, their answer counted %d times", calls, ran, counted)
			var wrong []string
			if counted > 0 || other > 0 {
				wrong = append(wrong, "an answer counted that nobody approved")
			}
			if sealed && ran > 0 {
				wrong = append(wrong, "other bytes ran in spite of the seal")
			}
			reportRow(t, name, wrong, "", "")
		})
	}
}

// startSwapping swaps files back and forth until stop is called.
func startSwapping(p *attemptPlace, s swap) (stop func()) {
	done := make(chan bool)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			for _, f := range []func(*attemptPlace){s.there, s.back} {
				f(p)
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}
	})
	return func() { close(done); wait.Wait() }
}

// hasSealed says whether hooks can be sealed.
func hasSealed(t *testing.T) bool {
	p := newAttemptPlace(t, attempt{argv: []string{"./a.sh"}, sealed: true}, t.TempDir())
	_, said := p.run("validate", "-c", "checkrein.yaml")
	return !strings.Contains(said, "sealed")
}

// If a sourced file is swapped while a hook runs, and swapped back before it ends, the answer does not
// count.
func TestApprovalSwapWhileRunning(t *testing.T) {
	t.Parallel()
	for _, s := range swaps {
		for _, back := range []bool{false, true} {
			name := "swaps: held, " + s.name
			if back {
				name += " and back"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := s.with("echo approved-says-no >&2; : >{good}; exit 2\n", ": >{evil}\nwaits back\nexit 0\n")
				p := s.place(t, attempt{cmd: "waits go; . ./s/gate.sh"})
				var heard, reply string
				var call sync.WaitGroup
				over := make(chan bool)
				call.Go(func() { heard, reply = p.sendEvent(); close(over) })
				p.await("started", over)
				s.there(p)
				p.mark("go")
				p.await("evil", over)
				if back {
					s.back(p)
				}
				p.mark("back")
				call.Wait()
				var wrong []string
				if heard != "deny" || strings.Contains(reply, "approved-says-no") {
					wrong = append(wrong, "what ran is not what was approved, and its answer counted")
				}
				if !p.ran("evil") {
					wrong = append(wrong, "the swap came to nothing, so this says nothing")
				}
				reportRow(t, name, wrong, "", reply)
			})
		}
	}
}

func (p *attemptPlace) mark(name string) { p.write(filepath.Join(p.marks, name), "") }

// await waits for a mark, or for the end of the call that would leave it.
func (p *attemptPlace) await(name string, over <-chan bool) {
	for {
		if _, err := os.Stat(filepath.Join(p.marks, name)); err == nil {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
