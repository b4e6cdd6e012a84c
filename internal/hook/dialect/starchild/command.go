package starchild

import (
	"errors"
	"fmt"
	"strings"
)

// splitCommand splits a command line without a shell, as Python's shlex.split does. Words end at
// blanks. Single quotes preserve everything, double quotes everything but a backslash before a quote
// or backslash. Outside quotes a backslash preserves the next character. A blank line has no words.
func splitCommand(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word has begun, even an empty one
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r', '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		case '\'', '"':
			n := closingQuote(line[i+1:], c)
			if n < 0 {
				return nil, fmt.Errorf("the quote %c is never closed", c)
			}
			word.WriteString(unquote(line[i+1:i+1+n], c))
			i += n + 1
			open = true
		case '\\':
			if i++; i == len(line) {
				return nil, errors.New("the line ends with a backslash")
			}
			word.WriteByte(line[i]) // the next iterations add the other bytes of the character
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

// closingQuote returns the index in s of the quote that ends a quoted text, or -1 if there is none.
func closingQuote(s string, quote byte) int {
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

// unquote returns s, the text between two quotes, with its escapes resolved.
func unquote(s string, quote byte) string {
	if quote == '\'' {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && (s[i+1] == '\\' || s[i+1] == '"') { // closingQuote has checked that a byte follows
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// joinCommand returns a command line that splitCommand splits into argv.
func joinCommand(argv []string) string {
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
