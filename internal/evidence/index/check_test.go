package index

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A piece is a part of an index file that has its own checksum: the sheet of a segment, or a part of a
// chunk.
type piece struct {
	segment  int
	from, to int64
}

// pieces returns all pieces of the index.
func (s *shelf) pieces() []piece {
	s.t.Helper()
	var out []piece
	for _, n := range []int{1, 2} {
		at := s.sheet(n).at
		out = append(out, piece{n, int64(len(format) + 4), at[0]})
		for i := range at[1:] {
			out = append(out, piece{n, at[i], at[i+1]})
		}
	}
	return out
}

func (p *piece) of(files map[int][]byte) []byte { return files[p.segment][p.from:p.to] }

// Pieces that are changed, removed, replaced by others or by older versions are all found by Check,
// and no query uses them. A whole file from before, or a missing one, is no damage: it is completed or
// rebuilt.
func TestChangedPiecesAreFound(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(3, 3))
	s.grow(r, 40)
	s.rotate()
	s.grow(r, 40)
	s.must(open(t, s.dir, Options{}).Close())
	older, olderPieces := s.files(), s.pieces()
	s.grow(r, 40)
	s.must(open(t, s.dir, Options{}).Close())
	sound, all := s.files(), s.pieces()
	if found, err := Check(t.Context(), s.dir, CheckOptions{}); len(found) > 0 || err != nil {
		t.Fatalf("nobody touched it: %v, %v", found, err)
	}
	told, stale := 0, 0
	for range 150 {
		i := r.IntN(len(all))
		at, from := all[i], all[r.IntN(len(all))]
		data := bytes.Clone(at.of(sound))
		how := r.IntN(8)
		var file []byte
		switch how {
		case 0:
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		case 1:
			data = data[:r.IntN(len(data))]
		case 2:
			data = append(data, byte(r.IntN(256)))
		case 3:
			data = from.of(sound)
		case 4:
			data = olderPieces[i].of(older)
		case 5:
			data = nil
		case 6:
			file = older[at.segment]
		}
		whole := sound[at.segment]
		if how < 6 {
			file = append(append(bytes.Clone(whole[:at.from]), data...), whole[at.to:]...)
		}
		if bytes.Equal(file, whole) {
			continue
		}
		s.must(open(t, s.dir, Options{}).Close())
		s.put(at.segment, file)
		found, err := Check(t.Context(), s.dir, CheckOptions{Most: 1})
		s.must(err)
		renewed := 0
		ix := open(t, s.dir, Options{Renewed: func(error) { renewed++ }})
		s.checkQuery(t, ix, Filter{})
		for _, f := range []Filter{{Host: []string{"codex"}, Hook: []string{"guard*"}}, {Decision: []string{"deny"}}, {Session: []string{"s1"}, Oldest: true}, {Agent: []string{"agent-1"}},
			{Event: []string{"stop"}}, {Tool: []string{"mcp__*"}}, {Effect: []string{"deny"}}, {Kind: "event"}} {
			s.checkQuery(t, ix, f)
		}
		if _, err := ix.ByHash(t.Context(), s.prev.String()); err != nil {
			t.Error(err)
		}
		s.must(ix.Close())
		if whole := how >= 6; whole != (len(found) == 0) || whole != (renewed == 0) {
			t.Errorf("case %d of segment %d: %v is found, and it was made anew %d times", how, at.segment, found, renewed)
		}
		if len(found) > 0 {
			told++
		} else {
			stale++
		}
	}
	t.Logf("%d told, %d only older, 0 believed", told, stale)
}
