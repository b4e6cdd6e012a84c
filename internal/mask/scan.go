package mask

// Kinds of bytes. A run is what a token can be made of.
const (
	lower = 1 << iota
	upper
	digit
	joint // joins the words of a run: + / _ . -
	quote
	space
	sign // calls for a look: = : > , \ %

	letter = lower | upper
	alnum  = letter | digit
	inRun  = alnum | joint
)

// kinds says of which kind each byte is.
var kinds = [256]uint8{
	'a': lower, 'b': lower, 'c': lower, 'd': lower, 'e': lower, 'f': lower, 'g': lower, 'h': lower, 'i': lower,
	'j': lower, 'k': lower, 'l': lower, 'm': lower, 'n': lower, 'o': lower, 'p': lower, 'q': lower, 'r': lower,
	's': lower, 't': lower, 'u': lower, 'v': lower, 'w': lower, 'x': lower, 'y': lower, 'z': lower,
	'A': upper, 'B': upper, 'C': upper, 'D': upper, 'E': upper, 'F': upper, 'G': upper, 'H': upper, 'I': upper,
	'J': upper, 'K': upper, 'L': upper, 'M': upper, 'N': upper, 'O': upper, 'P': upper, 'Q': upper, 'R': upper,
	'S': upper, 'T': upper, 'U': upper, 'V': upper, 'W': upper, 'X': upper, 'Y': upper, 'Z': upper,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'+': joint, '/': joint, '_': joint, '.': joint, '-': joint,
	'"': quote, '\'': quote, '`': quote,
	' ': space, '\t': space, '\n': space, '\r': space,
	'=': sign, ':': sign, '>': sign, ',': sign, '\\': sign, '%': sign,
}

// A scan goes through a text once and cuts out what is suspicious.
type scan struct {
	s    string
	out  []byte // s[:done], masked; nil while nothing is
	done int
	at   int    // where to look next
	name bool   // random strings stay
	cuts []span // what was cut of s
	noAt int    // an address that starts before this has no @ up to it: none need search again
}

func (p *scan) run() {
	s := p.s
	for i := 0; i < len(s); {
		k := kinds[s[i]]
		if k&(inRun|sign) == 0 {
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
			k = kinds[s[i]]
		}
		p.at = i
		if start == i {
			p.sign(i)
		} else if seen&joint != 0 || i-start >= minWord {
			p.token(start, i, seen)
		} else if isSpecial(s[start], i-start) {
			p.phrase(start, i)
		}
		i = p.at
	}
}

// cut masks s[from:to] and goes on behind it. Spans that touch share a marker.
func (p *scan) cut(from, to int) {
	from = max(from, p.done)
	if from >= to {
		return
	}
	p.at = max(p.at, to)
	if p.s[from:to] == Marker {
		return
	}
	p.cuts = append(p.cuts, span{from: from, to: to})
	if p.out == nil {
		p.out = make([]byte, 0, len(p.s))
	}
	if from > p.done || p.done == 0 {
		p.out = append(append(p.out, p.s[p.done:from]...), Marker...)
	}
	p.done = to
}

// sign looks at the byte at i, around which values have names.
func (p *scan) sign(i int) {
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
		if i+1 < len(s) && isEscape(s[i+1]) {
			p.at = i + 2
		} else if i+5 < len(s) && s[i+1] == 'u' && isHex(s[i+2]) && isHex(s[i+3]) && isHex(s[i+4]) && isHex(s[i+5]) {
			p.at = i + 6
		}
	case '%': // as in an address: %3D
		if i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			p.at = i + 3
		}
	}
}

// minWord is how long a word is at least that is a token without a joint.
const minWord = 16

// token looks at the run s[i:e], of which the kinds are known.
func (p *scan) token(i, e int, seen uint8) {
	s := p.s
	if s[i] == '-' {
		p.flag(i, e)
		if p.at > e {
			return
		}
	}
	for w := i; w+3 < e; w++ {
		if kinds[s[w]]&alnum == 0 {
			continue
		}
		end := wordEnd(s[:e], w)
		if mayBegin(s[w], s[w+1]) && (end < e || end-w >= minWord) && p.known(w, e) || isSpecial(s[w], end-w) && p.phrase(w, end) {
			return
		}
		w = end
	}
	if e-i >= minRandom && seen&letter != 0 && seen&digit != 0 {
		p.random(i, e)
	}
}

func isEscape(c byte) bool {
	return c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// wordEnd returns the end of the word that starts at i.
func wordEnd(s string, i int) int {
	for i < len(s) && kinds[s[i]]&alnum != 0 {
		i++
	}
	return i
}

// lineEnd returns the end of the line that i is on, without its line break.
func lineEnd(s string, i int) int {
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
		if kinds[c] == upper {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
