package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords in the configuration of network devices and in Wi-Fi QR codes.

// FindDevicePassword finds the password after the anchor in the configuration of a network device, or
// in the text of a Wi-Fi QR code: WIFI:S:net;P:X;;.
func FindDevicePassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if lex.HasPrefixFold(s[start:end], "wifi:") {
		line := s[end:min(len(s), end+maxLogin)]
		for i := 0; i+3 < len(line) && !lex.IsSpace(line[i]); i++ {
			if line[i] == ';' && line[i+1] == 'P' && line[i+2] == ':' {
				from := end + i + 3
				addTypedPassword(f, rule, from, lex.Skip(s, from, min(len(s), from+lex.MaxValue), func(c byte) bool { return lex.IsTokenByte(c) && c != ';' }))
			}
		}
		return
	}
	from := lex.Skip(s, end, min(len(s), end+4), lex.IsBlank)
	if from == end {
		return
	}
	if from+1 < len(s) && lex.IsDigit(s[from]) && lex.IsBlank(s[from+1]) {
		if s[from] != '0' && s[from] != '6' {
			return // an encrypted password
		}
		from += 2
	}
	if lex.HasPrefixFold(s[from:], "ascii-text ") {
		from += len("ascii-text ")
	}
	w, _ := wordAt(s, from)
	if l := value.LookAt(s[w.from:w.to]); l.Is(value.AsChosen) && !l.Is(value.CodeSigned) {
		f.Add(rule, w.from, w.to)
	}
}
