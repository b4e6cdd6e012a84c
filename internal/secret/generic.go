package secret

import "strings"

// What stands for something else than a secret.

// startsOddly reports whether val would be a reference but for its first sign, and
// is none since nothing closes what that opens.
func startsOddly(val string) bool {
	if len(val) < 8 || !hasDigit(val) || isReference(val[1:]) || readsLikeWords(val) {
		return false
	}
	switch val[0] {
	case '*':
		return val[1] != '*' && skip(val, 1, len(val), isWord) < len(val)
	case '(':
		return !strings.Contains(val, ")")
	case '<':
		return !strings.Contains(val, ">")
	case '{':
		return !strings.Contains(val, "}") && val[1] != '{' && val[1] != '%'
	}
	return false
}

// firstWord returns the first word of s.
func firstWord(s string) string {
	from := skip(s, 0, len(s), isBlank)
	return s[from:skip(s, from, len(s), isLetter)]
}

// isReference reports whether a value says where the secret is, or is text or
// code rather than a secret.
func isReference(val string) bool {
	return len(val) < 6 || isElsewhere(val) || isSealed(val) || opensReference(val) || isInterpolated(val) ||
		isNumeral(val) || val[0] == '/' && (isDotted(val) || readsLikeWords(val))
}

// isSealed reports whether val was encrypted for a cluster of Kubernetes.
func isSealed(val string) bool {
	return len(val) >= 80 && val[:2] == "Ag" && val[2] >= 'A' && val[2] <= 'D'
}

// opensReference reports whether the first sign of val is that of a template, a
// list, a pointer, a tag or a variable.
func opensReference(val string) bool {
	switch val[0] {
	case '<', '{', '[', '(', '*':
		return true
	case '!':
		return skip(val, 1, len(val), isLetter) == len(val) // a tag of YAML
	case '%':
		return val[len(val)-1] == '%' || opensVariable(val)
	case '$':
		return opensVariable(val)
	}
	return false
}

// opensVariable reports whether a name follows the first sign of val, or no letter
// or digit.
func opensVariable(val string) bool {
	return !isAlnum(val[1]) || isName(val[len(val)-1]) && readsLikeName(val[1:])
}

// isInterpolated reports whether val has what no secret has: spaces, letters other
// than ASCII, something that is put in, an address.
func isInterpolated(val string) bool {
	for i := range len(val) {
		switch c := val[i]; {
		case isSpace(c) || c >= 0x80 || c == '\\':
			return true
		case c == '%' && i+2 < len(val) && isDigit(val[i+1]) && isLetter(val[len(val)-1]) && len(val) < 10:
			return true // 0x%08x
		case (c == '{' || c == '(') && i > 0 && (val[i-1] == '$' || val[i-1] == '{' || val[i-1] == '%' || val[i-1] == '#'):
			return true
		case c == ':' && hasFold(val[i:], "://"):
			return true
		}
	}
	return false
}

// isNumeral reports whether s is a number of code.
func isNumeral(s string) bool {
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b' || s[1]|0x20 == 'o') {
		return len(s) <= 18 && skip(s, 2, len(s), func(c byte) bool { return isHex(c) || c == '_' || c|0x20 == 'u' || c|0x20 == 'l' }) == len(s)
	}
	return skip(s, 0, len(s), func(c byte) bool { return isDigit(c) || c == '_' || c == '.' || c == 'e' || c == '+' || c == '-' }) == len(s)
}

// readsLikeName reports whether s is an identifier that a person chose.
func readsLikeName(s string) bool {
	n := countsOf(s)
	return n.uppers == 0 || n.lowers == 0 || readsLikeWords(s)
}

// isPath reports whether s may be a name of code, or names with dots between
// them, and is not long and odd enough to be a key.
func isPath(s string) bool {
	if isDigit(s[0]) || skip(s, 0, len(s), func(c byte) bool { return isWord(c) || c == '.' }) < len(s) {
		return false
	}
	n := countsOf(s)
	if len(s) >= 14 && n.digits > 0 && n.uppers > 2 && n.lowers > 2 && n.others == 0 && !readsLikeWords(s) {
		return false
	}
	return len(s) < 16 || n.digits < 2 || n.others > 0 && wordy(s)*3 > len(s)
}

// isPassphrase reports whether s is a password as managers make them: three or
// more words with one sign between each, and a number among them or behind one.
func isPassphrase(s string) bool {
	at := skip(s, 0, len(s), isAlnum)
	if at == len(s) || s[at] != '-' && s[at] != '.' && s[at] != '_' {
		return false
	}
	sep, words, numbers, from := s[at], 0, 0, 0
	for {
		part := s[from:at]
		if n := skip(part, 0, len(part), isLetter); n >= 3 && n < len(part) && len(part)-n <= 4 && skip(part, n, len(part), isDigit) == len(part) {
			part = part[:n]
			numbers++
		}
		switch {
		case part != "" && skip(part, 0, len(part), isDigit) == len(part) && len(part) <= 4:
			numbers++
		case len(part) < 3 || len(part) > 12 || skip(part, 0, len(part), isLetter) < len(part) || isOneOf(part, notInPhrase):
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
		at = skip(s, from, len(s), isAlnum)
	}
}

// notInPhrase are words that names of other things have.
const notInPhrase = "input field form label hint reset change prod test staging secret password passwd token key app user admin name id svc db " +
	"east west north south central europe asia eu us ap version release build beta alpha server client node pod cluster api web service config layout step page view"

// isHexText reports whether s is hexadecimal digits, with hyphens or not.
func isHexText(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// isDotted reports whether s reads like a path of names, a host or a version:
// its parts between dots and slashes are short or words.
func isDotted(s string) bool {
	parts, longest, at := 0, 0, 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '.' || s[i] == '/' || s[i] == ':' || s[i] == '-' {
			parts++
			if part := s[at:i]; !readsLikeWords(part) {
				longest = max(longest, len(part))
			}
			at = i + 1
		}
	}
	return parts > 2 && longest < 8 || parts == 2 && longest < 6
}
