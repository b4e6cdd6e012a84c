package starchild

import (
	"errors"
	"fmt"
	"strings"
)

// split takes a command line apart without a shell, as Python's shlex.split
// does: words end at blanks; single quotes keep everything, double quotes all
// but a backslash before a quote or a backslash; outside of quotes a backslash
// keeps the next character. A line without words has none.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word has begun, be it empty
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r', '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		case '\'', '"':
			n := closing(line[i+1:], c)
			if n < 0 {
				return nil, fmt.Errorf("the quote %c is never closed", c)
			}
			word.WriteString(quoted(line[i+1:i+1+n], c))
			i += n + 1
			open = true
		case '\\':
			if i++; i == len(line) {
				return nil, errors.New("the line ends with a backslash")
			}
			word.WriteByte(line[i]) // the rest of a longer character follows by itself
			open = true
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// closing finds the quote that ends a quoted text, -1 when there is none.
func closing(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i
		case s[i] == '\\' && quote == '"':
			i++
		}
	}
	return -1
}

// quoted is what stands between two quotes.
func quoted(s string, quote byte) string {
	if quote == '\'' {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && (s[i+1] == '\\' || s[i+1] == '"') { // closing has seen that one follows
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// join writes a command line that split takes apart into argv again.
func join(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, needsQuote) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(words, " ")
}

func needsQuote(r rune) bool {
	return !isAlnum(r) && !strings.ContainsRune("@%+=:,./-_", r)
}

func isAlnum(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
