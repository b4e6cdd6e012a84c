package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// PathGlob reports whether a path fits a pattern as a whole: * stays within a
// directory and ** does not. A pattern that is none fits nothing.
func PathGlob(pattern, path string) bool {
	return checkGlob(pattern) == nil && glob(pattern, path, '/')
}

// CheckGlob returns what is wrong with a pattern of PathGlob.
func CheckGlob(pattern string) error { return checkGlob(pattern) }

// checkGlob reports a pattern whose character class never ends.
func checkGlob(p string) error {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			end := classEnd(p, i)
			if end < 0 {
				return fmt.Errorf("glob %q: \"[\" is never closed: add \"]\", or write \"\\[\" for a literal bracket", p)
			}
			i = end
		}
	}
	return nil
}

// classEnd returns the index of the ] that closes the class opened at i.
func classEnd(p string, i int) int {
	for j := i + 1; j < len(p); j++ {
		if p[j] == ']' && j > i+1 && !(j == i+2 && (p[i+1] == '!' || p[i+1] == '^')) {
			return j
		}
	}
	return -1
}

// A mark is where a star began, so that it can be tried a little longer.
type mark struct {
	p, s     int
	segments bool // "**/": grows by whole directories
}

// glob matches s as a whole. ? is one character, [a-z] one of a class, *
// any run and \ takes the next character as it is. When sep is not 0, * stops
// at it and ** does not ("**/" also matches no directory at all); otherwise
// both cross everything. Going back to the latest star of each sort is enough.
//
// Texts come from strangers, so the time is bounded by the product of the
// lengths: where the first * behind a ** has failed, all that it could have
// taken up to the next separator is hopeless, and ** need not lead there again.
func glob(p, s string, sep byte) bool {
	none := mark{p: -1}
	single, double := none, none
	first, hopeless := -1, -1
	pi, si := 0, 0
	for si < len(s) || pi < len(p) {
		n := stars(p[pi:])
		switch {
		case n > 1 || n == 1 && sep == 0:
			pi += n
			segments := sep != 0 && pi < len(p) && p[pi] == sep && (si == 0 || s[si-1] == sep)
			if segments {
				pi++
			}
			double, single, first, hopeless = mark{pi, si, segments}, none, -1, -1
			continue
		case n == 1 && (single.p >= 0 || si > hopeless):
			if single.p < 0 {
				first = si
			}
			pi++
			single = mark{p: pi, s: si}
			continue
		case n == 0 && pi < len(p) && si < len(s):
			if element, character := globOne(p[pi:], s[si:], sep); character > 0 {
				pi += element
				si += character
				continue
			}
		}
		switch {
		case single.p >= 0 && single.s < len(s) && s[single.s] != sep:
			single.s += width(s[single.s:])
			pi, si = single.p, single.s
		case double.p >= 0 && double.grow(s, sep):
			if first >= 0 {
				hopeless, first = segmentEnd(s, first, sep), -1
			}
			single = none
			pi, si = double.p, double.s
		default:
			return false
		}
	}
	return true
}

// stars counts the stars that p begins with.
func stars(p string) int { return len(p) - len(strings.TrimLeft(p, "*")) }

func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// segmentEnd returns where the directory's name that i is in ends.
func segmentEnd(s string, i int, sep byte) int {
	if n := strings.IndexByte(s[i:], sep); n >= 0 {
		return i + n
	}
	return len(s)
}

// grow lets a double star take more of s; false when there is no more.
func (m *mark) grow(s string, sep byte) bool {
	if !m.segments {
		if m.s >= len(s) {
			return false
		}
		m.s += width(s[m.s:])
		return true
	}
	for m.s < len(s) {
		m.s++
		if s[m.s-1] == sep {
			return true
		}
	}
	return false
}

// globOne matches the character that s begins with against the element that p
// begins with, and returns the lengths of both; a character of length 0 did not
// match.
func globOne(p, s string, sep byte) (element, character int) {
	switch p[0] {
	case '?':
		if sep == 0 || s[0] != sep {
			return 1, width(s)
		}
		return 1, 0
	case '[':
		if end := classEnd(p, 0); end > 0 {
			r, n := utf8.DecodeRuneInString(s)
			if inClass(p[1:end], r) && (sep == 0 || s[0] != sep) {
				return end + 1, n
			}
			return end + 1, 0
		}
	case '\\':
		if len(p) > 1 {
			n := 0
			if p[1] == s[0] {
				n = 1
			}
			return 2, n
		}
	}
	if p[0] == s[0] { // byte by byte is good enough for what is spelt out
		return 1, 1
	}
	return 1, 0
}

func inClass(class string, r rune) bool {
	negate := class[0] == '!' || class[0] == '^'
	if negate {
		class = class[1:]
	}
	for class != "" {
		lo, n := utf8.DecodeRuneInString(class)
		hi := lo
		class = class[n:]
		if len(class) > 1 && class[0] == '-' {
			hi, n = utf8.DecodeRuneInString(class[1:])
			class = class[1+n:]
		}
		if lo <= r && r <= hi {
			return !negate
		}
	}
	return negate
}
