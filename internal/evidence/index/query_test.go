package index

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// filters generates the filters of drawFilter.
func filters(s *shelf) *rapid.Generator[Filter] {
	return rapid.Custom(func(t *rapid.T) Filter { return drawFilter(t, s) })
}

// drawFilter draws filters, many of which accept something.
func drawFilter(t *rapid.T, s *shelf) Filter {
	list := func(name string, from []string, more ...string) []string {
		if rapid.IntRange(0, 3).Draw(t, name+" asked") > 0 {
			return nil
		}
		return rapid.SliceOfN(rapid.SampledFrom(append(more, from...)), 1, 3).Draw(t, name)
	}
	moment := func(name string) time.Time {
		if rapid.IntRange(0, 3).Draw(t, name+" asked") > 0 {
			return time.Time{}
		}
		at := s.all[rapid.IntRange(0, len(s.all)-1).Draw(t, name)].Time
		return at.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, name+" off")))
	}
	return Filter{
		Since: moment("since"), Until: moment("until"),
		Host: list("host", someHosts), Session: list("session", someSessions, "key-s1", "nobody"), Agent: list("agent", []string{"agent-0", "agent-2"}),
		Event: list("event", someEvents), Tool: list("tool", someTools[1:], "mcp__*", "*", "a?b*", "*[c]", "*h", "shell"),
		Decision: list("decision", someVerdicts), Hook: list("hook", someHooks, "guard*", "*[*", "*?", "", "zzz*"),
		Effect: list("effect", someEffects), Outcome: list("outcome", someEffects), Kind: rapid.SampledFrom([]string{"", "", ledger.KindEvent, ledger.KindGap, ledger.KindSegment}).Draw(t, "kind"),
		Limit: rapid.SampledFrom([]int{0, 1, 7, 50}).Draw(t, "limit"), Oldest: rapid.Bool().Draw(t, "oldest"),
	}
}

func TestQueryAnswersLikeAScan(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{chunkSize + 100, 300, 0} { // chunks that are full, not full, and of one record
		s.grow(r, n)
		s.rotate()
	}
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	rapid.Check(t, func(t *rapid.T) { s.checkQuery(t, ix, filters(s).Draw(t, "filter")) })
}

func TestHitsPointAtTheirRecords(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(5, 6)), 20)
	s.rotate()
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	for i := range s.all {
		want := &s.all[i]
		hit := want.Hit
		checkFoundByTime(t, ix, hit)
		raw, err := ledger.ReadAt(s.dir, ledger.Position{Segment: hit.Segment, Offset: hit.Offset}, hit.Len)
		if err != nil {
			t.Fatal(err)
		}
		line, err := ledger.ParseLine(raw)
		if err != nil || line.Seq != want.Seq || line.Hash != want.hash {
			t.Fatalf("at %+v stands %q: %v", hit, raw, err)
		}
		hash := want.hash.String()
		for _, prefix := range []string{hash, hash[:15], strings.ToUpper(hash[:12])} {
			if hits, err := ix.ByHash(t.Context(), prefix); len(hits) != 1 || hits[0] != want.Hit || err != nil {
				t.Fatalf("ByHash(%s) = %+v, %v; want %+v", prefix, hits, err, want.Hit)
			}
		}
	}
	for _, prefix := range []string{"", "0x12", "g", strings.Repeat("é", 16), strings.Repeat("0", 16) + "x"} {
		if hits, err := ix.ByHash(t.Context(), prefix); err == nil {
			t.Errorf("ByHash(%q) = %v", prefix, hits)
		}
	}
	if hits, err := ix.ByHash(t.Context(), s.all[0].hash.String()[:1]); len(hits) == 0 || len(hits) == len(s.all) || err != nil {
		t.Errorf("one digit finds %d of %d: %v", len(hits), len(s.all), err)
	}
}

func TestQueryStopsEarly(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	s.grow(rand.New(rand.NewPCG(7, 8)), 50)
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	n := 0
	for hit, err := range ix.Query(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		// Another question in the middle of one.
		checkFoundByTime(t, ix, hit)
		if n++; n == 5 {
			break
		}
	}
	s.checkQuery(t, ix, Filter{Limit: 3})
}

// TestOddRecords has records whose members have unexpected types.
func TestOddRecords(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	for _, members := range []string{
		"", `"host":7,"event":null,"tool":"Bash","plan":{"hook":"h"},"effects":"deny","session":{"a":["host"]}`,
		`"plan":["h",{"hook":["h"]},{"hook":"","x":1},[{"hook":"h"}]],"tool":["name"],"effects":[["deny"],{"deny":1},null]`,
		`"plan":[{"hook":"cut"`, `"plan":[{x}],"effects":[x`, `}{`, `]]`, `"plan":[[[[`, `"host":"h`,
	} {
		s.add(ledger.KindEvent, []byte(members))
	}
	good := s.add(ledger.KindEvent, []byte(`"x":{"host":"no"},"plan":[{"origin":"o","hook":"h\u0069t"},{"hook":"hit"}],"host":"h\u006f"`))
	s.flush()
	ix := open(t, s.dir, Options{})
	defer ix.Close()
	for name, f := range map[string]Filter{"escaped": {Hook: []string{"hit"}}, "late": {Host: []string{"ho"}}} {
		if got := queryAll(t, ix, f); len(got) != 1 || got[0] != good {
			t.Errorf("%s: got %+v, want %+v", name, got, good)
		}
	}
	for name, f := range map[string]Filter{"nested": {Host: []string{"no"}}, "number": {Host: []string{"7"}}, "not a list": {Hook: []string{"h"}}} {
		if got := queryAll(t, ix, f); len(got) > 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if got := queryAll(t, ix, Filter{}); len(got) != int(s.seq) {
		t.Errorf("%d records, want %d", len(got), s.seq)
	}
}
