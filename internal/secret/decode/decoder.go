// Package decode decodes text that is percent-encoded, written with entities or escapes,
// in hexadecimal or base64, or split by quotes and operators.
package decode

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// An Encoding is a set of ways to encode text.
type Encoding uint8

const (
	Escapes Encoding = 1 << iota // percent signs, entities, \x and \u, and invisible characters
	Hex                          // bytes in hexadecimal, with or without separators
	Base64                       // a run of base64
	Split                        // words split by quotes, operators and backslashes
	Shell                        // a backslash only quotes the next letter: \n is n

	InShell = Shell | Split
)

// A Part is a decoded part of a text.
type Part struct {
	Text string
	// The start and end offsets in the source of each byte of Text.
	from, to []int32
}

// SourceSpan returns the span in the source that encodes Text[start:end], which must not be empty.
func (r *Part) SourceSpan(start, end int) (from, to int) {
	return int(r.from[start]), int(r.to[end-1])
}

const (
	readingReach = 1 << 10  // how far a part extends around an encoded character, in bytes
	maxReading   = 64 << 10 // maximum bytes of a part that contains a private key
	minHex       = 8        // minimum number of bytes written in hexadecimal
	minBase64    = 16       // minimum number of base64 characters
	maxJoin      = 64       // maximum bytes between two string literals that an operator joins
)

// EachDecodedPart calls yield with each part of s that is encoded in one of ways, decoded. If the
// decoded text is encoded again, yield is called once more with the result of decoding it twice. A
// part is valid until yield returns. The time is linear in the length of s; a text without encoded
// parts is scanned once.
func EachDecodedPart(s string, ways Encoding, yield func(*Part)) {
	p := decoder{s: s, ways: ways, reach: readingReach}
	for at := 0; at < len(s); {
		p.reset()
		i := p.nextEncoded(at)
		if i == len(s) {
			return
		}
		from := max(at, i-readingReach)
		if from > at { // start with a whole word
			if n := strings.IndexAny(s[from:i], " \n"); n >= 0 {
				from += n + 1
			}
		}
		to := p.decodePart(from, i)
		r := p.part()
		if strings.Contains(r.Text, "PRIVATE KEY") && to < len(s) {
			for end := min(len(s), from+maxReading); to < end; {
				to = p.decodeAt(to)
			}
			r = p.part()
		}
		yield(r)
		if again := r.decodeAgain(ways); again != nil {
			yield(again)
		}
		at = to
	}
}

// escapeStarts holds the bytes at which an escape may begin. Split words are not decoded: an author
// who writes "gh" + "p_" in a file does not want a token to be found there.
const escapeStarts = "\x00%&\\\xc2\xe2\xef"

// EachEscapedPart calls yield with each part of s that has percent signs, entities, escapes or
// invisible characters, decoded.
func EachEscapedPart(s string, yield func(Part)) {
	var next [len(escapeStarts)]int
	for k := range next {
		next[k] = IndexFrom(s, escapeStarts[k], 0)
	}
	p := decoder{s: s, ways: Escapes, reach: lex.EscapeReach}
	for at := 0; ; {
		first := 0
		for k := range next {
			if next[k] < next[first] {
				first = k
			}
		}
		i := next[first]
		if i == len(s) {
			return
		}
		if s[i] == '\\' && !startsNumericEscape(s[i:]) {
			next[first] = IndexFrom(s, '\\', min(len(s), i+2))
			continue
		}
		n := p.decodeSpecial(i)
		p.reset()
		if n == 0 || p.soft {
			next[first] = IndexFrom(s, escapeStarts[first], i+1)
			continue
		}
		from := max(at, i-lex.EscapeReach)
		at = p.decodePart(from, i)
		yield(*p.part())
		for k := range next {
			if next[k] < at {
				next[k] = IndexFrom(s, escapeStarts[k], at)
			}
		}
	}
}

// DecodeName returns s, a short text such as a name, decoded.
func DecodeName(s string) string {
	p := decoder{s: s, ways: Escapes | Split, reach: len(s)}
	if p.nextEncoded(0) == len(s) {
		return s
	}
	p.decodePart(0, 0)
	r := p.part()
	if again := r.decodeAgain(p.ways); again != nil {
		return again.Text
	}
	return r.Text
}

// A decoder decodes parts of a text.
type decoder struct {
	s        string
	ways     Encoding
	reach    int // how far a part extends around an encoded character, in bytes
	text     []byte
	from, to []int32
	tried    int  // runs before this offset cannot be decoded
	noHex    int  // no hexadecimal bytes start before this offset
	soft     bool // the last item was an escape that is common in ordinary text
	hit      bool // the last item was encoded and not soft
}

// nextEncoded returns the offset of the next encoded character from i, or len(p.s) if there is none.
func (p *decoder) nextEncoded(i int) int {
	s := p.s
	if p.ways == InShell {
		return p.nextBackslash(i)
	}
	for i < len(s) {
		switch startBytes[s[i]] {
		case 0:
			i++
			continue
		case runByte:
			end := i + 1
			for end < len(s) && startBytes[s[end]] == runByte {
				end++
			}
			if (end-i >= minBase64 || lex.IsHex(s[end-1]) && mayStartByteList(s, i, end)) && p.decodeRun(i, end) > 0 {
				p.reset()
				return i
			}
			i = end
		default:
			n := p.decodeSpecial(i)
			p.reset()
			if n > 0 && !p.soft {
				return i
			}
			i += max(n, 1)
		}
	}
	return len(s)
}

