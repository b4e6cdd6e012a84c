package placeholder

import (
	"bytes"
	"strings"
)

// Models write markers from memory: with other digits, other brackets, or as stars.
// What looks like one is no marker, but the secret is lost all the same when it is
// written in its place.

var (
	hiddenWords = [...]string{"redacted", "masked"}
	stars       = [...]string{"*", "•", "●", "∙", "·"}
)

// minStars is how many stars look like a value that is hidden.
const minStars = 4

// Alike reports whether a text may have markers or what looks like them. It is a
// quick look.
func Alike(text []byte) bool {
	for i := range signs {
		if signs[i].in(text) {
			return true
		}
	}
	return false
}

// A sign is a word that a marker has, or what looks like one. It is looked for by the
// byte that is the rarest in source and prose, which is at an offset in it: that takes a
// few passes over a long text at the speed of memory.
type sign struct {
	word string
	at   int
}

// signs have [open] in them, and stars minStars times.
var signs = [...]sign{
	{"****", 0}, {"••••", 0}, {"●●●●", 0}, {"∙∙∙∙", 0}, {"····", 0},
	{"edacted", 3}, {"EDACTED", 1}, {"masked", 3}, {"Masked", 0}, {"MASKED", 3}, {`\u2022\u2022`, 1},
}

func (s *sign) in(text []byte) bool {
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

// Likenesses returns what looks like a marker in a text, markers too, in order of
// its lines.
func Likenesses(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, wordsIn(line)...)
		for _, s := range stars {
			out = append(out, runsIn(line, s)...)
		}
	}
	return out
}

// wordsIn returns the words in a line that say a value is hidden: those in brackets,
// behind a sign that gives a value, or in capitals. Prose that has the word is none.
func wordsIn(line string) []string {
	low := lower(line)
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
			if start > 0 && isWord(line[start-1]) || end < len(line) && isWord(line[end]) {
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

// runsIn returns the runs of a star in a line. A line of nothing else is an ornament,
// and so are the stars that begin or end a comment.
func runsIn(line, star string) []string {
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

// lower is a text in lower case, byte for byte.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
