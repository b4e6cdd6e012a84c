// Package decode reads texts that are spelt otherwise than they are meant: with
// percents, entities and escapes, in hexadecimal or base64, or in parts.
package decode

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// A Spelling is a set of ways to write a text so that it does not look like
// itself.
type Spelling uint8

const (
	Coded  Spelling = 1 << iota // percents, entities, \x and \u, and characters that nobody sees
	Hex                         // its bytes in hexadecimal, also with signs between them
	Base64                      // a run in base64
	Split                       // in parts, by quotes, operators and backslashes
	Shell                       // a backslash before a letter only quotes it: \n is n

	InShell = Shell | Split
)

// A Reading is a part of a text as it is meant.
type Reading struct {
	Text string
	// Where each byte is spelt in the source.
	from, to []int32
}

// Source returns where Text[start:end], which is not empty, is spelt.
func (r *Reading) Source(start, end int) (from, to int) {
	return int(r.from[start]), int(r.to[end-1])
}

const (
	readingReach = 1 << 10  // around what is spelt otherwise, of a part
	mostReading  = 64 << 10 // of a private key, which has a long reach
	leastHex     = 8        // bytes
	leastBase64  = 16       // signs
	mostJoin     = 64       // bytes between two quotes that an operator joins
)

// Readings calls yield with the parts of s that are spelt otherwise, read once and,
// where that changes something, once more: what was meant may be spelt, too. A reading
// is gone when yield returns. Time is linear in s; a text without such spellings is gone
// through once.
func Readings(s string, ways Spelling, yield func(*Reading)) {
	p := decoder{s: s, ways: ways, reach: readingReach}
	for at := 0; at < len(s); {
		p.reset()
		i := p.next(at)
		if i == len(s) {
			return
		}
		from := max(at, i-readingReach)
		if from > at { // whole words
			if n := strings.IndexAny(s[from:i], " \n"); n >= 0 {
				from += n + 1
			}
		}
		to := p.part(from, i)
		r := p.reading()
		if strings.Contains(r.Text, "PRIVATE KEY") && to < len(s) {
			for end := min(len(s), from+mostReading); to < end; {
				to = p.read(to)
			}
			r = p.reading()
		}
		yield(r)
		if again := r.again(ways); again != nil {
			yield(again)
		}
		at = to
	}
}

// begins are the bytes at which a spelling begins that is looked for in any text.
// Words in parts are not: who writes "gh" + "p_" in a file means to have no token
// there.
const begins = "\x00%&\\\xc2\xe2\xef"

// CodedParts calls yield with the parts of s that are spelt in percents, entities or
// escapes, or have unseen characters in them.
func CodedParts(s string, yield func(Reading)) {
	var next [len(begins)]int
	for k := range next {
		next[k] = IndexFrom(s, begins[k], 0)
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
		if s[i] == '\\' && !escapes(s[i:]) {
			next[first] = IndexFrom(s, '\\', min(len(s), i+2))
			continue
		}
		n := p.special(i)
		p.reset()
		if n == 0 || p.soft {
			next[first] = IndexFrom(s, begins[first], i+1)
			continue
		}
		from := max(at, i-lex.EscapeReach)
		at = p.part(from, i)
		yield(*p.reading())
		for k := range next {
			if next[k] < at {
				next[k] = IndexFrom(s, begins[k], at)
			}
		}
	}
}

// Meant returns a short text, a name for one, as it is meant.
func Meant(s string) string {
	p := decoder{s: s, ways: Coded | Split, reach: len(s)}
	if p.next(0) == len(s) {
		return s
	}
	p.part(0, 0)
	r := p.reading()
	if again := r.again(p.ways); again != nil {
		return again.Text
	}
	return r.Text
}

// A decoder reads a text as it is meant.
type decoder struct {
	s        string
	ways     Spelling
	reach    int // around what is spelt otherwise
	text     []byte
	from, to []int32
	tried    int  // no run before this is worth a look
	noHex    int  // no list of bytes starts before this
	soft     bool // what was read last is an escape that texts are full of
	hit      bool // what was read last is spelt otherwise, and not soft
}

