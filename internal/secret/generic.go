package secret

import "math"

// The rule for values that have no shape: what they are called and how they
// look must make up for it. gitleaks calls it generic-api-key.

// strength is how much a name says about its value.
type strength uint8

const (
	mute   strength = iota
	weak            // a key or access of some kind
	strong          // a token, a secret, an API key
	pass            // a password: people make these up
)

func (f *finder) lookGeneric(rule, start, end int) {
	v, ok := f.valueOf(start, end)
	if !ok {
		return
	}
	if n := len(f.found); n > 0 && f.found[n-1].start == v.from && f.found[n-1].rule == rule {
		return // the name has several of the words
	}
	level := judgeName(f.text[v.nameFrom:v.nameTo], start-v.nameFrom, end-v.nameFrom)
	if level == mute || v.op == ',' && !v.isFirst(f.text) || v.op == '(' && !isLastWord(f.text[v.nameFrom:v.nameTo], end-v.nameFrom) {
		return
	}
	if endsInFold(f.text[v.from:v.to], "...") {
		return // only its start
	}
	if v.quote == 0 {
		for v.to > v.from && isSentenceEnd(f.text[v.to-1]) {
			v.to--
		}
	}
	val := f.text[v.from:v.to]
	if level == pass && isDigits(val) && !v.bare && v.op != ',' && v.op != '(' && v.op != ' ' && isLastWord(f.text[v.nameFrom:v.nameTo], end-v.nameFrom) {
		f.add(rule, v.from, v.to)
		return
	}
	if v.bare && v.quote == 0 && v.op == ':' && (userBefore(f.text, v.nameFrom) || behindPassFlag(f.text, v.nameFrom)) {
		v.bare, v.last = false, true
	}
	if f.standsIn(v.from, v.to) || isReference(val) || v.quote == 0 && !standsAlone(f.text, v) {
		return
	}
	v.clean = true
	switch level {
	case pass:
		ok = isPassword(val, v)
	case strong:
		ok = isKey(val, v)
	default:
		ok = isCertainKey(val, v)
	}
	if ok {
		f.add(rule, v.from, f.whole(v))
	}
}

func isSentenceEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ':' }

// isReference reports whether a value says where the secret is, or is text or
// code rather than a secret.
func isReference(val string) bool {
	if len(val) < 6 {
		return true
	}
	if len(val) >= 80 && val[:2] == "Ag" && val[2] >= 'A' && val[2] <= 'D' {
		return true // sealed for a cluster
	}
	switch val[0] {
	case '<', '{', '[', '(', '*':
		return true
	case '$', '%':
		if !isAlnum(val[1]) || isName(val[len(val)-1]) && readsLikeName(val[1:]) {
			return true
		}
	}
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
	return isNumeral(val) || val[0] == '/' && (isDotted(val) || readsLikeWords(val))
}

// isNumeral reports whether s is a number of code.
func isNumeral(s string) bool {
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	if len(s) > 2 && s[0] == '0' && isLetter(s[1]) {
		return len(s) <= 18 && skip(s, 2, len(s), func(c byte) bool { return isHex(c) || c == '_' }) == len(s)
	}
	return skip(s, 0, len(s), func(c byte) bool { return isDigit(c) || c == '_' || c == '.' || c == 'e' || c == '+' || c == '-' }) == len(s)
}

// readsLikeName reports whether s is an identifier that a person chose.
func readsLikeName(s string) bool {
	_, uppers, lowers, _ := traits(s)
	return uppers == 0 || lowers == 0 || readsLikeWords(s)
}

// standsAlone reports whether a value without quotes can be a literal: of a
// line of settings, a flag or an address, but not an expression of code.
func standsAlone(s string, v value) bool {
	for i := v.from; i < v.to; i++ {
		switch s[i] {
		case '(', '[', '{', '|', '"', '\'', '`':
			return false
		}
	}
	if v.op == ',' || v.op == '(' {
		return false
	}
	if (v.op == '=' && !v.tight || v.op == ':' && !v.last) && isPath(s[v.from:v.to]) {
		return false
	}
	if v.op == '>' && (v.nameFrom == 0 || s[v.nameFrom-1] != '<' || !isAlnum(s[v.from])) {
		return false
	}
	if v.to < len(s) {
		switch s[v.to] {
		case ')', ']', '}', '(':
			return false
		}
	}
	return true
}

