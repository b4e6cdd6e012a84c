package scan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An outcome is what came of one text.
type outcome struct {
	form     form
	bytes    int64
	found    []Finding
	members  int // texts in an archive
	binaries int // members that are no text
	sealed   int // members that were not looked into
}

// A scanner looks at one text after another with the same buffers. It belongs
// to one goroutine.
type scanner struct {
	scan  *Scan
	room  []byte // what is read
	found []policy.Finding
}

func newScanner(s *Scan) *scanner { return &scanner{scan: s} }

// opened looks at a file.
func (s *scanner) opened(it Item, open func() (io.ReadCloser, error)) (outcome, error) {
	if !s.scan.Policy.Covers(it.Path) {
		return outcome{form: isLeft}, nil
	}
	in, err := open()
	if err != nil {
		return outcome{form: isUnread}, err
	}
	defer in.Close()
	data, rest, err := readSome(s.room[:0], in, 0)
	s.room = data
	switch {
	case err != nil:
		return outcome{form: isUnread}, err
	case rest:
		return s.stream(it, io.MultiReader(bytes.NewReader(bytes.Clone(data)), in))
	}
	return s.look(it, data)
}

// look looks at a text that is all there.
func (s *scanner) look(it Item, data []byte) (outcome, error) {
	if !s.scan.Policy.Covers(it.Path) {
		return outcome{form: isLeft}, nil
	}
	out := outcome{bytes: int64(len(data))}
	order, mark := orderOf(data[:min(len(data), headSize)])
	text := data[mark:]
	if order != 0 {
		text = order.plain(text)
	} else if isBinary(data) {
		return s.binary(it, data, nil)
	}
	w := window{scanner: s, item: it, order: order, place: int64(mark), line: 1, col: mark, dense: isDenseText(text)}
	w.look(text, true)
	out.form, out.found = w.form(), w.out
	return out, nil
}

const (
	block = 1 << 20   // read at a time
	seam  = 128 << 10 // of the block before, which the next one sees again
)

// stream looks at a text of any size. Anything that fits into a seam is found
// wherever blocks end.
func (s *scanner) stream(it Item, r io.Reader) (outcome, error) {
	if !s.scan.Policy.Covers(it.Path) {
		return outcome{form: isLeft}, nil
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return outcome{form: isUnread}, err
	}
	head = head[:n]
	order, mark := orderOf(head)
	counted := &counter{r: r, n: int64(n)}
	src := io.MultiReader(bytes.NewReader(head[mark:]), counted)
	if order != 0 {
		src = &decoder{src: src, o: order}
	} else if isBinary(head) {
		return s.binary(it, head, r)
	}
	w := window{scanner: s, item: it, order: order, place: int64(mark), line: 1, col: mark, nuls: order == 0 && isBinaryHead(head)}
	err = w.run(src)
	return outcome{form: w.form(), bytes: counted.n, found: w.out}, err
}

// binary looks into an archive, if that was asked for, and at the pieces of text in
// anything else that is none.
func (s *scanner) binary(it Item, head []byte, rest io.Reader) (outcome, error) {
	if isArchive(head) && s.scan.Unpack != nil {
		r := io.Reader(bytes.NewReader(head))
		if rest != nil {
			r = io.MultiReader(r, rest)
		}
		return s.members(it, r)
	}
	out := outcome{form: isPieces}
	if isPacked(head) { // or says so
		out.form = isSealed
	}
	var err error
	out.bytes, out.found, err = s.dig(it, head, rest)
	return out, err
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// A window is the part of a text that is being looked at.
type window struct {
	*scanner
	item  Item
	dense bool
	nuls  bool // the head is a text but for its NULs; the rest may be something else
	out   []Finding

	order order // of the file's bytes, of which the text was decoded
	at    int64 // where the window begins, in the text
	place int64 // the same in the file
	done  int64 // up to where findings are reported, in the text
	line  int   // the window's first line
	col   int   // bytes of that line before the window, in the file
}

func (w *window) form() form {
	if w.dense {
		return isDense
	}
	return isText
}

// run looks through all of a text.
func (w *window) run(r io.Reader) error {
	buf := make([]byte, 0, block+seam)
	for first := true; ; first = false {
		n, err := io.ReadFull(r, buf[len(buf):min(cap(buf), len(buf)+block)])
		buf = buf[:len(buf)+n]
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return err
		}
		if first {
			w.dense = w.nuls || isDenseText(buf)
		}
		keep := w.look(buf, last)
		if last {
			return nil
		}
		w.pass(buf[:len(buf)-keep])
		buf = append(buf[:0], buf[len(buf)-keep:]...)
	}
}

