package scan

import (
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Files in UTF-16, as Windows writes them: their NUL bytes make them look like
// no text. They are read as UTF-8, and places in that are counted back.

// order is in which order the bytes of UTF-16 stand; 0 when it is something else.
type order byte

const (
	little order = 'l'
	big    order = 'b'
)

// orderOf returns how a file that begins with head is written, and how long the
// mark is that says so. A mark before plain text is a lie that would hide it.
// Without a mark it goes by where NULs are: most characters of most texts have
// one, nearly all on the same side.
func orderOf(head []byte) (order, int) {
	if len(head) >= 2 && head[0] == 0xff && head[1] == 0xfe && !(len(head) >= 4 && head[2] == 0 && head[3] == 0) && !isPairs(head[2:]) {
		return little, 2
	}
	if len(head) >= 2 && head[0] == 0xfe && head[1] == 0xff && !isPairs(head[2:]) {
		return big, 2
	}
	units := len(head) / 2
	if units < 8 || bytes.IndexByte(head, 0) < 0 {
		return 0, 0
	}
	var nul [2]int
	for i := range 2 * units {
		if head[i] == 0 {
			nul[i%2]++
		}
	}
	switch {
	case nul[0]*16 < nul[1] && nul[1]*2 > units && isUnits(head, little):
		return little, 0
	case nul[1]*16 < nul[0] && nul[0]*2 > units && isUnits(head, big):
		return big, 0
	}
	return 0, 0
}

// isPairs reports whether nearly all units have two characters of plain text in
// them. Of characters that take both bytes, no script has so many.
func isPairs(head []byte) bool {
	pairs := 0
	for i := 0; i+1 < len(head); i += 2 {
		if isPlainByte(head[i]) && isPlainByte(head[i+1]) {
			pairs++
		}
	}
	return pairs > 0 && pairs*10 >= len(head)/2*9
}

func isPlainByte(c byte) bool {
	return c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t'
}

// isUnits reports whether the characters of one byte in head are those of a text:
// small numbers in a row have NULs too.
func isUnits(head []byte, o order) bool {
	for i := 0; i+1 < len(head); i += 2 {
		if c := o.unit(head[i:]); c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1b {
			return false
		}
	}
	return true
}

func (o order) unit(b []byte) uint16 {
	if o == big {
		return uint16(b[0])<<8 | uint16(b[1])
	}
	return uint16(b[1])<<8 | uint16(b[0])
}

// size returns how many bytes of the file a part of the text is.
func (o order) size(text []byte) int {
	if o == 0 {
		return len(text)
	}
	n := 0
	for _, c := range text {
		if c&0xc0 != 0x80 {
			n += 2
		}
		if c >= 0xf0 {
			n += 2
		}
	}
	return n
}

// decoder reads UTF-16 as UTF-8. Half a pair becomes U+FFFD, and half a
// character at the end nothing.
type decoder struct {
	src  io.Reader
	o    order
	raw  [4 << 10]byte
	n    int    // bytes in raw
	out  []byte // decoded and not yet read
	room [6 << 10]byte
	err  error
	read int64 // bytes of src
}

func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		n, err := d.src.Read(d.raw[d.n:])
		d.n += n
		d.read += int64(n)
		d.err = err
		d.decode()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// decode decodes what is in raw, but for a half of something at its end.
func (d *decoder) decode() {
	out := d.room[:0]
	i := 0
	for ; i+1 < d.n; i += 2 {
		r := rune(d.o.unit(d.raw[i:]))
		if utf16.IsSurrogate(r) {
			if i+3 >= d.n && d.err == nil {
				break
			}
			pair := rune(utf8.RuneError)
			if i+3 < d.n {
				pair = utf16.DecodeRune(r, rune(d.o.unit(d.raw[i+2:])))
			}
			if r = pair; r != utf8.RuneError {
				i += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	d.n = copy(d.raw[:], d.raw[i:d.n])
	d.out = out
}

// Decode returns the text of a file in UTF-8, and what makes such a text the
// bytes of a file again. It reports false when the file holds no text.
func Decode(data []byte) (text []byte, encode func([]byte) []byte, ok bool) {
	o, mark := orderOf(data[:min(len(data), headSize)])
	if o == 0 {
		return data, func(b []byte) []byte { return b }, !isBinaryHead(data)
	}
	return o.plain(data[mark:]), func(b []byte) []byte {
		out := append(make([]byte, 0, mark+2*len(b)), data[:mark]...)
		for _, u := range utf16.Encode([]rune(string(b))) {
			if o == big {
				out = append(out, byte(u>>8), byte(u))
			} else {
				out = append(out, byte(u), byte(u>>8))
			}
		}
		return out
	}, true
}

// plain is all of a text in UTF-16.
func (o order) plain(src []byte) []byte {
	text, _ := io.ReadAll(&decoder{src: bytes.NewReader(src), o: o}) // bytes have no error
	return text
}
