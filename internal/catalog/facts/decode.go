package facts

import (
	"encoding/base64"
	"strings"
)

// DecodeBase64 decodes base64 of either alphabet. It ignores padding and white space.
func DecodeBase64(s string) (string, bool) {
	s = strings.NewReplacer("-", "+", "_", "/", "=", "", " ", "", "\t", "", "\r", "", "\n", "").Replace(s)
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err == nil
}

// Short returns the first line of s, truncated to 120 bytes.
func Short(s string) string {
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