// look notes what is in a window and returns how much of its end the next one
// must see again: what touches the end may go on behind it.
func (w *window) look(buf []byte, last bool) int {
	find := w.scan.Policy.Find
	if w.dense {
		find = w.scan.Policy.FindDense
	}
	w.found = find(w.found[:0], w.item.Path, buf)
	keep := min(seam, len(buf))
	if at := bytes.IndexByte(buf[len(buf)-keep:], '\n'); at >= 0 && at+1 < keep/2 {
		keep -= at + 1 // whole lines, where there are some
	}
	limit := len(buf)
	if !last {
		limit -= keep / 2
	}
	w.report(buf, limit)
	w.done = max(w.done, w.at+int64(limit))
	if last {
		return 0
	}
	return keep
}

// report notes the findings of a window that begin before limit and were not
// seen in the window before. Places in the file are counted on from one finding
// to the next, since there may be very many.
func (w *window) report(buf []byte, limit int) {
	done, from := w.done, 0
	at, line, col, char := w.place, 1, w.col, 1
	for i, f := range w.found {
		between := buf[from:f.Start]
		at += int64(w.order.size(between))
		if f.Line != line {
			between, col, char = buf[f.Start-f.Column+1:f.Start], 0, 1
		}
		col += w.order.size(between)
		char += utf8.RuneCount(between)
		from, line = f.Start, f.Line
		if w.at+int64(f.Start) < done || f.Start >= limit {
			continue
		}
		w.done = max(w.done, w.at+int64(f.End))
		if w.item.before.has(wholeLines(buf, f.Start, f.End)) {
			continue
		}
		out := w.note(buf, i, char)
		out.Line, out.Column = w.line+line-1, col+1
		out.Start, out.End = int(at), int(at)+w.order.size(buf[f.Start:f.End])
		out.EndLine += out.Line
		w.out = append(w.out, out)
	}
}

// note adds to a finding what needs its text.
func (w *window) note(buf []byte, i, char int) Finding {
	f := &w.found[i]
	out := Finding{Item: w.item, Finding: *f}
	from, to := lineAround(buf, f.Start)
	out.ID = w.id(buf, i, from, to)
	if w.item.Commit != "" {
		out.sum = w.scan.sum(f.Rule, w.item.Path, buf[f.Start:f.End])
	}
	out.Char = char
	out.EndChar = char + utf8.RuneCount(buf[f.Start:f.End])
	if nl := bytes.LastIndexByte(buf[f.Start:f.End], '\n'); nl >= 0 {
		out.EndLine = bytes.Count(buf[f.Start:f.End], []byte{'\n'})
		out.EndChar = 1 + utf8.RuneCount(buf[f.Start+nl+1:f.End])
	}
	if f.Counts() {
		if w.scan.Digests {
			sum := sha256.Sum256(buf[f.Start:f.End])
			out.Digest = hex.EncodeToString(sum[:])
		}
		if w.scan.Excerpts {
			out.Excerpt = w.excerpt(buf, i, from, to)
		}
		if w.scan.Mark != nil {
			out.Mark = w.scan.Mark(string(wholeLines(buf, f.Start, f.End)))
		}
		if w.scan.Baseline != nil {
			w.scan.Baseline.Add(w.item.Path, buf, w.found[i:i+1])
		}
	}
	return out
}

// lineReach is how much of a long line counts as one.
const lineReach = 1 << 10

// lineAround is the line that a finding begins on.
func lineAround(buf []byte, start int) (from, to int) {
	from = max(0, start-lineReach)
	if i := bytes.LastIndexByte(buf[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	to = min(len(buf), start+4*lineReach)
	if i := bytes.IndexByte(buf[start:to], '\n'); i >= 0 {
		to = start + i
	}
	return from, to
}

// id digests what a finding is apart from what was found there and beside it:
// further lines above do not change it, and nobody can check a guess by it.
func (w *window) id(buf []byte, i, from, to int) string {
	h := sha256.New()
	f := &w.found[i]
	io.WriteString(h, f.Rule+"\x00"+w.item.Path+"\x00")
	first := i
	for first > 0 && w.found[first-1].Start >= from {
		first--
	}
	for _, g := range w.found[first:] {
		if g.Start >= to {
			break
		}
		if from < g.Start {
			h.Write(bytes.TrimSpace(buf[from:g.Start]))
		}
		if g.Start == f.Start {
			io.WriteString(h, "\x00here\x00")
		}
		from = max(from, g.End)
	}
	if from < to {
		h.Write(bytes.TrimSpace(buf[from:to]))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// position is the line and column behind a prefix of the window.
func (w *window) position(prefix []byte) (line, col int) {
	n := bytes.Count(prefix, []byte{'\n'})
	if n == 0 {
		return w.line, w.col + w.order.size(prefix) + 1
	}
	return w.line + n, w.order.size(prefix[bytes.LastIndexByte(prefix, '\n')+1:]) + 1
}

// pass moves the window behind what will not be seen again.
func (w *window) pass(gone []byte) {
	line, col := w.position(gone)
	w.line, w.col = line, col-1
	w.at += int64(len(gone))
	w.place += int64(w.order.size(gone))
}
