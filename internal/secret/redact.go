package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// rounds is how often a text is gone through. What is taken out can be what
// kept something beside it from being seen: of two tokens without a space
// between them, the first is found in the second round.
const rounds = 2

// Marker stands where something was taken out.
const Marker = "[REDACTED]"

// MarkerFor is what stands where a span was taken out: if the span has a marker that knows
// its value again, that one, else Marker.
func MarkerFor(span string) string {
	for rest := span; ; {
		i := strings.Index(rest, knowing)
		if i < 0 {
			return Marker
		}
		rest = rest[i:]
		if len(rest) >= knowingLen && isKnowing(rest[:knowingLen]) {
			return rest[:knowingLen]
		}
		rest = rest[len(knowing):]
	}
}

// A marker by which its value is known again, [REDACTED:1a2b3c4d].
const (
	knowing    = "[REDACTED:"
	knowingLen = len(knowing) + 8 + 1
)

func isKnowing(s string) bool {
	return strings.HasPrefix(s, knowing) && s[knowingLen-1] == ']' && strings.Trim(s[len(knowing):knowingLen-1], "0123456789abcdef") == ""
}

// Redact returns text with what is found of the wanted kinds replaced by a
// marker, and how much that was. A nil marker writes [REDACTED]; a marker
// should start with a bracket, so that it is never taken for a value itself.
// A text in which nothing is found is returned as it is.
func Redact(text string, want rules.Kind, marker func(rule string) string) (out string, n int) {
	c := Cleaner{Want: want, Marker: marker}
	return c.Text(text)
}

// replace appends text to dst, with markers in place of what was found.
func (c *Cleaner) replace(dst []byte, text string, found []Finding) []byte {
	at := 0
	for _, f := range found {
		dst = append(dst, text[at:f.Start]...)
		dst = append(dst, c.marker(text, f)...)
		at = f.End
	}
	return append(dst, text[at:]...)
}

func (c *Cleaner) marker(text string, f Finding) string {
	switch {
	case c.Mark != nil:
		return c.Mark(text, f)
	case c.Marker != nil:
		return c.Marker(f.Rule)
	}
	return Marker
}
