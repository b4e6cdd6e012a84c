// Package visible makes text of unknown origin safe to show in a terminal, by escaping what the
// terminal would interpret or hide.
package visible

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeText escapes everything in s that a terminal would interpret or hide, such as escape sequences
// and marks that reverse the direction of text. It keeps line breaks and tabs.
func EscapeText(s string) string {
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r) || r == utf8.RuneError
	}
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1: // not UTF-8: write the byte in hexadecimal
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case hidden(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// EscapeLine is EscapeText for text that must stay on one line, such as a name. It also escapes line
// breaks and tabs.
func EscapeLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(EscapeText(s), "\n", `\n`), "\t", `\t`)
}
