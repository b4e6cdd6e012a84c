package tools

import (
	pathpkg "path"
	"strings"
)

// maxPath is how long a path may be that a system takes.
const maxPath = 4096

// longPath is the text of an Unread part that is a path of more than that.
const longPath = "a path that is longer than any system takes"

// ShortPath is a path as systems take it. One that is written too long loses what
// says nothing, slashes beside slashes and dots; if that is not enough, also its ..
// by words alone, as only a program that does the same can open it. Ok = it is short
// enough now.
func ShortPath(s string) (short string, ok bool) {
	if len(s) <= maxPath {
		return s, true
	}
	if s = squeezed(s); len(s) > maxPath {
		s = pathpkg.Clean(s)
	}
	return s, len(s) <= maxPath
}

// squeezed leaves out empty parts of a path and dots. What .. means depends on links,
// so it stays.
func squeezed(s string) string {
	b := make([]byte, 0, maxPath)
	for i := 0; i < len(s); {
		if s[i] != '/' {
			b = append(b, s[i])
			i++
			continue
		}
		for i < len(s) && s[i] == '/' {
			if i++; i < len(s) && s[i] == '.' && (i+1 == len(s) || s[i+1] == '/') {
				i++
			}
		}
		b = append(b, '/')
	}
	return string(b)
}

// isEncoded reports whether a text has only letters of base 64: a file that is sent
// as text, not one that is named.
func isEncoded(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("+/=-_", c) >= 0) {
			return false
		}
	}
	return true
}

// isAddress reports whether a text begins as addresses do: https://. A path may have
// the same in its middle.
func isAddress(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || scheme == "file" || len(scheme) > maxName {
		return false
	}
	return strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
