package scan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An outcome is the result of scanning one text.
type outcome struct {
	form     form
	bytes    int64
	found    []Finding
	members  int // members of an archive that are text
	binaries int // members that are binary
	sealed   int // members that are compressed and were not unpacked
}

// A scanner scans one text after another with the same buffers. It is not safe for concurrent use.
type scanner struct {
	scan  *Scan
	room  []byte // input buffer
	found []policy.Finding
}

func newScanner(s *Scan) *scanner { return &scanner{scan: s} }

// scanFile scans the content of it that open returns.
func (s *scanner) scanFile(it Item, open func() (io.ReadCloser, error)) (outcome, error) {
	if !s.scan.Policy.AppliesTo(it.Path) {
		return outcome{form: isExcluded}, nil
	}
	in, err := open()
	if err != nil {
		return outcome{form: isUnread}, err
	}
	defer in.Close()
	data, rest, err := readUpToLimit(s.room[:0], in, 0)
	s.room = data
	switch {
	case err != nil:
		return outcome{form: isUnread}, err
	case rest:
		return s.scanStream(it, io.MultiReader(bytes.NewReader(bytes.Clone(data)), in))
	}
	return s.scanText(it, data)
}

// scanText scans data, the content of it.
func (s *scanner) scanText(it Item, data []byte) (outcome, error) {
	if !s.scan.Policy.AppliesTo(it.Path) {
		return outcome{form: isExcluded}, nil
	}
	out := outcome{bytes: int64(len(data))}
	order, mark := detectUTF16(data[:min(len(data), headSize)])
	text := data[mark:]
	if order != 0 {
		text = order.decodeAll(text)
	} else if isBinary(data) {
		return s.scanNonText(it, data, nil)
	}
	w := window{scanner: s, item: it, order: order, place: int64(mark), line: 1, col: mark, dense: isDenseText(text)}
	w.scanWindow(text, true)
	out.form, out.found = w.form(), w.out
	return out, nil
}

const (
	block = 1 << 20   // bytes that are read at a time
	seam  = 128 << 10 // bytes at the end of a block that are scanned again with the next one
)

// scanStream scans r, the content of it, which may have any size. It finds anything that fits into a
// seam, wherever blocks end.
func (s *scanner) scanStream(it Item, r io.Reader) (outcome, error) {
	if !s.scan.Policy.AppliesTo(it.Path) {
		return outcome{form: isExcluded}, nil
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return outcome{form: isUnread}, err
	}
	head = head[:n]
	order, mark := detectUTF16(head)
	counted := &countingReader{r: r, n: int64(n)}
	src := io.MultiReader(bytes.NewReader(head[mark:]), counted)
	if order != 0 {
		src = &utf16Decoder{src: src, o: order}
	} else if isBinary(head) {
		return s.scanNonText(it, head, r)
	}
	w := window{scanner: s, item: it, order: order, place: int64(mark), line: 1, col: mark, nuls: order == 0 && isBinaryHead(head)}
	err = w.scanAll(src)
	return outcome{form: w.form(), bytes: counted.n, found: w.out}, err
}

// scanNonText scans a file that starts with head and continues with rest, which may be nil. It scans
// the members of an archive if s can unpack it, and otherwise the pieces of text in the file.
func (s *scanner) scanNonText(it Item, head []byte, rest io.Reader) (outcome, error) {
	if isArchive(head) && s.scan.Unpack != nil {
		r := io.Reader(bytes.NewReader(head))
		if rest != nil {
			r = io.MultiReader(r, rest)
		}
		return s.scanMembers(it, r)
	}
	out := outcome{form: isPieces}
	if isCompressed(head) { // report that it was not unpacked
		out.form = isUnopened
	}
	var err error
	out.bytes, out.found, err = s.scanBinary(it, head, rest)
	return out, err
}

// A countingReader counts the bytes that r returns.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// A window is the part of a text that is being scanned.
type window struct {
	*scanner
	item  Item
	dense bool
	nuls  bool // the head is text apart from its NULs; the rest may be something else
	out   []Finding

	order byteOrder // byte order of the file that the text was decoded from
	at    int64     // offset of the window in the text
	place int64     // offset of the window in the file
	done  int64     // offset in the text up to which findings were reported
	line  int       // number of the window's first line
	col   int       // bytes of that line in the file before the window
}

