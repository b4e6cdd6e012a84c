package grant

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
	"pgregory.net/rapid"
)

// A clock consists of a wall clock that tests set and a monotonic clock.
type clock struct {
	wall time.Time
	boot string
	mono time.Duration
}

func (c *clock) now() Moment { return Moment{Wall: c.wall, Boot: c.boot, Mono: int64(c.mono)} }

func (c *clock) pass(d time.Duration) { c.wall, c.mono = c.wall.Add(d), c.mono+d }

func newStore(t *testing.T) (*Store, *clock) {
	t.Helper()
	c := &clock{wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), boot: "b", mono: time.Hour}
	return &Store{Dir: ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state"))), Now: c.now}, c
}

var (
	guard  = Decider{Hook: packs, Type: "builtin", Scope: "user", Rule: "git/push-force"}
	theRun = Binding{Text: "t", World: []string{"tree /x"}}
)

// addGrant adds g to the store.
func addGrant(t *testing.T, s *Store, g Grant) Grant {
	t.Helper()
	if g.Lifts == nil {
		g.Lifts = []Decider{guard}
	}
	if g.Text == "" {
		g.Binding = theRun
	}
	g, err := s.Add(g)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// tryCall makes a call and reports whether grants allow it.
func tryCall(t *testing.T, s *Store, c Call, by ...Decider) bool {
	t.Helper()
	if len(by) == 0 {
		by = []Decider{guard}
	}
	if c.Text == "" {
		c.Binding = theRun
	}
	m, err := s.Match(&c, by, nil)
	if err != nil {
		t.Logf("match: %v", err)
	}
	for _, id := range m.By {
		if id == "" {
			return false
		}
	}
	ok, err := s.RecordUse(&m)
	if err != nil {
		t.Logf("use: %v", err)
	}
	return ok
}

// Whatever happens to the clocks, a grant that has ended does not become valid again.
func TestEndedForGood(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s, c := newStore(t)
		until := c.wall.Add(2 * time.Hour)
		addGrant(t, s, Grant{Scope: For, Until: until})
		ended, life := false, time.Duration(0)
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			d := time.Duration(rapid.IntRange(1, 90).Draw(r, "minutes")) * time.Minute
			switch rapid.SampledFrom([]string{"pass", "pass", "back", "forward", "boot"}).Draw(r, "step") {
			case "pass":
				c.pass(d)
				life += d
			case "back":
				c.wall = c.wall.Add(-d)
			case "forward":
				c.wall = c.wall.Add(d)
			case "boot":
				c.boot, c.mono = c.boot+"b", time.Minute
			}
			passes := tryCall(t, s, Call{ID: "c"})
			switch {
			case passes && ended:
				r.Fatal("a grant that had ended counts")
			case passes && c.boot == "b" && life >= 2*time.Hour:
				r.Fatalf("it counts after %s", life)
			case passes && !c.wall.Before(until):
				r.Fatal("it counts after its time")
			}
			ended = ended || !passes
		}
	})
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Store, *clock, *Grant) error{
		"time":         func(_ *Store, c *clock, _ *Grant) error { c.pass(Life); return nil },
		"clock back":   func(_ *Store, c *clock, _ *Grant) error { c.wall = c.wall.Add(-time.Hour); return nil },
		"clock on":     func(_ *Store, c *clock, _ *Grant) error { c.wall = c.wall.Add(time.Hour); return nil },
		"its id":       func(s *Store, _ *clock, g *Grant) error { _, err := s.Revoke(g.ID); return err },
		"its handle":   func(s *Store, _ *clock, g *Grant) error { _, err := s.Revoke("4f2a"); return err },
		"all":          func(s *Store, _ *clock, _ *Grant) error { _, err := s.Revoke("all"); return err },
		"session":      func(s *Store, _ *clock, _ *Grant) error { return s.EndSession("h", "s") },
		"another":      func(s *Store, _ *clock, _ *Grant) error { return s.EndSession("h", "s2") },
		"another host": func(s *Store, _ *clock, _ *Grant) error { return s.EndSession("h2", "s") },
	} {
		s, c := newStore(t)
		g := addGrant(t, s, Grant{Handle: "4f2a", Scope: Session, Host: "h", Session: "s", Until: c.wall.Add(Life)})
		call := Call{Host: "h", Session: "s", ID: "1"}
		if !tryCall(t, s, call) || tryCall(t, s, Call{Host: "h", Session: "s2", ID: "1"}) || tryCall(t, s, Call{Host: "h2", Session: "s", ID: "1"}) {
			t.Fatalf("%s: a grant does not count for its session alone", name)
		}
		was := *c
		if err := end(s, c, &g); err != nil {
			t.Fatal(err)
		}
		if want := strings.HasPrefix(name, "another"); tryCall(t, s, call) != want {
			t.Errorf("%s: passes %t", name, !want)
		} else if *c = was; tryCall(t, s, call) != want { // the clock is put right again
			t.Errorf("%s: it comes back", name)
		}
	}
}