// nextBackslash is nextEncoded for shell text, in which only a backslash counts: runs are not decoded,
// and quotes are soft.
func (p *decoder) nextBackslash(i int) int {
	for {
		n := strings.IndexByte(p.s[i:], '\\')
		if n < 0 {
			return len(p.s)
		}
		i += n
		n = p.decodeSpecial(i)
		p.reset()
		if n > 0 && !p.soft {
			return i
		}
		i += max(n, 1)
	}
}

// mayStartByteList reports whether the run s[i:end] may begin a list of hexadecimal bytes: it ends
// with one, and two more follow.
func mayStartByteList(s string, i, end int) bool {
	n := end - i
	if n < 2 || !lex.IsHex(s[end-1]) || !lex.IsHex(s[end-2]) || n > 2 && n&1 == 1 && lex.IsAlnum(s[end-3]) || end+2 >= len(s) {
		return false
	}
	at := hexDigitsAt(s, nextHexByte(s, end, true))
	return at > end && hexDigitsAt(s, nextHexByte(s, at+2, true)) > 0
}

// reset discards the decoded text.
func (p *decoder) reset() {
	p.text, p.from, p.to = p.text[:0], p.from[:0], p.to[:0]
	p.tried, p.noHex = 0, 0
}

// runEnd returns the offset where the run of base64 bytes at i ends.
func runEnd(s string, i int) int {
	for i < len(s) && startBytes[s[i]] == runByte {
		i++
	}
	return i
}

// decodePart decodes from from until p.reach bytes in a row are not encoded, and returns the offset
// where it stopped. The first encoded character is at i.
func (p *decoder) decodePart(from, i int) int {
	end := min(len(p.s), i+p.reach)
	if n := end - from; cap(p.text) < n {
		p.text, p.from, p.to = make([]byte, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	}
	for from < end {
		to := p.decodeAt(from)
		if p.hit {
			end = min(len(p.s), to+p.reach)
		}
		from = to
	}
	return from
}

// decodeAt decodes the item at i, and returns the offset of the next one.
func (p *decoder) decodeAt(i int) int {
	n := 0
	switch startBytes[p.s[i]] {
	case runByte:
		if i >= p.tried {
			end := runEnd(p.s, i)
			if n = p.decodeRun(i, end); n == 0 {
				p.tried = end
			}
		}
		p.hit = n > 0
	case specialByte:
		n = p.decodeSpecial(i)
		p.hit = n > 0 && !p.soft
	default:
		p.hit = false
	}
	if n == 0 {
		p.appendByte(p.s[i], i, i+1)
		return i + 1
	}
	return i + n
}

// appendByte appends c, which s[from:to] encodes, to the decoded text.
func (p *decoder) appendByte(c byte, from, to int) {
	p.text, p.from, p.to = append(p.text, c), append(p.from, int32(from)), append(p.to, int32(to))
}

// part returns the decoded text as a Part.
func (p *decoder) part() *Part { return &Part{string(p.text), p.from, p.to} }

// decodeAgain returns r decoded once more, or nil if that changes nothing.
func (r *Part) decodeAgain(ways Encoding) *Part {
	p := decoder{s: r.Text, ways: ways}
	i := p.nextEncoded(0)
	if i == len(r.Text) {
		return nil
	}
	for at := 0; at < len(r.Text); {
		at = p.decodeAt(at)
	}
	for k := range p.from {
		p.from[k], p.to[k] = r.from[p.from[k]], r.to[p.to[k]-1]
	}
	return p.part()
}

// Kinds of bytes at which an encoded part can begin.
const (
	runByte     = 1 // a base64 or hexadecimal digit
	specialByte = 2
)

// startBytes holds the kind of each byte at which an encoded part can begin.
var startBytes = [256]uint8{
	'%': specialByte, '&': specialByte, '\\': specialByte, '"': specialByte, '\'': specialByte, 0: specialByte,
	0xc2: specialByte, 0xcd: specialByte, 0xd8: specialByte, 0xe1: specialByte, 0xe2: specialByte, 0xef: specialByte, 0xf3: specialByte,
	'+': runByte, '/': runByte, '-': runByte, '_': runByte,
	'0': runByte, '1': runByte, '2': runByte, '3': runByte, '4': runByte, '5': runByte, '6': runByte, '7': runByte, '8': runByte, '9': runByte,
	'A': runByte, 'B': runByte, 'C': runByte, 'D': runByte, 'E': runByte, 'F': runByte, 'G': runByte, 'H': runByte, 'I': runByte, 'J': runByte,
	'K': runByte, 'L': runByte, 'M': runByte, 'N': runByte, 'O': runByte, 'P': runByte, 'Q': runByte, 'R': runByte, 'S': runByte, 'T': runByte,
	'U': runByte, 'V': runByte, 'W': runByte, 'X': runByte, 'Y': runByte, 'Z': runByte,
	'a': runByte, 'b': runByte, 'c': runByte, 'd': runByte, 'e': runByte, 'f': runByte, 'g': runByte, 'h': runByte, 'i': runByte, 'j': runByte,
	'k': runByte, 'l': runByte, 'm': runByte, 'n': runByte, 'o': runByte, 'p': runByte, 'q': runByte, 'r': runByte, 's': runByte, 't': runByte,
	'u': runByte, 'v': runByte, 'w': runByte, 'x': runByte, 'y': runByte, 'z': runByte,
}

// IndexFrom returns the index of the first c in s at or after at, or len(s) if there is none.
func IndexFrom(s string, c byte, at int) int {
	if n := strings.IndexByte(s[at:], c); n >= 0 {
		return at + n
	}
	return len(s)
}
