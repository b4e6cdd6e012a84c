// Package decode decodes texts that are written in another form: with percent signs, entities and
// escapes, in hexadecimal or base64, or split into parts.
package decode

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// An Encoding is a set of ways to write a text in another form.
type Encoding uint8

const (
	Coded  Encoding = 1 << iota // percent signs, entities, \x and \u, and invisible characters
	Hex                         // bytes in hexadecimal, also with separators
	Base64                      // a run of base64
	Split                       // split by quotes, operators and backslashes
	Shell                       // a backslash before a letter only quotes it: \n is n

	InShell = Shell | Split
)

// A Reading is a decoded part of a text.
type Reading struct {
	Text string
	// The start and end of each byte in the source.
	from, to []int32
}

// Source returns the span of Text[start:end], which is not empty, in the source.
func (r *Reading) Source(start, end int) (from, to int) {
	return int(r.from[start]), int(r.to[end-1])
}

const (
	readingReach = 1 << 10  // bytes of a part around an encoded character
	maxReading   = 64 << 10 // bytes of a part with a private key
	minHex       = 8        // bytes
	minBase64    = 16       // characters
	maxJoin      = 64       // bytes between two quotes that an operator joins
)

// EachReading calls yield with the parts of s that are encoded, decoded once and, if that changes
// them, once more: a decoded text may be encoded, too. A reading is valid until yield returns. The
// time is linear in s; a text without encoded parts is scanned once.
func EachReading(s string, ways Encoding, yield func(*Reading)) {
	p := decoder{s: s, ways: ways, reach: readingReach}
	for at := 0; at < len(s); {
		p.reset()
		i := p.nextEncoded(at)
		if i == len(s) {
			return
		}
		from := max(at, i-readingReach)
		if from > at { // whole words
			if n := strings.IndexAny(s[from:i], " \n"); n >= 0 {
				from += n + 1
			}
		}
		to := p.decodePart(from, i)
		r := p.newReading()
		if strings.Contains(r.Text, "PRIVATE KEY") && to < len(s) {
			for end := min(len(s), from+maxReading); to < end; {
				to = p.decodeAt(to)
			}
			r = p.newReading()
		}
		yield(r)
		if again := r.decodeAgain(ways); again != nil {
			yield(again)
		}
		at = to
	}
}

// codedStarts holds the bytes at which an encoded part of any text begins. Split words do not count:
// an author who writes "gh" + "p_" in a file does not want a token there.
const codedStarts = "\x00%&\\\xc2\xe2\xef"

// EachCodedPart calls yield with the parts of s that have percent signs, entities, escapes or
// invisible characters, decoded.
func EachCodedPart(s string, yield func(Reading)) {
	var next [len(codedStarts)]int
	for k := range next {
		next[k] = IndexFrom(s, codedStarts[k], 0)
	}
	p := decoder{s: s, ways: Coded, reach: lex.EscapeReach}
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
		if s[i] == '\\' && !startsEscape(s[i:]) {
			next[first] = IndexFrom(s, '\\', min(len(s), i+2))
			continue
		}
		n := p.decodeSign(i)
		p.reset()
		if n == 0 || p.soft {
			next[first] = IndexFrom(s, codedStarts[first], i+1)
			continue
		}
		from := max(at, i-lex.EscapeReach)
		at = p.decodePart(from, i)
		yield(*p.newReading())
		for k := range next {
			if next[k] < at {
				next[k] = IndexFrom(s, codedStarts[k], at)
			}
		}
	}
}

// DecodeName returns a short text, such as a name, decoded.
func DecodeName(s string) string {
	p := decoder{s: s, ways: Coded | Split, reach: len(s)}
	if p.nextEncoded(0) == len(s) {
		return s
	}
	p.decodePart(0, 0)
	r := p.newReading()
	if again := r.decodeAgain(p.ways); again != nil {
		return again.Text
	}
	return r.Text
}

// A decoder decodes a text.
type decoder struct {
	s        string
	ways     Encoding
	reach    int // bytes of a part around an encoded character
	text     []byte
	from, to []int32
	tried    int  // no run before this offset can be decoded
	noHex    int  // no list of bytes starts before this offset
	soft     bool // the last item was an escape that is common in texts
	hit      bool // the last item was encoded, and not soft
}

// nextEncoded returns the offset of the next encoded character from i; the end of the text if there is
// none.
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
			n := p.decodeSign(i)
			p.reset()
			if n > 0 && !p.soft {
				return i
			}
			i += max(n, 1)
		}
	}
	return len(s)
}

