package match

import "fmt"

// checkGlob reports a pattern whose character class never ends.
func checkGlob(p string) error {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			end := classEnd(p, i)
			if end < 0 {
				return fmt.Errorf("glob %q: [ is never closed", p)
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
// both cross everything. Going back to the latest star of each sort is enough,
// so it takes at most the product of the lengths.
func glob(p, s string, sep byte) bool {
	none := mark{p: -1}
	single, double := none, none
	pi, si := 0, 0
	for si < len(s) || pi < len(p) {
		if pi < len(p) && p[pi] == '*' {
			if sep == 0 || pi+1 < len(p) && p[pi+1] == '*' {
				for pi < len(p) && p[pi] == '*' {
					pi++
				}
				segments := sep != 0 && pi < len(p) && p[pi] == sep && (si == 0 || s[si-1] == sep)
				if segments {
					pi++
				}
				double, single = mark{pi, si, segments}, none
				continue
			}
			pi++
			single = mark{p: pi, s: si}
			continue
		}
		if pi < len(p) && si < len(s) {
			if n, ok := globOne(p[pi:], s[si], sep); ok {
				pi += n
				si++
				continue
			}
		}
		switch {
		case single.p >= 0 && single.s < len(s) && s[single.s] != sep:
			single.s++
			pi, si = single.p, single.s
		case double.p >= 0 && double.grow(s, sep):
			single = none
			pi, si = double.p, double.s
		default:
			return false
		}
	}
	return true
}

// grow lets a double star take more of s; false when there is no more.
func (m *mark) grow(s string, sep byte) bool {
	if !m.segments {
		m.s++
		return m.s <= len(s)
	}
	for m.s < len(s) {
		m.s++
		if s[m.s-1] == sep {
			return true
		}
	}
	return false
}

// globOne matches one byte against the element that p begins with and returns
// the element's length.
func globOne(p string, c, sep byte) (int, bool) {
	switch p[0] {
	case '?':
		return 1, sep == 0 || c != sep
	case '\\':
		if len(p) > 1 {
			return 2, p[1] == c
		}
	case '[':
		if end := classEnd(p, 0); end > 0 {
			return end + 1, inClass(p[1:end], c) && (sep == 0 || c != sep)
		}
	}
	return 1, p[0] == c
}

func inClass(class string, c byte) bool {
	negate := class[0] == '!' || class[0] == '^'
	if negate {
		class = class[1:]
	}
	for i := 0; i < len(class); i++ {
		lo, hi := class[i], class[i]
		if i+2 < len(class) && class[i+1] == '-' {
			hi = class[i+2]
			i += 2
		}
		if lo <= c && c <= hi {
			return !negate
		}
	}
	return negate
}
