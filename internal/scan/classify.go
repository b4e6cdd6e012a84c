package scan

import (
	"bytes"
	"math/bits"
)

// A form classifies a file or text by how it was scanned.
type form uint8

const (
	isText     form = iota
	isDense         // generated or minified
	isPieces        // binary; its pieces of text were scanned
	isUnopened      // compressed, and not unpacked
	isExcluded      // excluded by the policy
	isUnread        // it could not be read
	isOpened        // an archive, whose members were scanned
)

// headSize is the number of bytes of a file that are examined to determine whether it is text.
const headSize = 8 << 10

// isBinaryHead reports whether a file that starts with data is binary. It counts bytes that text does
// not contain: NULs and other control characters. A few of them do not make a log or a table
// unreadable, and must not hide it. Invalid UTF-8 counts only if there is very much of it, because
// text in older encodings has some in each word.
func isBinaryHead(data []byte) bool {
	head := data[:min(len(data), headSize)]
	if bytes.IndexByte(head, 0) < 0 {
		head = head[:min(len(head), headSize/8)] // nearly always text, so a shorter sample suffices
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

// isBinary reports whether only pieces of text are scanned in a file that starts with head. Text with
// NULs in it, however many, is not binary, because otherwise NULs could hide it.
func isBinary(head []byte) bool {
	return isBinaryHead(head) && (isCompressed(head) || !isTextWithNULs(head))
}

// isTextWithNULs reports whether data would be text without its NULs: at its start and, if data is
// long enough, in the middle and at the end. The start alone is not enough, because a library starts
// with names.
func isTextWithNULs(data []byte) bool {
	if n := len(data); n > 3*headSize {
		return isTextWithNULs(data[:headSize]) && isTextPart(data[n/2:n/2+headSize]) && isTextPart(data[n-headSize:])
	}
	head := data[:min(len(data), headSize)]
	nul := bytes.Count(head, []byte{0})
	if rest := len(head) - nul; nul == 0 || rest < minPiece || nul > 3*rest { // UTF-32 has up to three NULs per character
		return false
	}
	return isTextPart(head)
}

// isTextPart reports whether part is text without its NULs.
func isTextPart(part []byte) bool { return !isBinaryHead(bytes.ReplaceAll(part, []byte{0}, nil)) }

// isTextControl reports whether text may contain the control character c: white space, and the escapes
// of terminals.
func isTextControl(c byte) bool {
	const set = 1<<'\t' | 1<<'\n' | 1<<'\r' | 1<<'\f' | 1<<'\v' | 1<<'\b' | 1<<0x1b | 1<<0x1a
	return set>>c&1 != 0
}

// utf8SequenceLen returns the length of the UTF-8 sequence at the start of b, or 0 if there is none. A
// sequence that the end of b cuts off counts with its full length.
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
	denseLine = 500 // average line length above which text was not written by hand
	denseHead = 64 << 10
)

// isDenseText reports whether a program generated text for programs: its lines are long and have few
// blanks, as in minified code, or a comment states that it is generated. Data in one line with quotes
// around each word does not count, because data of users is often stored like that.
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

// hasGeneratedMark reports whether a line of head states that a program generated the file.
func hasGeneratedMark(head []byte) bool {
	for line := range bytes.Lines(head) {
		if bytes.Contains(line, []byte("@generated")) || bytes.Contains(line, []byte("DO NOT EDIT")) && bytes.Contains(line, []byte("generated")) {
			return true
		}
	}
	return false
}
