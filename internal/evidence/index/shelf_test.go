package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A recorded is an event with its place and kind.
type recorded struct {
	Hit
	kind string
	hash ledger.Hash
	event
}

// A shelf is a made ledger that remembers all its records.
type shelf struct {
	*made
	all  []recorded
	torn bool // the last line is not whole
}

func newShelf(t testing.TB, id string) *shelf {
	s := &shelf{made: newMade(t, t.TempDir(), id)}
	s.rememberBegin()
	return s
}

// rememberBegin remembers the record that begin wrote.
func (s *shelf) rememberBegin() {
	s.all = append(s.all, recorded{Hit: Hit{Seq: s.seq, Time: s.clock, Segment: s.segment, Len: int(s.size) - 1}, kind: ledger.KindSegment, hash: s.prev})
}

// tear leaves an incomplete line, as a writer that dies does.
func (s *shelf) tear() {
	s.write([]byte(`{"v":1,"seq":`))
	s.flush()
	s.torn = true
}

func (s *shelf) rotate() {
	s.torn = false
	s.begin()
	s.rememberBegin()
}

func (s *shelf) record(kind string, e event) {
	if s.torn {
		s.write([]byte("\n"))
		s.torn = false
	}
	h := s.add(kind, e.members(0))
	s.all = append(s.all, recorded{Hit: h, kind: kind, hash: s.prev, event: e})
}

func (s *shelf) forget(segment int) {
	s.prune(segment)
	s.all = slices.DeleteFunc(s.all, func(r recorded) bool { return r.Segment == segment })
}

// The values of random events: some common, some rare, some that need care.
var (
	someHosts    = []string{"claude", "codex", "gémini"}
	someSessions = []string{"s1", "s2", "s3", `odd "one"`, "line\nbreak"}
	someEvents   = []string{"pre_tool_use", "post_tool_use", "stop"}
	someTools    = []string{"", "Bash", "bash", "mcp__db__query", "mcp__db__list", "a?b[c]", "a*b"}
	someNames    = []string{"", "shell", "Bash", "read"}
	someHooks    = []string{"guard", "guard-git", "lint", "x[1]", "no?", "ünï"}
	someEffects  = []string{"deny", "context", "rewrite_input"}
	someVerdicts = []string{"none", "none", "none", "allow", "ask", "deny"}
)

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

func randomEvent(r *rand.Rand) event {
	e := event{Host: pick(r, someHosts), Session: pick(r, someSessions), Event: pick(r, someEvents), Tool: pick(r, someTools),
		Decision: pick(r, someVerdicts)}
	e.Key = "key-" + e.Session
	if e.Tool != "" {
		e.Canonical = pick(r, someNames)
	}
	if r.IntN(3) == 0 {
		e.Agent = fmt.Sprint("agent-", r.IntN(3))
	}
	for range r.IntN(4) {
		e.Hooks = append(e.Hooks, pick(r, someHooks))
	}
	for range r.IntN(3) {
		e.Effects = append(e.Effects, pick(r, someEffects))
	}
	return e
}

// grow adds n random records, one in a hundred of another kind.
func (s *shelf) grow(r *rand.Rand, n int) {
	for range n {
		if r.IntN(100) == 0 {
			s.record(ledger.KindGap, event{})
			continue
		}
		if r.IntN(200) == 0 {
			s.clock = s.clock.Add(-time.Second) // somebody set it
		}
		s.record(ledger.KindEvent, randomEvent(r))
	}
	s.flush()
}

// expectedHits returns what Query must return, found by checking every record.
func (s *shelf) expectedHits(f Filter) []Hit {
	var hits []Hit
	for i := range s.all {
		if s.all[i].accepted(&f) {
			hits = append(hits, s.all[i].Hit)
		}
	}
	if !f.Oldest {
		slices.Reverse(hits)
	}
	if f.Limit > 0 && len(hits) > f.Limit {
		hits = hits[:f.Limit]
	}
	return hits
}