// nextBackslash is nextEncoded for a shell, in which only a backslash counts: runs are not decoded,
// and quotes are soft.
func (p *decoder) nextBackslash(i int) int {
	for {
		n := strings.IndexByte(p.s[i:], '\\')
		if n < 0 {
			return len(p.s)
		}
		i += n
		n = p.decodeSign(i)
		p.reset()
		if n > 0 && !p.soft {
			return i
		}
		i += max(n, 1)
	}
}

// mayStartByteList reports whether a short run may begin a list of bytes: it ends with one, and
// another follows.
func mayStartByteList(s string, i, end int) bool {
	n := end - i
	if n < 2 || !lex.IsHex(s[end-1]) || !lex.IsHex(s[end-2]) || n > 2 && n&1 == 1 && lex.IsAlnum(s[end-3]) || end+2 >= len(s) {
		return false
	}
	at := hexDigitsAt(s, nextHexByte(s, end, true))
	return at > end && hexDigitsAt(s, nextHexByte(s, at+2, true)) > 0
}

// reset discards what was decoded.
func (p *decoder) reset() {
	p.text, p.from, p.to = p.text[:0], p.from[:0], p.to[:0]
	p.tried, p.noHex = 0, 0
}

// runEnd returns the end of the run of base64 bytes at i.
func runEnd(s string, i int) int {
	for i < len(s) && startBytes[s[i]] == runByte {
		i++
	}
	return i
}

// decodePart decodes from from until nothing was encoded for p.reach bytes, and returns where it
// stopped; i is the offset of the first encoded character.
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

// decodeAt decodes the item at i and returns the offset of the next.
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
	case signByte:
		n = p.decodeSign(i)
		p.hit = n > 0 && !p.soft
	default:
		p.hit = false
	}
	if n == 0 {
		p.put(p.s[i], i, i+1)
		return i + 1
	}
	return i + n
}

// put appends a byte that the source has from from to to.
func (p *decoder) put(c byte, from, to int) {
	p.text, p.from, p.to = append(p.text, c), append(p.from, int32(from)), append(p.to, int32(to))
}

// newReading returns what was decoded.
func (p *decoder) newReading() *Reading { return &Reading{string(p.text), p.from, p.to} }

// decodeAgain decodes the reading once more; nil if that changes nothing.
func (r *Reading) decodeAgain(ways Encoding) *Reading {
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
	return p.newReading()
}

// Kinds of bytes at which an encoded part can begin.
const (
	runByte  = 1 // of base64 and hexadecimal
	signByte = 2
)

// startBytes holds the kind of each byte at which an encoded part can begin.
var startBytes = [256]uint8{
	'%': signByte, '&': signByte, '\\': signByte, '"': signByte, '\'': signByte, 0: signByte,
	0xc2: signByte, 0xcd: signByte, 0xd8: signByte, 0xe1: signByte, 0xe2: signByte, 0xef: signByte, 0xf3: signByte,
	'+': runByte, '/': runByte, '-': runByte, '_': runByte,
	'0': runByte, '1': runByte, '2': runByte, '3': runByte, '4': runByte, '5': runByte, '6': runByte, '7': runByte, '8': runByte, '9': runByte,
	'A': runByte, 'B': runByte, 'C': runByte, 'D': runByte, 'E': runByte, 'F': runByte, 'G': runByte, 'H': runByte, 'I': runByte, 'J': runByte,
	'K': runByte, 'L': runByte, 'M': runByte, 'N': runByte, 'O': runByte, 'P': runByte, 'Q': runByte, 'R': runByte, 'S': runByte, 'T': runByte,
	'U': runByte, 'V': runByte, 'W': runByte, 'X': runByte, 'Y': runByte, 'Z': runByte,
	'a': runByte, 'b': runByte, 'c': runByte, 'd': runByte, 'e': runByte, 'f': runByte, 'g': runByte, 'h': runByte, 'i': runByte, 'j': runByte,
	'k': runByte, 'l': runByte, 'm': runByte, 'n': runByte, 'o': runByte, 'p': runByte, 'q': runByte, 'r': runByte, 's': runByte, 't': runByte,
	'u': runByte, 'v': runByte, 'w': runByte, 'x': runByte, 'y': runByte, 'z': runByte,
}

// IndexFrom returns the index of c in s at or after at; the length of s if there is none.
func IndexFrom(s string, c byte, at int) int {
	if n := strings.IndexByte(s[at:], c); n >= 0 {
		return at + n
	}
	return len(s)
}
