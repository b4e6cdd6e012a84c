package facts

import (
	"encoding/base64"
	"strings"
)

// DecodeBase64 decodes base64 in the standard or the URL alphabet. It ignores padding and white space,
// and reports false if s is not base64.
func DecodeBase64(s string) (string, bool) {
	s = strings.NewReplacer("-", "+", "_", "/", "=", "", " ", "", "\t", "", "\r", "", "\n", "").Replace(s)
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err == nil
}

// ShortFirstLine returns the first line of s, truncated to 120 bytes.
func ShortFirstLine(s string) string {
	const most = 120
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	if len(s) <= most {
		return s
	}
	for n := most; n > most-4; n-- {
		if s[n]&0xC0 != 0x80 {
			return s[:n] + "…"
		}
	}
	return s[:most]
}
