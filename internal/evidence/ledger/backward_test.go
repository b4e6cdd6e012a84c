package ledger

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestBackwardReader compares what a BackwardReader returns with the records that were written, with
// damaged and unfinished lines and lines longer than a block between them.
func TestBackwardReader(t *testing.T) {
	t.Parallel()
	p := pages{dir: t.TempDir()}
	var want, wantHits []uint64
	for number := 1; number <= 3; number++ {
		var text strings.Builder
		text.WriteString(p.begin(number))
		want = append(want, p.seq)
		for i := range 40 {
			members := `"decision":"none","text":"` + strings.Repeat("x", i*i*40) + `"`
			if i%9 == 0 {
				members = strings.Replace(members, "none", "deny", 1)
				wantHits = append(wantHits, p.seq+1)
			}
			line := p.line(KindEvent, members)
			if i == 7 {
				text.WriteString(strings.Replace(line, "none", "deny", 1)) // edited
				continue
			}
			text.WriteString(line)
			want = append(want, p.seq)
			if i == 39 {
				text.WriteString(strings.Repeat("y", 3*MaxLine) + "\n")
			}
		}
		name := SegmentFile(number)
		if number == 3 {
			name = CurrentFile
			text.WriteString(`{"v":1,"seq":`) // being written
		}
		p.write(t, name, text.String())
	}
	slices.Reverse(want)
	slices.Reverse(wantHits)
	got, at := readBackward(t, p.dir, Position{})
	if !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	if hits, _ := readBackward(t, p.dir, Position{}, `"decision":"deny"`, `"kind":"event"`); !slices.Equal(hits, wantHits) {
		t.Errorf("found %v, want %v", hits, wantHits)
	}
	for _, i := range []int{0, 1, 50, len(at) - 1} {
		if rest, _ := readBackward(t, p.dir, at[i]); !slices.Equal(rest, want[i+1:]) {
			t.Errorf("from record %d on: %v, want %v", want[i], rest, want[i+1:])
		}
	}
	if none, _ := readBackward(t, t.TempDir(), Position{}); len(none) > 0 {
		t.Errorf("an empty ledger has %v", none)
	}
}

// readBackward returns the numbers and positions of the records before a position.
func readBackward(t *testing.T, dir string, before Position, needles ...string) (seqs []uint64, at []Position) {
	t.Helper()
	var list [][]byte
	for _, n := range needles {
		list = append(list, []byte(n))
	}
	r, err := NewBackwardReader(dir, before, list...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		entries, err := r.Next()
		if err == io.EOF {
			return seqs, at
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			seqs, at = append(seqs, entries[i].Line.Seq), append(at, entries[i].At)
			raw, err := ReadAt(dir, entries[i].At, entries[i].Size)
			if err != nil || !strings.HasPrefix(string(raw), fmt.Sprintf(`{"v":1,"seq":%d,`, entries[i].Line.Seq)) {
				t.Fatalf("record %d is not at %v: %v", entries[i].Line.Seq, entries[i].At, err)
			}
		}
	}
}

// TestFindNeedle compares findNeedle with bytes.Index, for each byte that may be the rarest.
func TestFindNeedle(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "ab", "abc", "abcabc", "xxabc", "ab\nabc", "aabcc", "cba", "bcabc", "abab"} {
		for _, needle := range []string{"abc", "b", "ab", "c\na"} {
			for rarest := range len(needle) {
				for start := range len(text) + 1 {
					r := BackwardReader{needles: [][]byte{[]byte(needle)}, rarest: rarest}
					r.lines = []byte(text)
					want := bytes.Index(r.lines[start:], []byte(needle))
					if want >= 0 {
						want += start
					}
					if got := r.findNeedle(start); got != want {
						t.Errorf("%q in %q from %d on, by its byte %d: %d, want %d", needle, text, start, rarest, got, want)
					}
				}
			}
		}
	}
}
