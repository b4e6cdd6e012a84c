package scan

import (
	"bytes"
	"math/bits"
)

// form is what a content was taken for.
type form uint8

const (
	isText   form = iota
	isDense       // generated or minified
	isPieces      // no text: pieces of it were looked at
	isSealed      // compressed, and not looked into
	isLeft        // the policy leaves it out
	isUnread      // it could not be read
	isOpened      // an archive, whose members were looked at
)

// headSize is how much of a content is measured.
const headSize = 8 << 10

// isBinaryHead reports whether a content that begins so holds no text. It goes
// by how many bytes no text has: NULs and other control characters. A few of
// them do not make a log or a table unreadable, and must not hide it. Bytes that
// are no UTF-8 count only where there are very many: older encodings have some
// in each word.
func isBinaryHead(data []byte) bool {
	head := data[:min(len(data), headSize)]
	if bytes.IndexByte(head, 0) < 0 {
		head = head[:min(len(head), headSize/8)] // nearly always a text, so be quick
	}
	control, high, invalid := 0, 0, 0
	for i := 0; i < len(head); i++ {
		switch c := head[i]; {
		case c >= 0x80:
			high++
			if n := sequence(head[i:]); n > 0 {
				i += n - 1
			} else {
				invalid++
			}
		case c < ' ' && !spaces(c) || c == 0x7f:
			control++
		}
	}
	return control*100 > len(head) || high > 0 && invalid*3 > len(head) && control*400 > len(head)
}

// isBinary reports whether a content that begins so is searched for pieces of text
// only. A text with NULs in it, however many, is none of these: they are what hides it.
func isBinary(head []byte) bool { return isBinaryHead(head) && (isPacked(head) || !hasNULs(head)) }

// hasNULs reports whether a content would be a text without its NULs: at its begin and,
// as far as it is there, in its middle and at its end. A library begins with names.
func hasNULs(data []byte) bool {
	if n := len(data); n > 3*headSize {
		return hasNULs(data[:headSize]) && isTextPart(data[n/2:n/2+headSize]) && isTextPart(data[n-headSize:])
	}
	head := data[:min(len(data), headSize)]
	nul := bytes.Count(head, []byte{0})
	if rest := len(head) - nul; nul == 0 || rest < leastPiece || nul > 3*rest { // as many as UTF-32 has
		return false
	}
	return isTextPart(head)
}

func isTextPart(part []byte) bool { return !isBinaryHead(bytes.ReplaceAll(part, []byte{0}, nil)) }

// spaces reports whether texts have a control character: those that set it out,
// and the escapes of terminals.
func spaces(c byte) bool {
	const set = 1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<'\f' | 1<<'\v' | 1<<'\b' | 1<<0x1b | 1<<0x1a
	return set>>c&1 != 0
}

// sequence is the length of the UTF-8 sequence that b begins with, 0 when there
// is none. What is cut at the end of the head counts as one.
func sequence(b []byte) int {
	n := bits.LeadingZeros8(^b[0])
	if n < 2 || n > 4 {
		return 0
	}
	for _, c := range b[1:min(n, len(b))] {
		if c&0xc0 != 0x80 {
			return 0
		}
	}
	return n
}

const (
	denseLine = 500 // bytes of an average line from which on nobody wrote it by hand
	denseHead = 64 << 10
)

// isDenseText reports whether a text was made by a program for programs: lines
// are long, and there are few blanks, as in minified code, or the text says so
// itself. Data in one line, which has a quote around each word, is not meant:
// people's data is often stored so.
func isDenseText(text []byte) bool {
	head := text[:min(len(text), denseHead)]
	lines := 1 + bytes.Count(head, []byte{'\n'})
	if len(head)/lines > denseLine && len(head) > 2*denseLine {
		blanks := bytes.Count(head, []byte{' '}) + bytes.Count(head, []byte{'\t'}) + lines
		quotes := bytes.Count(head, []byte{'"'})
		return blanks*10 < len(head) && quotes*20 < len(head)
	}
	return saysGenerated(head[:min(len(head), 2<<10)])
}

// saysGenerated reports whether a comment at the top says that a program wrote
// the file.
func saysGenerated(head []byte) bool {
	for line := range bytes.Lines(head) {
		if bytes.Contains(line, []byte("@generated")) || bytes.Contains(line, []byte("DO NOT EDIT")) && bytes.Contains(line, []byte("generated")) {
			return true
		}
	}
	return false
}
