package scan

import (
	"bytes"
	"math/bits"
)

// A form is the type of a content.
type form uint8

const (
	isText   form = iota
	isDense       // generated or minified
	isPieces      // binary: its pieces of text were scanned
	isSealed      // compressed, and not unpacked
	isLeft        // excluded by the policy
	isUnread      // it could not be read
	isOpened      // an archive, whose members were scanned
)

// headSize is how much of a content is examined to determine its type.
const headSize = 8 << 10

// isBinaryHead reports whether a content that begins with data is binary. It counts bytes that no text
// contains: NULs and other control characters. A few of them do not make a log or a table unreadable,
// and must not hide it. Invalid UTF-8 counts only if there is very much of it: older encodings have
// some in each word.
func isBinaryHead(data []byte) bool {
	head := data[:min(len(data), headSize)]
	if bytes.IndexByte(head, 0) < 0 {
		head = head[:min(len(head), headSize/8)] // nearly always a text, so a shorter sample suffices
	}
	control, high, invalid := 0, 0, 0
	for i := 0; i < len(head); i++ {
		switch c := head[i]; {
		case c >= 0x80:
			high++
			if n := utf8SequenceLen(head[i:]); n > 0 {
				i += n - 1
			} else {
				invalid++
			}
		case c < ' ' && !isTextControl(c) || c == 0x7f:
			control++
		}
	}
	return control*100 > len(head) || high > 0 && invalid*3 > len(head) && control*400 > len(head)
}

// isBinary reports whether only pieces of text are scanned in a content that begins with head. A text
// with NULs in it, however many, is not binary, or NULs could hide it.
func isBinary(head []byte) bool {
	return isBinaryHead(head) && (isPacked(head) || !isTextWithNULs(head))
}

// isTextWithNULs reports whether a content would be a text without its NULs: at its beginning and, if
// available, in the middle and at the end. A library begins with names.
func isTextWithNULs(data []byte) bool {
	if n := len(data); n > 3*headSize {
		return isTextWithNULs(data[:headSize]) && isTextPart(data[n/2:n/2+headSize]) && isTextPart(data[n-headSize:])
	}
	head := data[:min(len(data), headSize)]
	nul := bytes.Count(head, []byte{0})
	if rest := len(head) - nul; nul == 0 || rest < minPiece || nul > 3*rest { // as many as UTF-32 has
		return false
	}
	return isTextPart(head)
}

func isTextPart(part []byte) bool { return !isBinaryHead(bytes.ReplaceAll(part, []byte{0}, nil)) }

// isTextControl reports whether texts may contain a control character: white space, and the escapes of
// terminals.
func isTextControl(c byte) bool {
	const set = 1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<'\f' | 1<<'\v' | 1<<'\b' | 1<<0x1b | 1<<0x1a
	return set>>c&1 != 0
}

// utf8SequenceLen returns the length of the UTF-8 sequence at the start of b, or 0 if there is none. A
// sequence that is cut off at the end counts.
func utf8SequenceLen(b []byte) int {
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
	denseLine = 500 // average line length from which a text was not written by hand
	denseHead = 64 << 10
)

// isDenseText reports whether a program generated a text for programs: lines are long and have few
// blanks, as in minified code, or a comment says that it is generated. Data in one line with quotes
// around each word does not count, since people's data is often stored like that.
func isDenseText(text []byte) bool {
	head := text[:min(len(text), denseHead)]
	lines := 1 + bytes.Count(head, []byte{'\n'})
	if len(head)/lines > denseLine && len(head) > 2*denseLine {
		blanks := bytes.Count(head, []byte{' '}) + bytes.Count(head, []byte{'\t'}) + lines
		quotes := bytes.Count(head, []byte{'"'})
		return blanks*10 < len(head) && quotes*20 < len(head)
	}
	return hasGeneratedMark(head[:min(len(head), 2<<10)])
}

// hasGeneratedMark reports whether a comment at the top says that a program generated the file.
func hasGeneratedMark(head []byte) bool {
	for line := range bytes.Lines(head) {
		if bytes.Contains(line, []byte("@generated")) || bytes.Contains(line, []byte("DO NOT EDIT")) && bytes.Contains(line, []byte("generated")) {
			return true
		}
	}
	return false
}