// form returns isDense for generated or minified text, otherwise isText.
func (w *window) form() form {
	if w.dense {
		return isDense
	}
	return isText
}

// scanAll scans the text that r returns, block by block.
func (w *window) scanAll(r io.Reader) error {
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
		keep := w.scanWindow(buf, last)
		if last {
			return nil
		}
		w.advance(buf[:len(buf)-keep])
		buf = append(buf[:0], buf[len(buf)-keep:]...)
	}
}

// scanWindow scans buf, and returns how many bytes of its end the next window must include, because a
// finding that touches the end may continue. If last is set, there is no next window.
func (w *window) scanWindow(buf []byte, last bool) int {
	find := w.scan.Policy.Find
	if w.dense {
		find = w.scan.Policy.FindDense
	}
	w.found = find(w.found[:0], w.item.Path, buf)
	keep := min(seam, len(buf))
	if at := bytes.IndexByte(buf[len(buf)-keep:], '\n'); at >= 0 && at+1 < keep/2 {
		keep -= at + 1 // start with a whole line if possible
	}
	limit := len(buf)
	if !last {
		limit -= keep / 2
	}
	w.addFindings(buf, limit)
	w.done = max(w.done, w.at+int64(limit))
	if last {
		return 0
	}
	return keep
}

// addFindings adds the findings in buf that start before limit and were not in the previous window.
// Positions in the file are counted from one finding to the next, because there may be very many.
func (w *window) addFindings(buf []byte, limit int) {
	done, from := w.done, 0
	at, line, col, char := w.place, 1, w.col, 1
	for i, f := range w.found {
		between := buf[from:f.Start]
		at += int64(w.order.encodedSize(between))
		if f.Line != line {
			between, col, char = buf[f.Start-f.Column+1:f.Start], 0, 1
		}
		col += w.order.encodedSize(between)
		char += utf8.RuneCount(between)
		from, line = f.Start, f.Line
		if w.at+int64(f.Start) < done || f.Start >= limit {
			continue
		}
		w.done = max(w.done, w.at+int64(f.End))
		if w.item.before.hasAll(wholeLines(buf, f.Start, f.End)) {
			continue
		}
		out := w.newFinding(buf, i, char)
		out.Line, out.Column = w.line+line-1, col+1
		out.Start, out.End = int(at), int(at)+w.order.encodedSize(buf[f.Start:f.End])
		out.EndLine += out.Line
		w.out = append(w.out, out)
	}
}

// newFinding returns finding i in buf, which starts at column char, with the fields that depend on its
// text.
func (w *window) newFinding(buf []byte, i, char int) Finding {
	f := &w.found[i]
	out := Finding{Item: w.item, Finding: *f}
	from, to := lineAround(buf, f.Start)
	out.ID = w.findingID(buf, i, from, to)
	if w.item.Commit != "" {
		out.hash = w.scan.findingHash(f.Rule, w.item.Path, buf[f.Start:f.End])
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
			out.Excerpt = w.newExcerpt(buf, i, from, to)
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

// lineReach is the number of bytes of a long line before a finding that are used; four times as many
// after it are.
const lineReach = 1 << 10

// lineAround returns the span of the line of buf that contains start, limited by lineReach.
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

// findingID returns a digest of the rule, the path and the line of finding i, without the found text
// and other findings on the line buf[from:to]. Lines that are added above do not change it, and it
// cannot be used to verify a guess.
func (w *window) findingID(buf []byte, i, from, to int) string {
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

// positionAfter returns the line and column in the file after prefix, the start of the window.
func (w *window) positionAfter(prefix []byte) (line, col int) {
	n := bytes.Count(prefix, []byte{'\n'})
	if n == 0 {
		return w.line, w.col + w.order.encodedSize(prefix) + 1
	}
	return w.line + n, w.order.encodedSize(prefix[bytes.LastIndexByte(prefix, '\n')+1:]) + 1
}

// advance moves the window past gone, the text at its start that is not needed again.
func (w *window) advance(gone []byte) {
	line, col := w.positionAfter(gone)
	w.line, w.col = line, col-1
	w.at += int64(len(gone))
	w.place += int64(w.order.encodedSize(gone))
}
