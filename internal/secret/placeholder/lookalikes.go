package placeholder

import (
	"bytes"
	"strings"
)

// This file finds lookalikes of markers. Models write markers from memory, with other
// digits, other brackets, or as asterisks. A lookalike is not a marker, but if it
// overwrites a secret, the secret is lost all the same.

var (
	hiddenWords = [...]string{"redacted", "masked"}
	stars       = [...]string{"*", "•", "●", "∙", "·"}
)

// minStars is the minimum number of stars that look like a masked value.
const minStars = 4

// MayHaveLookalike reports whether text may contain markers or lookalikes of them. It is a fast check
// before FindLookalikes.
func MayHaveLookalike(text []byte) bool {
	for i := range lookalikeParts {
		if lookalikeParts[i].isIn(text) {
			return true
		}
	}
	return false
}

// A lookalikePart is a part of a marker or of a lookalike. It is searched for by word[at], its rarest
// byte in source code and prose, so a long text takes only a few passes at memory speed.
type lookalikePart struct {
	word string
	at   int
}

// lookalikeParts lists the words of markers and lookalikes, and minStars of each star.
var lookalikeParts = [...]lookalikePart{
	{"****", 0}, {"••••", 0}, {"●●●●", 0}, {"∙∙∙∙", 0}, {"····", 0},
	{"edacted", 3}, {"EDACTED", 1}, {"masked", 3}, {"Masked", 0}, {"MASKED", 3}, {`\u2022\u2022`, 1},
}

// isIn reports whether text contains the part.
func (s *lookalikePart) isIn(text []byte) bool {
	for from := s.at; from < len(text); {
		i := bytes.IndexByte(text[from:], s.word[s.at])
		if i < 0 {
			return false
		}
		if start := from + i - s.at; len(text)-start >= len(s.word) && string(text[start:start+len(s.word)]) == s.word {
			return true
		}
		from += i + 1
	}
	return false
}

// FindLookalikes returns the markers and lookalikes of markers in text, line by line.
func FindLookalikes(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, findHiddenWords(line)...)
		for _, s := range stars {
			out = append(out, findStarRuns(line, s)...)
		}
	}
	return out
}

// findHiddenWords returns the words in line that state that a value is hidden: those in brackets or
// quotes, after an operator, at the start of the line, or in upper case. Other words in prose do not
// count.
func findHiddenWords(line string) []string {
	low := lowerASCII(line)
	var out []string
	for _, w := range hiddenWords {
		for from := 0; ; {
			i := strings.Index(low[from:], w)
			if i < 0 {
				break
			}
			start := from + i
			end := start + len(w)
			from = end
			if start > 0 && isWordByte(line[start-1]) || end < len(line) && isWordByte(line[end]) {
				continue
			}
			before := strings.TrimRight(line[:start], " \t")
			if line[start:end] == strings.ToUpper(w) || before == "" || strings.IndexByte("[({<*=:\"'`|", before[len(before)-1]) >= 0 {
				out = append(out, line[start:end])
			}
		}
	}
	return out
}

// findStarRuns returns the runs of star in line. A line of stars only is an ornament, and so are the
// stars that begin or end a comment.
func findStarRuns(line, star string) []string {
	var out []string
	for from := 0; ; {
		i := strings.Index(line[from:], star)
		if i < 0 {
			return out
		}
		start := from + i
		end := start
		for strings.HasPrefix(line[end:], star) {
			end += len(star)
		}
		from = end
		rest := strings.TrimSpace(line[end:])
		if end-start >= minStars*len(star) && strings.Trim(line[:start], " \t/#;*-+") != "" && rest != "/" {
			out = append(out, line[start:end])
		}
	}
}

// lowerASCII returns s with its ASCII letters in lower case. The length stays the same.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// isWordByte reports whether c is a letter, a digit or an underscore.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
