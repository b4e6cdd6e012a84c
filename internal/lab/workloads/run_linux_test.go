package workloads

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// fullVar is the environment variable that turns all workloads on.
const fullVar = "CHECKREIN_WALLS_FULL"

// skipWithoutWalls skips the test, with a message, if u cannot be contained here.
func skipWithoutWalls(t *testing.T, u *user) {
	t.Helper()
	if err := sandbox.CheckSupported(); err != nil {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: no walls here: ", err)
	}
	w := newWorld(t, u, filepath.Join(u.base, "probe"), nil)
	u.own(t, w.home)
	w.issue(t, "true", nil)
	if r := w.run(t, w.shell, w.line("true")); r.exit != 0 {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: no walls here: ", r.errors)
	}
}

// TestQuickWorkloads runs the workloads that need little.
func TestQuickWorkloads(t *testing.T) {
	t.Parallel()
	runWorkloads(t, func(w *workload) bool { return w.quick })
}

// TestWorkloads runs all workloads, for each user.
func TestWorkloads(t *testing.T) {
	if os.Getenv(fullVar) == "" {
		t.Skip("SKIPPED: set " + fullVar + "=1, or run make test-walls, to run all workloads")
	}
	runWorkloads(t, func(*workload) bool { return true })
}

// runWorkloads runs the workloads that which selects.
func runWorkloads(t *testing.T, which func(*workload) bool) {
	for _, u := range newUsers(t) {
		t.Run(u.name, func(t *testing.T) {
			skipWithoutWalls(t, u)
			sum := &summary{}
			t.Cleanup(func() { sum.print(t) })
			for _, w := range readWorkloads(t) {
				if !which(w) {
					continue
				}
				t.Run(w.group+"/"+w.name, func(t *testing.T) {
					t.Parallel()
					limit <- true
					defer func() { <-limit }()
					w.check(t, u, sum)
				})
			}
		})
	}
}

// limit holds as many values as workloads run at a time.
var limit = make(chan bool, 3)

// A summary collects how workloads ended.
type summary struct {
	mu   sync.Mutex
	rows []string
	good int
}

func (s *summary) add(w *workload, good bool, end string, bare, contained time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, fmt.Sprintf("%-10s %-24s %6d ms %6d ms  %s", w.group, w.name, bare.Milliseconds(), contained.Milliseconds(), end))
	if good {
		s.good++
	}
}

// print prints how the workloads ended, and fails if fewer than 95 % of many end well.
func (s *summary) print(t *testing.T) {
	if len(s.rows) == 0 {
		return
	}
	slices.Sort(s.rows)
	share := 100 * float64(s.good) / float64(len(s.rows))
	t.Logf("%d of %d workloads (%.1f %%) end as bare or say what to allow:\n%s", s.good, len(s.rows), share, strings.Join(s.rows, "\n"))
	if len(s.rows) > 20 && share < 95 {
		t.Errorf("%.1f %% end as bare or say what to allow", share)
	}
}

// check runs w bare and contained, and compares how that ends.
func (w *workload) check(t *testing.T, u *user, sum *summary) {
	for _, program := range w.needs {
		if !hasProgram(program) {
			t.Skip("SKIPPED, NOTHING WAS PROVEN: no ", program)
		}
	}
	bare, took := w.runOnce(t, u, false, "")
	for _, word := range []string{"SELF_SIGNED_CERT", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "dial tcp", "no such host", "ENETUNREACH"} {
		if strings.Contains(bare.out+bare.errors, word) {
			t.Skip("SKIPPED, NOTHING WAS PROVEN: no registry: ", lastLine(bare.errors))
		}
	}
	inside, tookInside := w.runOnce(t, u, true, "")
	again := bare
	different := w.diff(bare, again, inside)
	if different != "" {
		again, _ = w.runOnce(t, u, false, "")
		different = w.diff(bare, again, inside)
	}
	switch {
	case different == "" && w.allow == "" && w.stays == "":
		end := "as bare"
		if bare.exit != 0 {
			end = fmt.Sprintf("as bare, which fails with %d: %s", bare.exit, lastLine(bare.errors))
		}
		sum.add(w, true, end, took, tookInside)
	case different == "":
		t.Errorf("it ends as bare, without %q", cmp.Or(w.allow, w.stays))
	case w.allow != "":
		line := w.explaining(inside)
		open, _ := w.runOnce(t, u, true, w.allow)
		if rest := w.diff(bare, again, open); rest != "" {
			t.Errorf("with %s: %s", w.allow, rest)
		}
		if line == "" {
			t.Logf("no line says what it needs: %s%s", inside.out, inside.errors)
		}
		sum.add(w, line != "", "needs "+w.allow+": "+line, took, tookInside)
	case w.stays != "":
		line := w.explaining(inside)
		sum.add(w, line != "", "stays: "+w.stays+": "+line, took, tookInside)
	default:
		sum.add(w, false, "DIFFERS: "+different, took, tookInside)
		t.Errorf("%s", different)
	}
}

// diff returns how contained differs from bare and again, two endings without walls, or "".
func (w *workload) diff(bare, again, contained *ending) string {
	copied := *contained
	for _, f := range missing(bare.files, contained.files) {
		if slices.ContainsFunc(w.loses, func(word string) bool { return strings.Contains(f, word) }) {
			copied.files = append(slices.Clone(copied.files), f)
		}
	}
	copied.errLines = slices.DeleteFunc(slices.Clone(contained.errLines), func(line string) bool {
		return slices.ContainsFunc(w.warns, func(word string) bool { return strings.Contains(line, word) })
	})
	return bare.diff(again, &copied)
}

func hasProgram(name string) bool {
	for _, dir := range filepath.SplitList(programPath) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && path != "" {
			return true
		}
	}
	return false
}

// runOnce runs w in a fresh home directory. allow is a setting of walls, as in a workload.
func (w *workload) runOnce(t *testing.T, u *user, contained bool, allow string) (*ending, time.Duration) {
	t.Helper()
	world := newWorld(t, u, filepath.Join(u.base, w.name), w.files)
	defer removeAll(world.home)
	for _, tool := range w.tools {
		world.installTool(t, tool)
	}
	u.own(t, world.home)
	argv := []string{"/bin/bash", "-c", world.line(w.script)}
	if contained {
		world.issue(t, w.script, func(p *walls.Place) {
			p.Network = !w.offline
			switch kind, path, _ := strings.Cut(allow, " "); kind {
			case "sockets":
				p.Sockets = true
			case "network":
				p.Network = true
			case "write":
				p.Write = strings.Fields(path)
			}
		})
		argv = []string{world.shell, world.line(w.script)}
	}
	r := world.run(t, argv...)
	return newEnding(t, world, r), r.took
}

// explaining returns the line of the output that says what w needs: a path, or a socket.
func (w *workload) explaining(e *ending) string {
	words := []string{"socket", "Socket", "AF_UNIX", "Address family", "bind", "connect", "listen", "agent", "gpg"}
	if w.allow != "sockets" && w.allow != "network" {
		words = []string{"/", "unshare", "sudo"}
	}
	lines := strings.Split(e.errors+e.out, "\n")
	for i, line := range lines {
		if !walls.ReportsDenial(line) {
			continue
		}
		for _, near := range []string{line, strings.Join(lines[max(i-3, 0):i+1], " ")} { // the cause may be lines of its own
			if slices.ContainsFunc(words, func(s string) bool { return strings.Contains(near, s) }) {
				return strings.TrimSpace(near)
			}
		}
	}
	return ""
}
