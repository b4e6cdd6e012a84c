package tools

import (
	pathpkg "path"
	"strings"
)

// maxPath is the longest path that systems accept.
const maxPath = 4096

// longPath is the text of the Unread part that stands for a path longer than maxPath.
const longPath = "a path that is longer than any system takes"

// ShortPath returns s if systems accept a path of its length. Otherwise it removes repeated slashes
// and "." elements. If that is not enough, it also removes ".." elements lexically, because only a
// program that does the same could open the path. It reports false if the result is still too long.
func ShortPath(s string) (short string, ok bool) {
	if len(s) <= maxPath {
		return s, true
	}
	if s = squeezePath(s); len(s) > maxPath {
		s = pathpkg.Clean(s)
	}
	return s, len(s) <= maxPath
}

// squeezePath returns a path without empty and "." elements. It keeps "..", because its meaning
// depends on symlinks.
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

// isBase64Text reports whether s has only characters of base64, and so is the content of a file rather
// than its name.
func isBase64Text(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("+/=-_", c) >= 0) {
			return false
		}
	}
	return true
}

// hasScheme reports whether s begins with a URL scheme such as https://, other than file://.
func hasScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || scheme == "" || scheme == "file" || len(scheme) > maxName {
		return false
	}
	return strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
