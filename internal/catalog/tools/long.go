package tools

import (
	pathpkg "path"
	"strings"
)

// maxPath is the longest path that systems accept.
const maxPath = 4096

// longPath is the text of an Unread part for a longer path.
const longPath = "a path that is longer than any system takes"

// ShortPath returns a path of a length that systems accept. It removes repeated slashes and dots from
// a longer one; if that is not enough, it also removes .. lexically, because only a program that does
// the same can open the path. Ok is false if the result is still too long.
func ShortPath(s string) (short string, ok bool) {
	if len(s) <= maxPath {
		return s, true
	}
	if s = squeezePath(s); len(s) > maxPath {
		s = pathpkg.Clean(s)
	}
	return s, len(s) <= maxPath
}

// squeezePath returns a path without empty elements and dots. It keeps .. because its meaning depends
// on symlinks.
func squeezePath(s string) string {
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

// isEncoded reports whether a text has only characters of base64: the content of a file and not its
// name.
func isEncoded(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("+/=-_", c) >= 0) {
			return false
		}
	}
	return true
}

// hasScheme reports whether a text begins with a URL scheme such as https://. A path may contain one
// in its middle.
func hasScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || scheme == "file" || len(scheme) > maxName {
		return false
	}
	return strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
