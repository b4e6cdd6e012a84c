package strict

import (
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/lex"
)

// Kinds of bytes. A run is what a token can be made of.
const (
	lowerKind = 1 << iota
	upperKind
	digitKind
	jointKind // joins the words of a run: + / _ . -
	quoteKind
	spaceKind
	signKind // calls for a look: = : > , \ %

	letterKind = lowerKind | upperKind
	alnumKind  = letterKind | digitKind
	inRun      = alnumKind | jointKind
)

// byteKinds says of which kind each byte is.
var byteKinds = [256]uint8{
	'a': lowerKind, 'b': lowerKind, 'c': lowerKind, 'd': lowerKind, 'e': lowerKind, 'f': lowerKind, 'g': lowerKind, 'h': lowerKind, 'i': lowerKind,
	'j': lowerKind, 'k': lowerKind, 'l': lowerKind, 'm': lowerKind, 'n': lowerKind, 'o': lowerKind, 'p': lowerKind, 'q': lowerKind, 'r': lowerKind,
	's': lowerKind, 't': lowerKind, 'u': lowerKind, 'v': lowerKind, 'w': lowerKind, 'x': lowerKind, 'y': lowerKind, 'z': lowerKind,
	'A': upperKind, 'B': upperKind, 'C': upperKind, 'D': upperKind, 'E': upperKind, 'F': upperKind, 'G': upperKind, 'H': upperKind, 'I': upperKind,
	'J': upperKind, 'K': upperKind, 'L': upperKind, 'M': upperKind, 'N': upperKind, 'O': upperKind, 'P': upperKind, 'Q': upperKind, 'R': upperKind,
	'S': upperKind, 'T': upperKind, 'U': upperKind, 'V': upperKind, 'W': upperKind, 'X': upperKind, 'Y': upperKind, 'Z': upperKind,
	'0': digitKind, '1': digitKind, '2': digitKind, '3': digitKind, '4': digitKind, '5': digitKind, '6': digitKind, '7': digitKind, '8': digitKind, '9': digitKind,
	'+': jointKind, '/': jointKind, '_': jointKind, '.': jointKind, '-': jointKind,
	'"': quoteKind, '\'': quoteKind, '`': quoteKind,
	' ': spaceKind, '\t': spaceKind, '\n': spaceKind, '\r': spaceKind,
	'=': signKind, ':': signKind, '>': signKind, ',': signKind, '\\': signKind, '%': signKind,
}

// A scanner goes through a text once and cuts out what is suspicious.
type scanner struct {
	s    string
	out  []byte // s[:done], masked; nil while nothing is
	done int
	at   int         // where to look next
	name bool        // random strings stay
	cuts []valueSpan // what was cut of s
	noAt int         // an address that starts before this has no @ up to it: none need search again
}

func (p *scanner) run() {
	s := p.s
	for i := 0; i < len(s); {
		k := byteKinds[s[i]]
		if k&(inRun|signKind) == 0 {
			i++
			continue
		}
		start := i
		var seen uint8
		for k&inRun != 0 {
			seen |= k
			if i++; i == len(s) {
				break
			}
			k = byteKinds[s[i]]
		}
		p.at = i
		if start == i {
			p.sign(i)
		} else if seen&jointKind != 0 || i-start >= minWord {
			p.token(start, i, seen)
		} else if opensPhrase(s[start], i-start) {
			p.phrase(start, i)
		}
		i = p.at
	}
}

// cut masks s[from:to] and goes on behind it. Spans that touch share a marker.
func (p *scanner) cut(from, to int) {
	from = max(from, p.done)
	if from >= to {
		return
	}
	p.at = max(p.at, to)
	with := secret.MarkerFor(p.s[from:to])
	if p.s[from:to] == with {
		return
	}
	p.cuts = append(p.cuts, valueSpan{from: from, to: to})
	if p.out == nil {
		p.out = make([]byte, 0, len(p.s))
	}
	if from > p.done || p.done == 0 {
		p.out = append(append(p.out, p.s[p.done:from]...), with...)
	}
	p.done = to
}

// sign looks at the byte at i, around which values have names.
func (p *scanner) sign(i int) {
	s := p.s
	p.at = i + 1
	switch s[i] {
	case '=', ':':
		p.assign(i)
	case '>':
		p.element(i)
	case ',':
		p.argument(i)
	case '\\': // of an escape only the backslash is no letter: \n, \u0026
		if i+1 < len(s) && isEscapeLetter(s[i+1]) {
			p.at = i + 2
		} else if i+5 < len(s) && s[i+1] == 'u' && lex.IsHex(s[i+2]) && lex.IsHex(s[i+3]) && lex.IsHex(s[i+4]) && lex.IsHex(s[i+5]) {
			p.at = i + 6
		}
	case '%': // as in an address: %3D
		if i+2 < len(s) && lex.IsHex(s[i+1]) && lex.IsHex(s[i+2]) {
			p.at = i + 3
		}
	}
}

// minWord is how long a word is at least that is a token without a joint.
const minWord = 16

// token looks at the run s[i:e], of which the kinds are known.
func (p *scanner) token(i, e int, seen uint8) {
	s := p.s
	if s[i] == '-' {
		p.flag(i, e)
		if p.at > e {
			return
		}
	}
	for w := i; w+3 < e; w++ {
		if byteKinds[s[w]]&alnumKind == 0 {
			continue
		}
		end := alnumEnd(s[:e], w)
		if mayBeginToken(s[w], s[w+1]) && (end < e || end-w >= minWord) && p.known(w, e) || opensPhrase(s[w], end-w) && p.phrase(w, end) {
			return
		}
		w = end
	}
	if e-i >= minRandom && seen&letterKind != 0 && seen&digitKind != 0 {
		p.random(i, e)
	}
}

func isEscapeLetter(c byte) bool {
	return c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f'
}

// alnumEnd returns the end of the word that starts at i.
func alnumEnd(s string, i int) int {
	for i < len(s) && byteKinds[s[i]]&alnumKind != 0 {
		i++
	}
	return i
}

// endOfLine returns the end of the line that i is on, without its line break.
func endOfLine(s string, i int) int {
	for i < len(s) && s[i] != '\n' && s[i] != '\r' {
		i++
	}
	return i
}

// skipBlanks returns the offset of the first byte from i on that is neither a
// space nor a tab.
func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// foldPrefix reports whether s starts with prefix, which is in lower case, in
// any case.
func foldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if byteKinds[c] == upperKind {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