// isPath reports whether s may be a name of code, or names with dots between
// them, and is not long and odd enough to be a key.
func isPath(s string) bool {
	if isDigit(s[0]) || skip(s, 0, len(s), func(c byte) bool { return isWord(c) || c == '.' }) < len(s) {
		return false
	}
	digits, _, _, others := traits(s)
	return len(s) < 16 || digits < 2 || others > 0 && wordy(s)*3 > len(s)
}

// isPassword reports whether val, called a password, is one.
func isPassword(val string, v value) bool {
	digits, uppers, lowers, others := traits(val)
	if uppers+lowers == 0 || !v.clean && isStandIn(val) || v.bare && v.quote == 0 && v.op != '=' {
		return false
	}
	signs := 0 // those that no name has
	for i := range len(val) {
		switch val[i] {
		case '!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '?', '~':
			signs++
		}
	}
	worded := readsLikeWords(val)
	if v.data && isLower(val[0]) {
		return true // labels start with a capital
	}
	if v.quote == 0 && !v.tight && v.op != ':' {
		return isKey(val, v) || signs > 0 && digits > 0 && !worded
	}
	switch {
	case signs > 0 && others == signs && (digits > 0 || uppers > 0):
		return true
	case digits == 0:
		return len(val) >= 8 && !worded && (uppers > 0 && lowers > 0 || signs > 0) && others <= 2
	case others-signs > 0 && worded:
		return isPassphrase(val) // not input-password2, v1.2.3-beta
	}
	return signs > 0 || v.quote != 0 || !worded || v.tight || v.last
}

// isPassphrase reports whether s is a password as managers make them: three or
// more words and a number, with one sign between them.
func isPassphrase(s string) bool {
	at := skip(s, 0, len(s), isLetter)
	if at == len(s) || s[at] != '-' && s[at] != '.' && s[at] != '_' {
		return false
	}
	sep, words, from := s[at], 0, 0
	for {
		part := s[from:at]
		switch {
		case len(part) < 3 || len(part) > 12 || isOneOf(part, "input field form label hint reset change prod test staging secret password passwd token key app user admin name id svc db"):
			return false
		}
		words++
		from = at + 1
		at = skip(s, from, len(s), isLetter)
		if at == len(s) || s[at] != sep {
			break
		}
	}
	digits := skip(s, from, len(s), isDigit)
	return words >= 3 && digits == len(s) && digits-from >= 1 && digits-from <= 4
}

// isKey reports whether val, called a token or secret, is one.
func isKey(val string, v value) bool {
	if len(val) < 8 || len(val) < 10 && v.quote == 0 {
		return false
	}
	digits, uppers, lowers, others := traits(val)
	if uppers+lowers == 0 || others*3 > len(val) {
		return false
	}
	if digits == 0 && (others > 1 || (len(val) < 16 || uppers == 0 || lowers == 0) && len(val) < 24) {
		return false
	}
	least := min(3.5, math.Log2(float64(len(val)))*0.8)
	if isHexText(val) {
		least = min(least, 2.9)
	}
	return entropy(val) >= least && !readsLikeWords(val) && !isDotted(val) && (v.clean || !isStandIn(val))
}

// isCertainKey is isKey for names that say little.
func isCertainKey(val string, v value) bool {
	if len(val) < 16 || v.quote == 0 && !v.tight && v.op != ':' {
		return false
	}
	digits, uppers, lowers, others := traits(val)
	if digits < 2 || wordy(val)*10 > len(val)*3 || others > 2 && others*8 > len(val) {
		return false
	}
	if isHexText(val) {
		return len(val) >= 32 && lowers*uppers == 0 && entropy(val) >= 3 && isKey(val, v)
	}
	return uppers > 0 && lowers > 0 && entropy(val) >= 3.6 && isKey(val, v)
}

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