func (r *recorded) accepted(f *Filter) bool {
	has := func(wanted []string, globs bool, have ...string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool {
			return slices.ContainsFunc(have, func(h string) bool { return h != "" && (h == w || globs && matches(w, h)) })
		})
	}
	isEvent := r.kind == ledger.KindEvent
	return (f.Since.IsZero() || !r.Time.Before(f.Since)) && (f.Until.IsZero() || r.Time.Before(f.Until)) &&
		(f.Kind == "" || f.Kind == r.kind) &&
		(isEvent || len(f.termLists()) == 0 || len(f.termLists()) == 1 && f.Kind != "") &&
		has(f.Host, false, r.Host) && has(f.Session, false, r.Session, r.Key) && has(f.Agent, false, r.Agent) &&
		has(f.Event, false, r.Event) && has(f.Tool, true, r.Tool, r.Canonical) && has(f.Decision, false, r.Decision) &&
		has(f.Hook, true, r.Hooks...) && has(f.Effect, false, r.Effects...) && has(f.Outcome, false, r.Effects...)
}

// matches reports whether text matches pattern, in which a star stands for any text.
func matches(pattern, text string) bool {
	first, rest, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == text
	}
	text, ok = strings.CutPrefix(text, first)
	for at := 0; ok && at <= len(text); at++ {
		if matches(rest, text[at:]) {
			return true
		}
	}
	return false
}

// checkFoundByTime queries a record by its time, which no other record has unless the clock was set.
func checkFoundByTime(t asker, ix *Index, h Hit) {
	t.Helper()
	for _, got := range queryAll(t, ix, Filter{Since: h.Time, Until: h.Time.Add(1)}) {
		if got == h {
			return
		}
	}
	t.Fatalf("%+v is not found", h)
}

// An asker is a *testing.T or a *rapid.T.
type asker interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

// queryAll returns all hits of a query.
func queryAll(t asker, ix *Index, f Filter) []Hit {
	t.Helper()
	var hits []Hit
	for h, err := range ix.Query(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, h)
	}
	return hits
}

// checkQuery compares the hits of a query with the expected ones.
func (s *shelf) checkQuery(t asker, ix *Index, f Filter) {
	t.Helper()
	if got, want := queryAll(t, ix, f), s.expectedHits(f); !slices.Equal(got, want) {
		t.Fatalf("%+v: missing (-) or wrong (+):\n%.2000s", f, cmp.Diff(want, got))
	}
	f.Limit = 0
	n, err := ix.Count(t.Context(), f)
	if want := len(s.expectedHits(f)); n != want || err != nil {
		t.Fatalf("Count(%+v) = %d, %v; want %d", f, n, err, want)
	}
}

func open(t asker, dir string, opts Options) *Index {
	t.Helper()
	ix, err := Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// files returns the files of the index by segment.
func (s *shelf) files() map[int][]byte {
	s.t.Helper()
	list := store{dir: state.NewDir(s.dir)}
	numbers, err := list.listSegments()
	s.must(err)
	out := map[int][]byte{}
	for _, n := range numbers {
		out[n], err = os.ReadFile(s.path(n))
		s.must(err)
	}
	return out
}

// path returns the path of the index file of segment.
func (s *shelf) path(segment int) string {
	return filepath.Join(s.dir, filepath.FromSlash(indexPath(segment)))
}

// put replaces the index file of segment as a writer does; nil removes it.
func (s *shelf) put(segment int, data []byte) {
	s.t.Helper()
	if data == nil {
		s.must(os.Remove(s.path(segment)))
		return
	}
	s.must(state.NewDir(s.dir).Write(indexPath(segment), data))
}

// sheet reads the sheet of segment.
func (s *shelf) sheet(segment int) *sheet {
	s.t.Helper()
	secret, err := ledger.ReadSecret(s.dir, ledger.LabelIndex)
	s.must(err)
	list := store{dir: state.NewDir(s.dir), secret: secret}
	sh, err := list.loadSheet(segment)
	s.must(err)
	return sh
}
