// Package visible shows text of unknown origin in a terminal: it spells out what the
// terminal would act on or hide.
package visible

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text spells out what a terminal would act on or hide, such as escape
// sequences and marks that reverse the text. Lines and tabs stay.
func Text(s string) string {
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
		case r == utf8.RuneError && n == 1: // no text: the byte itself
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

// Line is Text for what must stay on one line, such as a name: it spells out line
// breaks and tabs too.
func Line(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(Text(s), "\n", `\n`), "\t", `\t`)
}
