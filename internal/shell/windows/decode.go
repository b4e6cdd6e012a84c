package windows

import (
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// decodeCommand decodes s, the value of -EncodedCommand, which is base64 of UTF-16. It reports false
// if s is invalid.
func decodeCommand(s string) (string, bool) {
	raw, ok := facts.DecodeBase64(s)
	if !ok || len(raw) < 2 {
		return "", false
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])|uint16(raw[i+1])<<8)
	}
	return string(utf16.Decode(units)), true
}
