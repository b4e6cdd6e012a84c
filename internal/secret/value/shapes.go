package value

import "github.com/checkrein/checkrein/internal/secret/lex"

// This file recognises the forms of generated passwords, and of hexadecimal values.

// isPassphrase reports whether s is a passphrase as password managers generate them: three or more
// words with the same separator between them, and exactly one number, alone or at the end of a word.
func isPassphrase(s string) bool {
	at := lex.Skip(s, 0, len(s), lex.IsAlnum)
	if at == len(s) || s[at] != '-' && s[at] != '.' && s[at] != '_' {
		return false
	}
	sep, words, numbers, from := s[at], 0, 0, 0
	for {
		part := s[from:at]
		if n := lex.Skip(part, 0, len(part), lex.IsLetter); n >= 3 && n < len(part) && len(part)-n <= 4 && lex.Skip(part, n, len(part), lex.IsDigit) == len(part) {
			part = part[:n]
			numbers++
		}
		switch {
		case part != "" && lex.Skip(part, 0, len(part), lex.IsDigit) == len(part) && len(part) <= 4:
			numbers++
		case len(part) < 3 || len(part) > 12 || lex.Skip(part, 0, len(part), lex.IsLetter) < len(part) || lex.IsOneOf(part, nonPassphraseWords):
			return false
		default:
			words++
		}
		if at == len(s) {
			return words >= 3 && numbers == 1
		}
		if s[at] != sep {
			return false
		}
		from = at + 1
		at = lex.Skip(s, from, len(s), lex.IsAlnum)
	}
}

// nonPassphraseWords lists words that occur in names of other things, so a value that contains one is
// no passphrase.
const nonPassphraseWords = "input field form label hint reset change prod test staging secret password passwd token key app user admin name id svc db " +
	"east west north south central europe asia eu us ap version release build beta alpha server client node pod cluster api web service config layout step page view"

// IsAppPassword reports whether val is a password of 16 lower-case letters, as Google and Apple
// generate them for a single app: abcdefghijklmnop, abcd-efgh-ijkl-mnop.
func IsAppPassword(val string) bool {
	switch len(val) {
	case 16:
		return lex.Skip(val, 0, len(val), lex.IsLower) == len(val) && countWordBytes(val) == 0
	case 19:
		for i := range len(val) {
			if i%5 == 4 && val[i] != val[4] || i%5 != 4 && !lex.IsLower(val[i]) {
				return false
			}
		}
		return (val[4] == '-' || val[4] == ' ') && countWordBytes(val) <= 8
	}
	return false
}

// isWordNumber reports whether val is one word followed by a number, such as Level3.
func isWordNumber(val string) bool {
	at := lex.Skip(val, 0, len(val), lex.IsLetter)
	return at > 0 && lex.Skip(val, at, len(val), lex.IsDigit) == len(val) && wordEnd(val, 0) == at
}

// IsHexText reports whether s consists of hexadecimal digits and hyphens.
func IsHexText(s string) bool {
	for i := range len(s) {
		if !lex.IsHex(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// IsBase64Text reports whether s consists of base64 bytes.
func IsBase64Text(s string) bool { return lex.Skip(s, 0, len(s), lex.IsBase64) == len(s) }

// isDigitPassword reports whether s consists of 6 to 20 digits.
func isDigitPassword(s string) bool {
	return len(s) >= 6 && len(s) <= 20 && lex.Skip(s, 0, len(s), lex.IsDigit) == len(s)
}
