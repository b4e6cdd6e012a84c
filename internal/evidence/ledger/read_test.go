package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A pages builds the files of a ledger to read: valid lines and others.
type pages struct {
	dir  string
	seq  uint64
	hash Hash
}

// line returns the next record.
func (p *pages) line(kind, members string) string {
	p.seq++
	s := Stamp{Seq: p.seq, Kind: kind, Time: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Boot: "b", Prev: p.hash}
	text, hash := AppendLine(nil, &s, []byte(members), nil)
	p.hash = hash
	return string(text)
}

// begin returns the first record of a segment.
func (p *pages) begin(number int) string {
	return p.line(KindSegment, fmt.Sprintf(`"ledger":"x","segment":%d`, number))
}

func (p *pages) write(t interface{ Fatal(...any) }, name, text string) {
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readRest reads until io.EOF and describes what it read: positions, and numbers of records or damage.
func readRest(t interface{ Fatal(...any) }, r *Reader) string {
	var out []string
	for {
		e, err := r.Next()
		if err == io.EOF {
			return strings.Join(out, " ")
		}
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprint(e.Line.Seq)
		if e.Damaged {
			what = fmt.Sprintf("%q", e.Line.Raw[:min(len(e.Line.Raw), 10)])
		}
		out = append(out, fmt.Sprintf("%d:%s", e.At.Segment, what))
	}
}

func TestReaderGoesThroughSegments(t *testing.T) {
	t.Parallel()
	p := &pages{dir: t.TempDir()}
	p.write(t, "00000001.jsonl", p.begin(1)+p.line("event", "")+"torn\n"+p.line("torn", ""))
	p.write(t, "00000002.jsonl", "")
	p.write(t, "00000003.jsonl", p.begin(3)+"no newline")
	p.write(t, "current.jsonl", p.begin(4)+"\n"+p.line("event", "")+`{"v":1`)
	p.write(t, "0000009.jsonl", "a name too short\n")
	p.write(t, "000000009.jsonl", "a name too long\n")
	p.write(t, "00000000.jsonl", "number zero\n")
	if err := os.Mkdir(filepath.Join(p.dir, "00000009.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := NewReader(p.dir, Position{})
	if got, want := readRest(t, r), `1:1 1:2 1:"torn" 1:3 3:4 3:"no newline" 4:5 4:"" 4:6`; got != want {
		t.Errorf("read %s\nwant %s", got, want)
	}
	if string(r.UnfinishedLine()) != `{"v":1` {
		t.Errorf("rest %q", r.UnfinishedLine())
	}
	if r.file != nil {
		t.Error("a file is still open at the end")
	}
	segments, err := Segments(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range segments {
		got = append(got, fmt.Sprintf("%d %s %v", s.Number, filepath.Base(s.Path), s.Current))
	}
	if want := "[1 00000001.jsonl false 2 00000002.jsonl false 3 00000003.jsonl false 4 current.jsonl true]"; fmt.Sprint(got) != want {
		t.Errorf("segments %v\nwant %s", got, want)
	}
}

func TestReaderFollows(t *testing.T) {
	t.Parallel()
	p := &pages{dir: t.TempDir()}
	r := NewReader(p.dir, Position{})
	text := ""
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing yet", func() {}, ""},
		{"begun", func() { text = p.begin(1) }, "1:1"},
		{"nothing new", func() {}, ""},
		{"half a line", func() { text += p.line("event", "")[:50] }, ""},
		{"closed", func() { p.seq--; text += "\n" + p.line("torn", "") }, `1:"{\"v\":1,\"se" 1:2`},
		{"added, then renamed", func() {
			p.write(t, "00000001.jsonl", text+p.line("event", ""))
			text = p.begin(2)
		}, "1:3 2:4"},
		{"renamed", func() { p.write(t, "00000002.jsonl", text); text = "" }, ""},
		{"begun again", func() { text = p.begin(3) }, "3:5"},
		{"two at once", func() {
			p.write(t, "00000003.jsonl", text)
			p.write(t, "00000004.jsonl", p.begin(4))
			text = p.begin(5)
		}, "4:6 5:7"},
	} {
		step.do()
		p.write(t, "current.jsonl", text)
		if got := readRest(t, r); got != step.want {
			t.Errorf("%s: read %s, want %s", step.name, got, step.want)
		}
		// Who comes later, with the same position, reads on the same way.
		r = NewReader(p.dir, r.Position())
	}
}

// TestReaderKeepsItsFile renames the current segment while it is read.
func TestReaderKeepsItsFile(t *testing.T) {
	t.Parallel()
	p := &pages{dir: t.TempDir()}
	p.write(t, "current.jsonl", p.begin(1)+p.line("event", ""))
	r := NewReader(p.dir, Position{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	current := filepath.Join(p.dir, "current.jsonl")
	f, err := os.OpenFile(current, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(p.line("event", "")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(current, filepath.Join(p.dir, "00000001.jsonl")); err != nil {
		t.Fatal(err)
	}
	p.write(t, "current.jsonl", p.begin(2))
	if got := readRest(t, r) + " | " + readRest(t, r); got != "1:2 1:3 | 2:4" {
		t.Errorf("read %s", got)
	}
}

func TestReaderWhereSegmentsAreGone(t *testing.T) {
	t.Parallel()
	p := &pages{dir: t.TempDir()}
	p.write(t, "00000004.jsonl", p.begin(4))
	p.write(t, "00000007.jsonl", p.begin(7))
	p.write(t, "current.jsonl", p.begin(8))
	for from, want := range map[Position]string{
		{}:                       "4:1 7:2 8:3",
		{Segment: 2, Offset: 77}: "4:1 7:2 8:3",
		{Segment: 5}:             "7:2 8:3",
		{Segment: 8}:             "8:3",
		{Segment: 9}:             "",
	} {
		if got := readRest(t, NewReader(p.dir, from)); got != want {
			t.Errorf("from %v: read %s, want %s", from, got, want)
		}
	}
	if _, err := NewReader(p.dir, Position{4, 1 << 20}).Next(); !errors.Is(err, ErrShorter) {
		t.Errorf("beyond the end: %v", err)
	}
	if _, err := NewReader(filepath.Join(p.dir, "none"), Position{}).Next(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

func TestCurrentSegmentWithoutNumber(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"damaged\n", (&pages{}).begin(2), (&pages{}).line("event", ""), ""} {
		p := &pages{dir: t.TempDir()}
		p.write(t, "00000004.jsonl", p.begin(4))
		p.write(t, "current.jsonl", first+p.line("event", ""))
		segments, err := Segments(p.dir)
		if err != nil || len(segments) != 2 || segments[1].Number != 5 {
			t.Errorf("%.20q: %v, %v", first, segments, err)
		}
		if got := readRest(t, NewReader(p.dir, Position{Segment: 5})); !strings.HasSuffix(got, "5:2") {
			t.Errorf("%.20q: read %s", first, got)
		}
	}
}

func TestReadAt(t *testing.T) {
	t.Parallel()
	p := &pages{dir: t.TempDir()}
	first, second := p.begin(1), p.line("event", "")
	p.write(t, "00000001.jsonl", first+second)
	third := p.begin(2)
	p.write(t, "current.jsonl", third)
	for want, at := range map[string]Position{second: {1, int64(len(first))}, third: {2, 0}} {
		got, err := ReadAt(p.dir, at, len(want))
		if err != nil || string(got) != want {
			t.Errorf("at %v: %q, %v", at, got, err)
		}
	}
	for _, at := range []Position{{1, int64(len(first)) + 1}, {1, -1}, {2, 1 << 40}} {
		if _, err := ReadAt(p.dir, at, len(second)); !errors.Is(err, ErrShorter) {
			t.Errorf("at %v: %v", at, err)
		}
	}
	for _, number := range []int{-1, 0, 3} {
		if _, err := ReadAt(p.dir, Position{Segment: number}, 1); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("segment %d: %v", number, err)
		}
	}
}

// TestReaderAndLongLines has more text without a newline than a line may have.
func TestReaderAndLongLines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{MaxLine, MaxLine + 1, 3*MaxLine + 5} {
		p := &pages{dir: t.TempDir()}
		p.write(t, "current.jsonl", p.begin(1)+strings.Repeat("y", n)+"\n"+p.line("event", ""))
		got := readRest(t, NewReader(p.dir, Position{}))
		if !strings.HasPrefix(got, `1:1 1:"yyyyyyyyyy"`) || !strings.HasSuffix(got, " 1:2") {
			t.Errorf("%d bytes: read %s", n, got)
		}
	}
}

// TestReaderLosesNothing reads segments with lines of all lengths, from any position. The reader
// returns what was written.
func TestReaderLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "read")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		p := &pages{dir: dir}
		size := rapid.SampledFrom([]int{0, 1, 100, 1000, chunkSize - 1, chunkSize + 1, 2*chunkSize + 1})
		var all []byte
		for number := 1; number <= 2; number++ {
			text := p.begin(number)
			for range rapid.IntRange(0, 4).Draw(t, "lines") {
				if n := size.Draw(t, "size"); rapid.Bool().Draw(t, "record") {
					text += p.line("event", `"pad":"`+strings.Repeat("x", n)+`"`)
				} else {
					text += strings.Repeat("y", n) + "\n"
				}
			}
			p.write(t, SegmentFile(number), text)
			all = append(all, text...)
		}
		r := NewReader(dir, Position{})
		var read []byte
		for {
			at := r.Position()
			e, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.At != at && e.At != (Position{Segment: at.Segment + 1}) || r.Position().Offset != e.End() {
				t.Fatalf("line at %v, between %v and %v", e.At, at, r.Position())
			}
			read = append(read, e.Line.Raw...)
			if e.Size > len(e.Line.Raw) {
				read = append(read, '\n')
			}
			if _, err := ParseLine(e.Line.Raw); (err != nil) != e.Damaged {
				t.Fatalf("damaged %v, and parsing says %v", e.Damaged, err)
			}
			if rapid.Bool().Draw(t, "restart") {
				r.Close()
				r = NewReader(dir, r.Position())
			}
		}
		if !bytes.Equal(read, all) {
			t.Fatalf("read %d bytes, wrote %d", len(read), len(all))
		}
	})
}
