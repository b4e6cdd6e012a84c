package index

import (
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// A row is one of the index: a segment or a part.
type rowOf struct {
	table, key string
	id         int64
}

var tablesOf = []struct{ table, key string }{{"segment", "number"}, {"part", "id"}}

// rows reads all rows of the index.
func rows(t *testing.T, db *sql.DB) map[rowOf][]byte {
	t.Helper()
	out := map[rowOf][]byte{}
	for _, of := range tablesOf {
		list, err := db.Query("SELECT " + of.key + ", data FROM " + of.table)
		if err != nil {
			t.Fatal(err)
		}
		for list.Next() {
			at := rowOf{table: of.table, key: of.key}
			var data []byte
			if err := list.Scan(&at.id, &data); err != nil {
				t.Fatal(err)
			}
			out[at] = data
		}
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Rows that are changed, taken away, put in another's place or put back from before are
// all found by Check; and no question is answered by them.
func TestChangedRowsAreFound(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "a")
	r := rand.New(rand.NewPCG(3, 3))
	s.grow(r, 40)
	s.rotate()
	s.grow(r, 40)
	path := filepath.Join(s.dir, File)
	s.must(open(t, s.dir, Options{}).Close())
	read := func() map[rowOf][]byte {
		db, err := openStore(t.Context(), path, "")
		s.must(err)
		defer db.Close()
		return rows(t, db)
	}
	older := read()
	s.grow(r, 40)
	s.must(open(t, s.dir, Options{}).Close())
	sound := read()
	if found, err := Check(t.Context(), s.dir, CheckOptions{}); len(found) > 0 || err != nil {
		t.Fatalf("nobody touched it: %v, %v", found, err)
	}
	var all []rowOf
	for at := range sound {
		all = append(all, at)
	}
	told, stale := 0, 0
	for range 150 {
		at, from := all[r.IntN(len(all))], all[r.IntN(len(all))]
		data := append([]byte{}, sound[at]...)
		how := r.IntN(6)
		switch how {
		case 0:
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		case 1:
			data = data[:r.IntN(len(data))]
		case 2:
			data = append(data, byte(r.IntN(256)))
		case 3:
			data = sound[from]
		case 4:
			data = older[at]
		case 5:
			data = nil
		}
		if string(data) == string(sound[at]) {
			continue
		}
		s.must(open(t, s.dir, Options{}).Close())
		db, err := openStore(t.Context(), path, "")
		s.must(err)
		if data == nil {
			_, err = db.Exec("DELETE FROM "+at.table+" WHERE "+at.key+" = ?", at.id)
		} else {
			_, err = db.Exec("UPDATE "+at.table+" SET data = ? WHERE "+at.key+" = ?", data, at.id)
		}
		s.must(err)
		s.must(db.Close())
		found, err := Check(t.Context(), s.dir, CheckOptions{Most: 1})
		s.must(err)
		renewed := 0
		ix := open(t, s.dir, Options{Renewed: func(error) { renewed++ }})
		s.check(t, ix, Filter{})
		for _, f := range []Filter{{Host: []string{"codex"}, Hook: []string{"guard*"}}, {Decision: []string{"deny"}}, {Session: []string{"s1"}, Oldest: true}, {Agent: []string{"agent-1"}},
			{Event: []string{"stop"}}, {Tool: []string{"mcp__*"}}, {Effect: []string{"deny"}}, {Kind: "event"}} {
			s.check(t, ix, f)
		}
		if _, err := ix.ByHash(t.Context(), s.prev.String()); err != nil {
			t.Error(err)
		}
		s.must(ix.Close())
		switch {
		case len(found) > 0:
			told++
		case at.table == "segment": // taken away or of before: read on from there, or anew
			stale++
		default:
			t.Errorf("case %d of %s %d: nothing is found", how, at.table, at.id)
		}
	}
	t.Logf("%d told, %d only older, 0 believed", told, stale)
}
