package automaton

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Glob returns the regular expression for the strings that the glob of a condition matches. If sep is
// not 0, * does not match it, but ** does. The glob must be valid.
func Glob(glob string, sep byte) string {
	every, one := "(?s:.)", "(?s:.)"
	if sep != 0 {
		one = "[^" + regexp.QuoteMeta(string(sep)) + "]"
	}
	var b strings.Builder
	b.WriteString(`\A`)
	afterSep := true // at the beginning of a path element
	for i := 0; i < len(glob); {
		rest := glob[i:]
		stars := len(rest) - len(strings.TrimLeft(rest, "*"))
		switch {
		case stars > 1 && sep != 0 && afterSep && stars < len(rest) && rest[stars] == sep:
			b.WriteString("(?:" + one + "*" + regexp.QuoteMeta(string(sep)) + ")*")
			i += stars + 1
			continue // still at the beginning of an element
		case stars > 1 || stars == 1 && sep == 0:
			b.WriteString(every + "*")
			i += stars
			afterSep = false
			continue
		case stars == 1:
			b.WriteString(one + "*")
			i++
		case rest[0] == '?':
			b.WriteString(one)
			i++
		case rest[0] == '[' && classEnd(rest) > 0:
			end := classEnd(rest)
			b.WriteString(class(rest[1:end], sep))
			i += end + 1
		default:
			n := 0
			if rest[0] == '\\' && len(rest) > 1 {
				n = 1
			}
			_, size := utf8.DecodeRuneInString(rest[n:])
			b.WriteString(regexp.QuoteMeta(rest[n : n+size]))
			i += n + size
			afterSep = sep != 0 && rest[n] == sep
			continue
		}
		afterSep = false
	}
	return b.String() + `\z`
}

// classEnd returns the index of the ] that closes the character class that p begins with, or -1.
func classEnd(p string) int {
	for j := 2; j < len(p); j++ {
		if p[j] == ']' && !(j == 2 && (p[1] == '!' || p[1] == '^')) {
			return j
		}
	}
	return -1
}

// class returns the regular expression for a character class of a glob, without sep.
func class(text string, sep byte) string {
	negate := text[0] == '!' || text[0] == '^'
	if negate {
		text = text[1:]
	}
	var ranges strings.Builder
	add := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(&ranges, `\x{%X}-\x{%X}`, lo, hi)
		}
	}
	for text != "" {
		lo, n := utf8.DecodeRuneInString(text)
		hi := lo
		text = text[n:]
		if len(text) > 1 && text[0] == '-' {
			hi, n = utf8.DecodeRuneInString(text[1:])
			text = text[1+n:]
		}
		if s := rune(sep); sep != 0 && !negate && lo <= s && s <= hi {
			add(lo, s-1)
			lo = s + 1
		}
		add(lo, hi)
	}
	if negate && sep != 0 {
		add(rune(sep), rune(sep))
	}
	switch {
	case ranges.Len() == 0 && negate:
		return "(?s:.)"
	case ranges.Len() == 0:
		return `[^\x00-\x{10FFFF}]`
	case negate:
		return "[^" + ranges.String() + "]"
	}
	return "[" + ranges.String() + "]"
}