// next returns where something is spelt otherwise, from i on; or the end.
func (p *decoder) next(i int) int {
	s := p.s
	if p.ways == InShell {
		return p.nextBackslash(i)
	}
	for i < len(s) {
		switch looks[s[i]] {
		case 0:
			i++
			continue
		case runByte:
			end := i + 1
			for end < len(s) && looks[s[end]] == runByte {
				end++
			}
			if (end-i >= leastBase64 || lex.IsHex(s[end-1]) && mayList(s, i, end)) && p.run(i, end) > 0 {
				p.reset()
				return i
			}
			i = end
		default:
			n := p.special(i)
			p.reset()
			if n > 0 && !p.soft {
				return i
			}
			i += max(n, 1)
		}
	}
	return len(s)
}

// nextBackslash is next for a shell, in which only a backslash begins something: runs
// are not decoded, and quotes are soft.
func (p *decoder) nextBackslash(i int) int {
	for {
		n := strings.IndexByte(p.s[i:], '\\')
		if n < 0 {
			return len(p.s)
		}
		i += n
		n = p.special(i)
		p.reset()
		if n > 0 && !p.soft {
			return i
		}
		i += max(n, 1)
	}
}

// mayList reports whether a short run may begin a list of bytes: it ends with one, and
// another follows.
func mayList(s string, i, end int) bool {
	n := end - i
	if n < 2 || !lex.IsHex(s[end-1]) || !lex.IsHex(s[end-2]) || n > 2 && n&1 == 1 && lex.IsAlnum(s[end-3]) || end+2 >= len(s) {
		return false
	}
	at := hexItem(s, hexNext(s, end, true))
	return at > end && hexItem(s, hexNext(s, at+2, true)) > 0
}

// reset forgets what was read.
func (p *decoder) reset() {
	p.text, p.from, p.to = p.text[:0], p.from[:0], p.to[:0]
	p.tried, p.noHex = 0, 0
}

func runEnd(s string, i int) int {
	for i < len(s) && looks[s[i]] == runByte {
		i++
	}
	return i
}

// part reads from from on, up to where nothing was spelt otherwise for a while; i is
// where that is so first.
func (p *decoder) part(from, i int) int {
	end := min(len(p.s), i+p.reach)
	if n := end - from; cap(p.text) < n {
		p.text, p.from, p.to = make([]byte, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	}
	for from < end {
		to := p.read(from)
		if p.hit {
			end = min(len(p.s), to+p.reach)
		}
		from = to
	}
	return from
}

// read reads what stands at i and returns where the next stands.
func (p *decoder) read(i int) int {
	n := 0
	switch looks[p.s[i]] {
	case runByte:
		if i >= p.tried {
			end := runEnd(p.s, i)
			if n = p.run(i, end); n == 0 {
				p.tried = end
			}
		}
		p.hit = n > 0
	case signByte:
		n = p.special(i)
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

func (p *decoder) put(c byte, from, to int) {
	p.text, p.from, p.to = append(p.text, c), append(p.from, int32(from)), append(p.to, int32(to))
}

func (p *decoder) reading() *Reading { return &Reading{string(p.text), p.from, p.to} }

// again reads what was read; nil when that changes nothing.
func (r *Reading) again(ways Spelling) *Reading {
	p := decoder{s: r.Text, ways: ways}
	i := p.next(0)
	if i == len(r.Text) {
		return nil
	}
	for at := 0; at < len(r.Text); {
		at = p.read(at)
	}
	for k := range p.from {
		p.from[k], p.to[k] = r.from[p.from[k]], r.to[p.to[k]-1]
	}
	return p.reading()
}

// Kinds of bytes at which a spelling can begin.
const (
	runByte  = 1 // of base64 and hexadecimal
	signByte = 2
)

// looks returns at which bytes there is something to look at.
var looks = [256]uint8{
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

func IndexFrom(s string, c byte, at int) int {
	if n := strings.IndexByte(s[at:], c); n >= 0 {
		return at + n
	}
	return len(s)
}
