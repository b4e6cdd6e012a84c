package resolve

import "strings"

// maxPattern bounds the text that a pattern is tried against at every place.
const maxPattern = 2048

// fits reports whether all of s fits a shell pattern. A star is tried in one
// pass with one place to go back to, so the work is at most len(pat)·len(s).
func fits(pat, s string) bool {
	star, back := -1, 0
	p, i := 0, 0
	for i < len(s) {
		if p < len(pat) {
			if pat[p] == '*' {
				star, back = p, i
				p++
				continue
			}
			if n, ok := fitsOne(pat[p:], s[i]); ok {
				p += n
				i++
				continue
			}
		}
		if star < 0 {
			return false
		}
		back++
		p, i = star+1, back
	}
	return strings.Trim(pat[p:], "*") == ""
}

// fitsOne reports whether c fits the first element of pat, and how long that is.
func fitsOne(pat string, c byte) (int, bool) {
	switch pat[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pat) > 1 {
			return 2, pat[1] == c
		}
	case '[':
		if n, ok := class(pat, c); n > 0 {
			return n, ok
		}
	}
	return 1, pat[0] == c
}

// class is an element such as [a-z] or [!/]. Its length is 0 when pat is none.
func class(pat string, c byte) (int, bool) {
	i, not, found := 1, false, false
	if i < len(pat) && (pat[i] == '!' || pat[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(pat); first = false {
		if pat[i] == ']' && !first {
			return i + 1, found != not
		}
		if strings.HasPrefix(pat[i:], "[:") {
			if end := strings.Index(pat[i:], ":]"); end > 0 {
				found = found || named(pat[i+2:i+end], c)
				i += end + 2
				continue
			}
		}
		lo := pat[i]
		if lo == '\\' && i+1 < len(pat) {
			i++
			lo = pat[i]
		}
		i++
		hi := lo
		if i+1 < len(pat) && pat[i] == '-' && pat[i+1] != ']' {
			hi = pat[i+1]
			i += 2
		}
		found = found || lo <= c && c <= hi
	}
	return 0, false
}

// named reports whether c is in a class such as alpha.
func named(name string, c byte) bool {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "lower":
		return lower
	case "upper":
		return upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "space":
		return c == ' ' || c >= 9 && c <= 13
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return c > 32 && c < 127 && !lower && !upper && !digit
	}
	return false
}

// cutPrefix removes the shortest or longest beginning of s that fits pat.
func cutPrefix(s, pat string, longest bool) string {
	if longest {
		for i := len(s); i >= 0; i-- {
			if fits(pat, s[:i]) {
				return s[i:]
			}
		}
		return s
	}
	for i := 0; i <= len(s); i++ {
		if fits(pat, s[:i]) {
			return s[i:]
		}
	}
	return s
}

// cutSuffix removes the shortest or longest end of s that fits pat.
func cutSuffix(s, pat string, longest bool) string {
	if longest {
		for i := 0; i <= len(s); i++ {
			if fits(pat, s[i:]) {
				return s[:i]
			}
		}
		return s
	}
	for i := len(s); i >= 0; i-- {
		if fits(pat, s[i:]) {
			return s[:i]
		}
	}
	return s
}

// substitute replaces what fits pat, the longest match first, as ${x/pat/with}.
func substitute(s, pat, with string, all bool) string {
	anchor := byte(0)
	if pat != "" && (pat[0] == '#' || pat[0] == '%') && !all {
		anchor = pat[0]
		pat = pat[1:]
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		end := -1
		for j := len(s); j > i && end < 0; j-- {
			if anchor == '%' && j < len(s) {
				break
			}
			if fits(pat, s[i:j]) {
				end = j
			}
		}
		if end < 0 {
			if anchor == '#' {
				break
			}
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteString(with)
		i = end
		if !all {
			b.WriteString(s[i:])
			return b.String()
		}
	}
	if anchor == '#' && b.Len() == 0 {
		return s
	}
	return b.String()
}