// One call may be judged more than once, but another call is not covered.
func TestOnce(t *testing.T) {
	t.Parallel()
	by := func(who string) func() string { return func() string { return who } }
	first := Call{Host: "h", Session: "s", ID: "1", Caller: by("p")}
	noID := Call{Host: "h", Session: "s", Caller: by("p")}
	other := func(c Call, change func(*Call)) Call { change(&c); return c }
	for _, tt := range []struct {
		name        string
		first, then Call
		after       time.Duration
		want        bool
	}{
		{"the same", first, first, time.Hour, true},
		{"another id", first, other(first, func(c *Call) { c.ID = "2" }), 0, false},
		{"another session", first, other(first, func(c *Call) { c.Session = "s2" }), 0, false},
		{"another host", first, other(first, func(c *Call) { c.Host = "h2" }), 0, false},
		{"another process, same id", first, other(first, func(c *Call) { c.Caller = by("q") }), 0, true},
		{"for permission, without an id", first, noID, 9 * time.Second, true},
		{"for permission, late", first, noID, 11 * time.Second, false},
		{"for permission, another process", first, other(noID, func(c *Call) { c.Caller = by("q") }), 0, false},
		{"without ids", noID, noID, 9 * time.Second, true},
		{"without ids, late", noID, noID, 11 * time.Second, false},
		{"without ids, another process", noID, other(noID, func(c *Call) { c.Caller = by("q") }), 0, false},
		{"without sessions, another process", other(first, func(c *Call) { c.Session = "" }), other(first, func(c *Call) { c.Session, c.Caller = "", by("q") }), 0, false},
	} {
		s, c := newStore(t)
		addGrant(t, s, Grant{Scope: Once, Until: c.wall.Add(Life)})
		if !tryCall(t, s, tt.first) {
			t.Fatalf("%s: the first does not pass", tt.name)
		}
		c.pass(tt.after)
		if tryCall(t, s, tt.then) != tt.want {
			t.Errorf("%s: passes %t", tt.name, !tt.want)
		}
		// One without an id may be that which is judged again with one, but only once.
		nine := tryCall(t, s, other(first, func(c *Call) { c.ID = "9" }))
		if tryCall(t, s, other(first, func(c *Call) { c.ID = "10" })) || nine && tt.first.ID != "" {
			t.Errorf("%s: a further call passes", tt.name)
		}
	}
}

// A decision by a rule that came after the grant is not lifted.
func TestLaterRule(t *testing.T) {
	t.Parallel()
	s, c := newStore(t)
	addGrant(t, s, Grant{Scope: Always, Until: c.wall.Add(Life)})
	later := guard
	later.Rule = "mine/never"
	more := guard
	more.Rules = []string{"git/push-force", "mine/never"}
	final := guard
	final.Final = "managed"
	elsewhere := guard
	elsewhere.Scope = "managed"
	for name, d := range map[string]Decider{"another rule": later, "one more": more, "final": final, "another scope": elsewhere} {
		if tryCall(t, s, Call{ID: name}, d) {
			t.Errorf("%s is lifted", name)
		}
	}
	if !tryCall(t, s, Call{ID: "1"}) {
		t.Error("the grant does not count")
	}
}

