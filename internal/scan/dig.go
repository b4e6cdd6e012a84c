package scan

import (
	"io"
	"sort"
)

// What is no text may have some in it: a key behind the head of a picture, a token
// in a program. Its pieces of text are put below each other and searched for what is
// known by its own shape.

// leastPiece is how many characters in a row are a piece: no known token is shorter.
const leastPiece = 14

// A piece is where a part of the gathered text is in the file.
type piece struct {
	at   int // in the gathered text
	pos  int // in the file
	step int // bytes of the file for each character
}

// pieces are texts that lie in a content.
type pieces struct {
	text []byte
	list []piece
}

// gather finds the pieces of data: characters of ASCII in a row, or with a NUL beside
// each, as UTF-16 has them.
func (p *pieces) gather(data []byte) {
	p.text, p.list = p.text[:0], p.list[:0]
	for i := 0; i < len(data); {
		// A piece covers the last of so many bytes, so that most are never looked at.
		if k := i + leastPiece - 1; k < len(data) && !isPieceByte(data[k]) && data[k] != 0 {
			i = k + 1
			continue
		}
		if !isPieceByte(data[i]) {
			i++
			continue
		}
		if i+2 < len(data) && data[i+1] == 0 {
			i = p.wide(data, i)
			continue
		}
		end := i + 1
		for end < len(data) && isPieceByte(data[end]) {
			end++
		}
		if end-i >= leastPiece {
			p.add(i, 1)
			p.text = append(append(p.text, data[i:end]...), '\n')
		}
		i = end
	}
}

// wide gathers the characters of two bytes from i on, and returns where they end.
func (p *pieces) wide(data []byte, i int) int {
	end := i
	for end < len(data) && isPieceByte(data[end]) && (end+1 == len(data) || data[end+1] == 0) {
		end += 2
	}
	if end-i >= 2*leastPiece {
		p.add(i, 2)
		for k := i; k < end; k += 2 {
			p.text = append(p.text, data[k])
		}
		p.text = append(p.text, '\n')
	}
	return min(end, len(data))
}

func (p *pieces) add(pos, step int) { p.list = append(p.list, piece{len(p.text), pos, step}) }

func isPieceByte(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' }

// pos returns where a place of the gathered text is in the content.
func (p *pieces) pos(at int) int {
	k := sort.Search(len(p.list), func(i int) bool { return p.list[i].at > at }) - 1
	return p.list[k].pos + (at-p.list[k].at)*p.list[k].step
}

// A digger looks at the pieces of text in a content that is none. Lines mean nothing
// there: a finding is in the first, and its column tells the place.
type digger struct {
	window
	pieces
	base, done int // in the file: where the block begins, and up to where findings are reported
}

// block looks at a part of the content. Of what begins behind limit the next has more.
func (d *digger) block(data []byte, limit int) {
	d.gather(data)
	d.found = d.scan.Policy.FindBinary(d.found[:0], d.item.Path, d.pieces.text)
	for i := range d.found {
		from, to := d.base+d.pos(d.found[i].Start), d.base+d.pos(d.found[i].End-1)+1
		if from < d.done || from >= d.base+limit {
			continue
		}
		d.done = to
		f := d.note(d.pieces.text, i, 1)
		f.Line, f.EndLine = 1, 1
		f.Column, f.Char, f.EndChar = from+1, from+1, to+1
		f.Start, f.End = from, to
		d.out = append(d.out, f)
	}
	d.done = max(d.done, d.base+limit)
}

// dig looks through all of a content, of which head was read.
func (s *scanner) dig(it Item, head []byte, rest io.Reader) (n int64, out []Finding, err error) {
	d := digger{window: window{scanner: s, item: it}}
	if rest == nil {
		d.block(head, len(head))
		return int64(len(head)), d.out, nil
	}
	buf := append(make([]byte, 0, max(block+seam, len(head))), head...)
	for n = int64(len(head)); ; {
		got, err := io.ReadFull(rest, buf[len(buf):min(cap(buf), len(buf)+block)])
		buf = buf[:len(buf)+got]
		n += int64(got)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			d.block(buf, len(buf))
			return n, d.out, nil
		}
		if err != nil {
			return n, d.out, err
		}
		keep := min(seam, len(buf))
		d.block(buf, len(buf)-keep/2)
		d.base += len(buf) - keep
		buf = append(buf[:0], buf[len(buf)-keep:]...)
	}
}
