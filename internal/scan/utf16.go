package scan

import (
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Files in UTF-16, as Windows writes them, look binary because of their NULs. They are
// decoded to UTF-8, and positions are mapped back to the file.

// A byteOrder is the byte order of UTF-16; 0 means that the text is not UTF-16.
type byteOrder byte

const (
	little byteOrder = 'l'
	big    byteOrder = 'b'
)

// detectUTF16 returns the byte order of a UTF-16 file that starts with head, or 0, and the length of
// its byte order mark. A mark before plain text is ignored, because it would hide the text. Without a
// mark, the position of NULs decides: most characters of most texts have one, nearly all on the same
// side.
func detectUTF16(head []byte) (byteOrder, int) {
	if len(head) >= 2 && head[0] == 0xff && head[1] == 0xfe && !(len(head) >= 4 && head[2] == 0 && head[3] == 0) && !isASCIIPairs(head[2:]) {
		return little, 2
	}
	if len(head) >= 2 && head[0] == 0xfe && head[1] == 0xff && !isASCIIPairs(head[2:]) {
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
	case nul[0]*16 < nul[1] && nul[1]*2 > units && areTextUnits(head, little):
		return little, 0
	case nul[1]*16 < nul[0] && nul[0]*2 > units && areTextUnits(head, big):
		return big, 0
	}
	return 0, 0
}

// isASCIIPairs reports whether nearly all 16-bit units of head consist of two ASCII characters. No
// script that uses both bytes has so many of them.
func isASCIIPairs(head []byte) bool {
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

// areTextUnits reports whether head, decoded with o, is free of control characters that do not occur in
// text. This excludes sequences of small numbers, whose many NULs make them look like UTF-16.
func areTextUnits(head []byte, o byteOrder) bool {
	for i := 0; i+1 < len(head); i += 2 {
		if c := o.decodeUnit(head[i:]); c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1b {
			return false
		}
	}
	return true
}

// decodeUnit returns the 16-bit unit at the start of b.
func (o byteOrder) decodeUnit(b []byte) uint16 {
	if o == big {
		return uint16(b[0])<<8 | uint16(b[1])
	}
	return uint16(b[1])<<8 | uint16(b[0])
}

// encodedSize returns the number of bytes that text takes in the file.
func (o byteOrder) encodedSize(text []byte) int {
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

// A utf16Decoder decodes UTF-16 to UTF-8. An unpaired surrogate becomes U+FFFD, and a single byte at
// the end is dropped.
type utf16Decoder struct {
	src  io.Reader
	o    byteOrder
	raw  [4 << 10]byte
	n    int    // number of bytes in raw
	out  []byte // decoded text that was not read yet
	room [6 << 10]byte
	err  error
	read int64 // number of bytes read from src
}

func (d *utf16Decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		n, err := d.src.Read(d.raw[d.n:])
		d.n += n
		d.read += int64(n)
		d.err = err
		d.decodeRaw()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// decodeRaw decodes d.raw into d.out, except for an incomplete character at its end.
func (d *utf16Decoder) decodeRaw() {
	out := d.room[:0]
	i := 0
	for ; i+1 < d.n; i += 2 {
		r := rune(d.o.decodeUnit(d.raw[i:]))
		if utf16.IsSurrogate(r) {
			if i+3 >= d.n && d.err == nil {
				break
			}
			pair := rune(utf8.RuneError)
			if i+3 < d.n {
				pair = utf16.DecodeRune(r, rune(d.o.decodeUnit(d.raw[i+2:])))
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

// DecodeText returns the text of data, the content of a file, in UTF-8, and a function that encodes
// text in the encoding of the file. It reports false if the file is binary.
func DecodeText(data []byte) (text []byte, encode func([]byte) []byte, ok bool) {
	o, mark := detectUTF16(data[:min(len(data), headSize)])
	if o == 0 {
		return data, func(b []byte) []byte { return b }, !isBinaryHead(data)
	}
	return o.decodeAll(data[mark:]), func(b []byte) []byte {
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

// decodeAll returns src, which is UTF-16, in UTF-8.
func (o byteOrder) decodeAll(src []byte) []byte {
	text, _ := io.ReadAll(&utf16Decoder{src: bytes.NewReader(src), o: o}) // reading from memory does not fail
	return text
}
