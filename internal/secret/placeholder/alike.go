package placeholder

import (
	"bytes"
	"strings"
)

// Models write markers from memory: with other digits, other brackets, or as stars. Such a
// text is not a marker, but if it is written in place of a secret, the secret is lost all
// the same.

var (
	hiddenWords = [...]string{"redacted", "masked"}
	stars       = [...]string{"*", "•", "●", "∙", "·"}
)

// minStars is the minimum number of stars that look like a hidden value.
const minStars = 4

// MayHaveLikeness reports whether a text may have markers or what looks like them. It is fast.
func MayHaveLikeness(text []byte) bool {
	for i := range signs {
		if signs[i].isIn(text) {
			return true
		}
	}
	return false
}

// A sign is a part of a marker, or of what looks like one. It is searched for by its byte at, which is
// the rarest in source code and prose: a long text takes only a few passes at memory speed.
type sign struct {
	word string
	at   int
}

// signs lists the parts of [open], and stars minStars times.
var signs = [...]sign{
	{"****", 0}, {"••••", 0}, {"●●●●", 0}, {"∙∙∙∙", 0}, {"····", 0},
	{"edacted", 3}, {"EDACTED", 1}, {"masked", 3}, {"Masked", 0}, {"MASKED", 3}, {`\u2022\u2022`, 1},
}

// isIn reports whether text contains the sign.
func (s *sign) isIn(text []byte) bool {
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

// FindLikenesses returns what looks like a marker in a text, including markers, in the order of its
// lines.
func FindLikenesses(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, findHiddenWords(line)...)
		for _, s := range stars {
			out = append(out, findStarRuns(line, s)...)
		}
	}
	return out
}

// findHiddenWords returns the words in a line that say that a value is hidden: those in brackets,
// after an assignment sign, or in capitals. Words in prose do not count.
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

// findStarRuns returns the runs of a star in a line. A line of stars only is an ornament, and so are
// the stars that begin or end a comment.
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

// lowerASCII returns a text with ASCII letters in lower case, byte for byte.
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
