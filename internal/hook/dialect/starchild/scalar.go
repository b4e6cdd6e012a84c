package starchild

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// formatScalar formats s for YAML so that every parser reads the same string: plain if that is safe,
// otherwise in single quotes, or in double quotes if it needs escapes.
func formatScalar(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD") // YAML must be valid UTF-8
	switch {
	case isPlainScalar(s):
		return s
	case !strings.ContainsFunc(s, needsEscape):
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !needsEscape(r):
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isPlainScalar reports whether s needs no quotes in YAML: it begins like a word or an absolute path,
// has no special characters, and is not a word such as yes or null.
func isPlainScalar(s string) bool {
	if s == "" || strings.HasSuffix(s, " ") || s[0] != '/' && (!isAlnum(rune(s[0])) || s[0] <= '9') {
		return false
	}
	for i, r := range s {
		if !isAlnum(r) && !strings.ContainsRune("_-./@%+= ", r) && !(r == ':' && strings.HasPrefix(s[i:], "://")) {
			return false
		}
	}
	return !slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}, strings.ToLower(s))
}

// needsEscape reports whether r must be written as an escape sequence.
func needsEscape(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }
