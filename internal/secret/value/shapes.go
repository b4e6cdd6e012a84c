package value

import "github.com/checkrein/checkrein/internal/secret/lex"

// Shapes that values have which were made to be passwords, and hexadecimal ones.

// isPassphrase reports whether s is a password as managers make them: three or
// more words with one sign between each, and a number among them or behind one.
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
		case len(part) < 3 || len(part) > 12 || lex.Skip(part, 0, len(part), lex.IsLetter) < len(part) || lex.IsOneOf(part, notInPhrase):
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

// notInPhrase are words that names of other things have.
const notInPhrase = "input field form label hint reset change prod test staging secret password passwd token key app user admin name id svc db " +
	"east west north south central europe asia eu us ap version release build beta alpha server client node pod cluster api web service config layout step page view"

// IsAppPassword reports whether val is one of 16 letters, as Google and Apple make
// them for one program each: abcdefghijklmnop, abcd-efgh-ijkl-mnop.
func IsAppPassword(val string) bool {
	switch len(val) {
	case 16:
		return lex.Skip(val, 0, len(val), lex.IsLower) == len(val) && wordy(val) == 0
	case 19:
		for i := range len(val) {
			if i%5 == 4 && val[i] != val[4] || i%5 != 4 && !lex.IsLower(val[i]) {
				return false
			}
		}
		return (val[4] == '-' || val[4] == ' ') && wordy(val) <= 8
	}
	return false
}

// isNumbered reports whether val is a word and its number, like Level3.
func isNumbered(val string) bool {
	at := lex.Skip(val, 0, len(val), lex.IsLetter)
	return at > 0 && lex.Skip(val, at, len(val), lex.IsDigit) == len(val) && wordEnd(val, 0) == at
}

// IsHexText reports whether s is hexadecimal digits, with hyphens or not.
func IsHexText(s string) bool {
	for i := range len(s) {
		if !lex.IsHex(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

func IsBase64Text(s string) bool { return lex.Skip(s, 0, len(s), lex.IsBase64) == len(s) }

// isDigits reports whether s is a password of digits.
func isDigits(s string) bool {
	return len(s) >= 6 && len(s) <= 20 && lex.Skip(s, 0, len(s), lex.IsDigit) == len(s)
}
