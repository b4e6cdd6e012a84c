package scan

import (
	"io"
	"sort"
)

// Binary files may contain text: a key after the header of a picture, a token in a program. Their pieces
// of text are joined and searched for secrets with a recognisable form.

// minPiece is the minimum length of a piece in characters. No known token is shorter.
const minPiece = 14

// A piece maps a part of the joined text to the file.
type piece struct {
	at   int // offset in the joined text
	pos  int // offset in the file
	step int // bytes of the file per character
}

// A pieces holds the pieces of text in a binary file, joined by newlines.
type pieces struct {
	text []byte
	list []piece
}

// gather collects the pieces of data: runs of ASCII characters, with or without a NUL next to each
// character, as in UTF-16.
func (p *pieces) gather(data []byte) {
	p.text, p.list = p.text[:0], p.list[:0]
	for i := 0; i < len(data); {
		// A piece that starts in this range includes its last byte, so most bytes are skipped.
		if k := i + minPiece - 1; k < len(data) && !isPieceByte(data[k]) && data[k] != 0 {
			i = k + 1
			continue
		}
		if !isPieceByte(data[i]) {
			i++
			continue
		}
		if i+2 < len(data) && data[i+1] == 0 {
			i = p.gatherWide(data, i)
			continue
		}
		end := i + 1
		for end < len(data) && isPieceByte(data[end]) {
			end++
		}
		if end-i >= minPiece {
			p.addPiece(i, 1)
			p.text = append(append(p.text, data[i:end]...), '\n')
		}
		i = end
	}
}

// gatherWide collects a piece of two-byte characters from i, and returns the offset where they end.
func (p *pieces) gatherWide(data []byte, i int) int {
	end := i
	for end < len(data) && isPieceByte(data[end]) && (end+1 == len(data) || data[end+1] == 0) {
		end += 2
	}
	if end-i >= 2*minPiece {
		p.addPiece(i, 2)
		for k := i; k < end; k += 2 {
			p.text = append(p.text, data[k])
		}
		p.text = append(p.text, '\n')
	}
	return min(end, len(data))
}

// addPiece records that the next byte of the joined text is at pos in the file.
func (p *pieces) addPiece(pos, step int) { p.list = append(p.list, piece{len(p.text), pos, step}) }

func isPieceByte(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' }

// filePos returns the offset in the file of the offset at in the joined text.
func (p *pieces) filePos(at int) int {
	k := sort.Search(len(p.list), func(i int) bool { return p.list[i].at > at }) - 1
	return p.list[k].pos + (at-p.list[k].at)*p.list[k].step
}

// A binaryScanner scans the pieces of text in a binary file. The file has no lines, so a finding is in
// line 1, and its column is its offset plus one.
type binaryScanner struct {
	window
	pieces
	base, done int // offsets in the file: the start of the block, and the end of what was reported
}

// scanBlock scans data, a part of the file. Findings that start after limit are left to the next
// block, which contains more of them.
func (d *binaryScanner) scanBlock(data []byte, limit int) {
	d.gather(data)
	d.found = d.scan.Policy.FindBinary(d.found[:0], d.item.Path, d.pieces.text)
	for i := range d.found {
		from, to := d.base+d.filePos(d.found[i].Start), d.base+d.filePos(d.found[i].End-1)+1
		if from < d.done || from >= d.base+limit {
			continue
		}
		d.done = to
		f := d.newFinding(d.pieces.text, i, 1)
		f.Line, f.EndLine = 1, 1
		f.Column, f.Char, f.EndChar = from+1, from+1, to+1
		f.Start, f.End = from, to
		d.out = append(d.out, f)
	}
	d.done = max(d.done, d.base+limit)
}

// scanBinary scans the binary file it, which starts with head and continues with rest, if that is not
// nil. It returns the number of bytes and the findings.
func (s *scanner) scanBinary(it Item, head []byte, rest io.Reader) (n int64, out []Finding, err error) {
	d := binaryScanner{window: window{scanner: s, item: it}}
	if rest == nil {
		d.scanBlock(head, len(head))
		return int64(len(head)), d.out, nil
	}
	buf := append(make([]byte, 0, max(block+seam, len(head))), head...)
	for n = int64(len(head)); ; {
		got, err := io.ReadFull(rest, buf[len(buf):min(cap(buf), len(buf)+block)])
		buf = buf[:len(buf)+got]
		n += int64(got)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			d.scanBlock(buf, len(buf))
			return n, d.out, nil
		}
		if err != nil {
			return n, d.out, err
		}
		keep := min(seam, len(buf))
		d.scanBlock(buf, len(buf)-keep/2)
		d.base += len(buf) - keep
		buf = append(buf[:0], buf[len(buf)-keep:]...)
	}
}