// Files that cannot be read grant nothing, and are reported.
func TestDamaged(t *testing.T) {
	t.Parallel()
	good := `{"v":1,"last":1,"grants":[{"id":"g1","scope":"always","lifts":[{"hook":"packs","type":"builtin","scope":"user","rule":"git/push-force"}],"text":"t","world":["tree /x"],"shown":"","made":{"wall":"2026-03-01T12:00:00Z"}}]}`
	seal := func(path, body string) []byte {
		if err := ledger.SealedDir(state.NewDir(filepath.Dir(path))).WriteSealed(grantsFile, []byte(body), true); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, damage := range map[string]func(path string) error{
		"good":    func(p string) error { return os.WriteFile(p, seal(p, good), 0o600) },
		"cut":     func(p string) error { return os.WriteFile(p, seal(p, good)[:200], 0o600) },
		"no seal": func(p string) error { return os.WriteFile(p, []byte(good), 0o600) },
		"empty":   func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"no JSON": func(p string) error { return os.WriteFile(p, []byte("\x00\xff"), 0o600) },
		"other types": func(p string) error {
			return os.WriteFile(p, seal(p, strings.Replace(good, `"always"`, "7", 1)), 0o600)
		},
		"newer": func(p string) error {
			return os.WriteFile(p, seal(p, strings.Replace(good, `"v":1`, `"v":2`, 1)), 0o600)
		},
		"huge": func(p string) error {
			return os.WriteFile(p, append(seal(p, good), strings.Repeat(" ", maxFile)...), 0o600)
		},
		"others may write": func(p string) error {
			return errors.Join(os.WriteFile(p, seal(p, good), 0o600), os.Chmod(p, 0o666))
		},
		"a directory": func(p string) error { return os.Mkdir(p, 0o700) },
		"a loop":      func(p string) error { return os.Symlink(p, p) },
	} {
		s, _ := newStore(t)
		if err := os.MkdirAll(s.Dir.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := damage(s.Dir.Path(grantsFile)); err != nil {
			t.Fatal(err)
		}
		m, err := s.Match(&Call{Binding: theRun}, []Decider{guard}, nil)
		if name == "good" {
			if err != nil || m.By[0] == "" {
				t.Errorf("%s: %q %v", name, m.By, err)
			}
			continue
		}
		if m.By[0] != "" || err == nil || !strings.Contains(err.Error(), "--revoke all") {
			t.Errorf("%s: lifted by %q, said %v", name, m.By[0], err)
		}
		if _, err := s.Add(Grant{}); err == nil {
			t.Errorf("%s: a grant was added", name)
		}
		if _, err := s.Revoke("all"); err != nil && name != "a directory" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func block(n int) *Block {
	return &Block{Host: "h", Session: "s", Shown: fmt.Sprint("call ", n), By: []Decider{guard}, Binding: Binding{Text: fmt.Sprint(n)}}
}

// A handle identifies one call for a day, however many there are.
func TestHandles(t *testing.T) {
	t.Parallel()
	s, c := newStore(t)
	key := []byte("key")
	names := map[string]string{}
	for i := range maxBlocks + 300 {
		b := block(i)
		if err := s.SaveBlock(b, key); err != nil {
			t.Fatal(err)
		}
		if other, taken := names[b.Handle]; taken || !IsHandle(b.Handle) {
			t.Fatalf("%s is that of %s and of %s", b.Handle, other, b.Shown)
		}
		names[b.Handle] = b.Shown
		c.pass(time.Millisecond)
	}
	if err := s.RemoveExpiredBlocks(); err != nil {
		t.Fatal(err)
	}
	list, err := s.Blocks()
	if err != nil || len(list) != maxBlocks {
		t.Fatalf("%d blocks are left: %v", len(list), err)
	}
	// A call whose best handle was that of one that is gone gets another.
	gone := block(0)
	if err := s.SaveBlock(gone, key); err != nil {
		t.Fatal(err)
	}
	if names[gone.Handle] != gone.Shown {
		t.Errorf("the same call has the handle %s now, which was that of %q", gone.Handle, names[gone.Handle])
	}
	for h, shown := range names {
		if b, err := s.Block(h); err == nil && b.Shown != shown {
			t.Errorf("%s was %q and is %q", h, shown, b.Shown)
		}
	}
	c.pass(Life + time.Hour)
	if err := s.RemoveExpiredBlocks(); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Dir.Names(BlocksDir); err != nil || len(left) != 0 {
		t.Errorf("%d are left after a day: %v", len(left), err)
	}
}

// A handle that another block has, or whose file cannot be read, is not used.
func TestHandleTaken(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(s *Store, h string) error{
		"another's": func(s *Store, h string) error {
			data, _ := json.Marshal(&Block{Handle: h, Digest: "other", At: s.Now(), By: []Decider{guard}})
			return s.Dir.Write(BlocksDir+"/"+h, data)
		},
		"a directory": func(s *Store, h string) error { return os.MkdirAll(s.Dir.Path(BlocksDir, h), 0o700) },
		"huge":        func(s *Store, h string) error { return s.Dir.Write(BlocksDir+"/"+h, make([]byte, maxBlock+1)) },
	} {
		s, _ := newStore(t)
		b := block(1)
		b.Digest = b.computeDigest([]byte("key"))
		best := handleCandidates(b.Digest)[0]
		if err := take(s, best); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveBlock(b, []byte("key")); err != nil || b.Handle == best {
			t.Errorf("%s: %s %v", name, b.Handle, err)
		}
		if got, err := s.Block(b.Handle); err != nil || got.Shown != b.Shown {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A block that was changed is distinguished from one that was stored.
func TestBlockSeal(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	key := []byte("key")
	b := block(1)
	b.Deeds = []Deed{{Kind: "delete", Paths: []string{"tree /x"}}}
	if err := s.SaveBlock(b, key); err != nil {
		t.Fatal(err)
	}
	if _, err := s.MarkFalseAlarm(b.Handle, "it is fine"); err != nil {
		t.Fatal(err)
	}
	kept := func() *Block {
		got, err := s.Block(b.Handle)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if !kept().HasValidSeal(key) {
		t.Error("a block as it was kept is not sealed")
	}
	if kept().HasValidSeal([]byte("other")) {
		t.Error("any key will do")
	}
	for name, change := range map[string]func(*Block){
		"text": func(b *Block) { b.Text = "u" }, "shown": func(b *Block) { b.Shown = "ls" }, "deeds": func(b *Block) { b.Deeds[0].Paths[0] = "tree /" },
		"by": func(b *Block) { b.By[0].Final = ""; b.By[0].Hook = "x" }, "no seal": func(b *Block) { b.Seal = "" }, "frame": func(b *Block) { b.Frame = "x" }, "world": func(b *Block) { b.World = []string{"tree /"} }, "session": func(b *Block) { b.Session = "s2" },
	} {
		got := kept()
		if change(got); got.HasValidSeal(key) {
			t.Errorf("%s was changed, and the seal is whole", name)
		}
	}
}
