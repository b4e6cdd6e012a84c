package secret

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// rounds is the number of times that a text is redacted. A replaced secret may have hidden another
// one: of two tokens without a space between them, the first is found in the second round.
const rounds = 2

// Marker replaces a secret.
const Marker = "[REDACTED]"

// MarkerFor returns the replacement of span: the first marker with an id that it contains, otherwise
// Marker.
func MarkerFor(span string) string {
	for rest := span; ; {
		i := strings.Index(rest, idMarker)
		if i < 0 {
			return Marker
		}
		rest = rest[i:]
		if len(rest) >= idMarkerLen && isIDMarker(rest[:idMarkerLen]) {
			return rest[:idMarkerLen]
		}
		rest = rest[len(idMarker):]
	}
}

// The form of a marker with an id: [REDACTED:1a2b3c4d].
const (
	idMarker    = "[REDACTED:"
	idMarkerLen = len(idMarker) + 8 + 1
)

// isIDMarker reports whether s, which has the length idMarkerLen, is a marker with an id.
func isIDMarker(s string) bool {
	return strings.HasPrefix(s, idMarker) && s[idMarkerLen-1] == ']' && strings.Trim(s[len(idMarker):idMarkerLen-1], "0123456789abcdef") == ""
}

// Redact returns text with the findings of the kinds want replaced by the result of marker for their
// rule, and their number. If marker is nil, [REDACTED] replaces them. A marker should start with a
// bracket, so that it is never taken for a value itself. Text without findings is returned unchanged.
func Redact(text string, want rules.Kind, marker func(rule string) string) (out string, n int) {
	c := Cleaner{Want: want, Marker: marker}
	return c.RedactText(text)
}

// replace appends text to dst, with markers in place of the findings.
func (c *Cleaner) replace(dst []byte, text string, found []Finding) []byte {
	at := 0
	for _, f := range found {
		dst = append(dst, text[at:f.Start]...)
		dst = append(dst, c.markerFor(text, f)...)
		at = f.End
	}
	return append(dst, text[at:]...)
}

// markerFor returns the replacement for the finding f in text.
func (c *Cleaner) markerFor(text string, f Finding) string {
	switch {
	case c.Mark != nil:
		return c.Mark(text, f)
	case c.Marker != nil:
		return c.Marker(f.Rule)
	}
	return Marker
}
