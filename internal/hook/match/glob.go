package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MatchPathGlob reports whether pattern matches the whole path. A * matches within one path element,
// ** also across elements. An invalid pattern matches nothing.
func MatchPathGlob(pattern, path string) bool {
	return checkGlob(pattern) == nil && matchGlob(pattern, path, '/')
}

// CheckGlob returns an error if pattern is not valid for MatchPathGlob.
func CheckGlob(pattern string) error { return checkGlob(pattern) }

// checkGlob returns an error if p has an unclosed character class.
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

// classEnd returns the index of the ] that closes the character class at p[i], or -1.
func classEnd(p string, i int) int {
	for j := i + 1; j < len(p); j++ {
		if p[j] == ']' && j > i+1 && !(j == i+2 && (p[i+1] == '!' || p[i+1] == '^')) {
			return j
		}
	}
	return -1
}

// A starMark is the position of a star in pattern and text, to which matchGlob returns to let the star
// match more.
type starMark struct {
	p, s     int
	segments bool // the star is "**/", which matches whole path elements only
}

// matchGlob reports whether the pattern p matches all of s. A ? matches one character, [a-z] one of a
// class, * any sequence, and \ makes the next character literal. If sep is not 0, * does not match it
// but ** does, and "**/" also matches the empty string; otherwise both match everything. It is enough
// to backtrack to the last * and the last **.
//
// The input is untrusted, so the time is bounded by the product of the lengths: if the first * after a
// ** has failed, every longer match of the ** up to the next separator fails too and is not tried.
func matchGlob(p, s string, sep byte) bool {
	none := starMark{p: -1}
	single, double := none, none
	first, hopeless := -1, -1
	pi, si := 0, 0
	for si < len(s) || pi < len(p) {
		n := countStars(p[pi:])
		switch {
		case n > 1 || n == 1 && sep == 0:
			pi += n
			segments := sep != 0 && pi < len(p) && p[pi] == sep && (si == 0 || s[si-1] == sep)
			if segments {
				pi++
			}
			double, single, first, hopeless = starMark{pi, si, segments}, none, -1, -1
			continue
		case n == 1 && (single.p >= 0 || si > hopeless):
			if single.p < 0 {
				first = si
			}
			pi++
			single = starMark{p: pi, s: si}
			continue
		case n == 0 && pi < len(p) && si < len(s):
			if element, character := matchOne(p[pi:], s[si:], sep); character > 0 {
				pi += element
				si += character
				continue
			}
		}
		switch {
		case single.p >= 0 && single.s < len(s) && s[single.s] != sep:
			single.s += firstRuneLen(s[single.s:])
			pi, si = single.p, single.s
		case double.p >= 0 && double.extendMatch(s, sep):
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

// countStars returns the number of stars that p begins with.
func countStars(p string) int { return len(p) - len(strings.TrimLeft(p, "*")) }

// firstRuneLen returns the length of the first character of s.
func firstRuneLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// segmentEnd returns the index in s at which the path element that contains s[i] ends.
func segmentEnd(s string, i int, sep byte) int {
	if n := strings.IndexByte(s[i:], sep); n >= 0 {
		return i + n
	}
	return len(s)
}

// extendMatch lets a double star match more of s. It returns false if there is no more.
func (m *starMark) extendMatch(s string, sep byte) bool {
	if !m.segments {
		if m.s >= len(s) {
			return false
		}
		m.s += firstRuneLen(s[m.s:])
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

// matchOne matches the first character of s against the first element of p, and returns the lengths of
// both. The length of the character is 0 if it does not match.
func matchOne(p, s string, sep byte) (element, character int) {
	switch p[0] {
	case '?':
		if sep == 0 || s[0] != sep {
			return 1, firstRuneLen(s)
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
	if p[0] == s[0] { // literal text is compared byte by byte
		return 1, 1
	}
	return 1, 0
}

// inClass reports whether a character class contains r.
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
