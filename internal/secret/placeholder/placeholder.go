// Package placeholder creates and finds the markers that replace secrets in redacted
// text: [REDACTED:1a2b3c4d]. Package guard/secretguard restores the secrets.
//
// The eight digits are a keyed digest of the value. Without the key they show only
// whether two markers stand for the same value.
package placeholder

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	// Bare is a marker without an id.
	Bare = "[REDACTED]"

	open   = "[REDACTED"
	digits = 8
)

// A Key keys the ids in markers. Under another key the same value has another id.
type Key [32]byte

// Marker returns the marker that replaces value.
func (k *Key) Marker(value string) string { return MarkerWithID(k.ID(value)) }

// MarkerWithID returns the marker with the given id.
func MarkerWithID(id string) string { return open + ":" + id + "]" }

// IsID reports whether word has the form of the id in a marker.
func IsID(word string) bool { return len(word) == digits && isHex(word) }

// ID returns the id in the marker of value. It is the same however the value is displayed: with line
// numbers or diff characters before its lines, or with escapes.
func (k *Key) ID(value string) string {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(normalize(value)))
	var sum [sha256.Size]byte
	return hex.EncodeToString(mac.Sum(sum[:0])[:digits/2])
}

// A Mark is a marker in a text.
type Mark struct {
	ID         string // "" for a bare marker
	Start, End int
}

// MayHaveMarker reports whether text may contain markers. It is a fast check before FindMarkers.
func MayHaveMarker(text []byte) bool { return bytes.Contains(text, []byte(open)) }

// FindMarkers returns the markers in text, in order.
func FindMarkers(text string) []Mark {
	var out []Mark
	for from := 0; ; {
		i := strings.Index(text[from:], open)
		if i < 0 {
			return out
		}
		m := Mark{Start: from + i}
		m.End = m.Start + len(open)
		from = m.End
		rest := text[m.End:]
		switch {
		case strings.HasPrefix(rest, "]"):
			m.End++
		case len(rest) > digits+1 && rest[0] == ':' && rest[digits+1] == ']' && isHex(rest[1:digits+1]):
			m.ID = rest[1 : digits+1]
			m.End += digits + 2
		default:
			continue
		}
		from = m.End
		out = append(out, m)
	}
}

// isHex reports whether s consists of lower-case hexadecimal digits.
func isHex(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}

// normalize returns value without escapes, and without the margins that tools print before lines.
func normalize(value string) string {
	value = unescape(value)
	if !strings.Contains(value, "\n") {
		return value
	}
	lines := strings.Split(strings.ReplaceAll(value, "\r\n", "\n"), "\n")
	for i, l := range lines[1:] { // the first line starts with the value itself
		lines[i+1] = trimLineNumber(strings.TrimSpace(l))
	}
	for _, sign := range [...]string{"+", ">", "-", "|"} {
		trimCommonPrefix(lines[1:], sign)
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// trimCommonPrefix removes sign, the prefix of a diff or a quotation, from lines if every line that is
// not empty has it.
func trimCommonPrefix(lines []string, sign string) {
	for _, l := range lines {
		if l != "" && !strings.HasPrefix(l, sign) {
			return
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, sign)
	}
}

// trimLineNumber returns line without a line number at its start: ` 3→`, `3<tab>`, `3: `, `3|`.
func trimLineNumber(line string) string {
	i := 0
	for i < len(line) && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	if i == 0 {
		return line
	}
	for _, sign := range [...]string{"→", "\t", ": ", "|", ":"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line[i:], " "), sign); ok {
			return rest
		}
	}
	return line
}

// unescape returns s with the escapes decoded that JSON and most languages share.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case '"', '\'', '\\', '/':
			b.WriteByte(c)
		case 'u':
			if r, ok := hexRune(s[i+1:]); ok {
				b.WriteRune(r)
				i += 4
				continue
			}
			b.WriteString(`\u`)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hexRune returns the character whose number the first four hexadecimal digits of s are. It reports
// false if there is none.
func hexRune(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var b [2]byte
	if _, err := hex.Decode(b[:], []byte(s[:4])); err != nil {
		return 0, false
	}
	r := rune(b[0])<<8 | rune(b[1])
	return r, utf8.ValidRune(r)
}
