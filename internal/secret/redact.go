package secret

import "github.com/checkrein/checkrein/internal/marker"

// rounds is how often a text is gone through. What is taken out can be what
// kept something beside it from being seen: of two tokens without a space
// between them, the first is found in the second round.
const rounds = 2

// Marker stands where something was taken out.
const Marker = "[REDACTED]"

// markerFor is what stands where a span was taken out: if the span has a marker that knows
// its value again, that one, else Marker.
func markerFor(span string) string {
	for _, m := range marker.Find(span) {
		if m.ID != "" {
			return span[m.Start:m.End]
		}
	}
	return Marker
}

// endsMarked reports whether a text ends with a marker.
func endsMarked(s string) bool {
	all := marker.Find(s)
	return len(all) > 0 && all[len(all)-1].End == len(s)
}

// Redact returns text with what is found of the wanted kinds replaced by a
// marker, and how much that was. A nil marker writes [REDACTED]; a marker
// should start with a bracket, so that it is never taken for a value itself.
// A text in which nothing is found is returned as it is.
func Redact(text string, want Kind, marker func(rule string) string) (out string, n int) {
	c := Cleaner{Want: want, Marker: marker}
	return c.Text(text)
}

// replace appends text to dst, with markers in place of what was found.
func (c *Cleaner) replace(dst []byte, text string, found []Finding) []byte {
	at := 0
	for _, f := range found {
		dst = append(dst, text[at:f.Start]...)
		dst = append(dst, c.marker(f.Rule, text[f.Start:f.End])...)
		at = f.End
	}
	return append(dst, text[at:]...)
}

func (c *Cleaner) marker(rule, value string) string {
	switch {
	case c.Mark != nil:
		return c.Mark(rule, value)
	case c.Marker != nil:
		return c.Marker(rule)
	}
	return Marker
}
