package secret

import (
	"math"
	"strings"
)

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

var (
	byGeneric  = &reader{look: (*finder).lookKeyName, rank: ofName}
	byPassword = &reader{look: (*finder).lookPasswordName, rank: ofName, repeats: true}
)

func (f *finder) lookKeyName(rule, start, end int) { f.lookGeneric(rule, start, end, false) }

func (f *finder) lookPasswordName(rule, start, end int) { f.lookGeneric(rule, start, end, true) }

// lookGeneric looks at the value of a name that speaks of a password, or else of a
// key.
func (f *finder) lookGeneric(rule, start, end int, password bool) {
	if !isName(f.text[start]) {
		start++ // "assword
	}
	v, ok := f.valueOf(start, end)
	if !ok && !password && (skip(f.text, end, v.nameTo, func(c byte) bool { return !isLetter(c) }) < v.nameTo || f.fixed) {
		return // only a name that ends so has its value elsewhere
	}
	level := judgeName(f.text[v.nameFrom:v.nameTo], start-v.nameFrom, end-v.nameFrom)
	if level == strong && isOneOf(lastWord(f.text[v.nameFrom:v.nameTo]), "tokens secrets apikeys") {
		if ok {
			f.madeInList(rule, skip(f.text, v.nameTo, min(len(f.text), v.nameTo+4), isCloser))
		}
		return
	}
	if level == mute || ok && f.judge(rule, v, level, end) {
		return
	}
	switch {
	case f.fixed:
	case !password:
		f.lookMade(rule, v, level, ok && v.op != ' ')
	case level == pass:
		f.lookPlaced(rule, v, ok)
	}
}

// judge looks at the value of a name that says so much, and reports whether it
// was noted.
func (f *finder) judge(rule int, v value, level strength, end int) bool {
	name := f.text[v.nameFrom:v.nameTo]
	if n := len(f.found); n > 0 && f.found[n-1].start == v.from && f.rules[f.found[n-1].rule].id == f.rules[rule].id {
		return true // the name has several of the words
	}
	if v.op == ',' && !v.isFirst(f.text) || v.op == '(' && !isLastWord(name, end-v.nameFrom) || endsInFold(f.text[v.from:v.to], "...") {
		return false // of the last, only its start is there
	}
	if between := v.from - v.nameTo; level != pass && between > 8 && between < 64 && namesDigest(f.text[v.nameTo:v.from]) {
		return false // the key's fingerprint, not the key
	}
	whole := f.whole(v)
	if v.quote == 0 {
		for v.to > v.from && isSentenceEnd(f.text[v.to-1]) {
			v.to--
		}
		if c := f.text[max(v.from, whole-1)]; v.to < whole && !v.line && c != '!' && c != '?' && whole-v.from < maxValue {
			whole = v.to // the end of a sentence
		}
	}
	if hasFold(f.text[v.from:v.to], "{noop}") { // a prefix of Spring
		v.from += len("{noop}")
	}
	val := f.text[v.from:v.to]
	if level == pass && isHexText(val) && namesDigest(name) {
		return false
	}
	if end := v.from + 19; level == pass && end <= len(f.text) && isAppPassword(f.text[v.from:end]) && closesWord(f.text, end) {
		f.add(rule, v.from, end)
		return true
	}
	if level == pass && isDigits(val) && !v.bare && v.op != ',' && v.op != '(' && v.op != ' ' && isLastWord(name, end-v.nameFrom) {
		f.add(rule, v.from, v.to)
		return true
	}
	if v.bare && v.quote == 0 && v.op == ':' && (userBefore(f.text, v.nameFrom) || behindPassFlag(f.text, v.nameFrom) || v.line && v.last && userAbove(f.text, v.nameFrom)) {
		v.bare, v.last = false, true
	}
	if val == "" || f.standsIn(v.from, v.to) || isReference(val) && !(level == pass && (isQuote(v.quote) || v.line && v.tight && val[0] == '*') && startsOddly(val)) {
		return false
	}
	v.clean = true
	if v.quote == 0 && (v.op == ':' || v.op == '=') && isRemark(f.text, whole) {
		v.last = true
	}
	if level == pass && v.op == '=' && v.line && v.last && v.quote == 0 && isOneOf(firstWord(f.text[v.nameTo:v.from]), "for of on to") {
		v.op = ' '
	}
	set := level == pass && v.quote == 0 && v.op == '=' && !v.tight && (v.line || behindWords(f.text, v.nameFrom)) && v.last && isSet(val, !v.line || amongSettings(f.text, v))
	if v.quote == 0 && !set && !standsAlone(f.text, v) {
		if level != pass || v.op != ':' || !isFlow(f.text, v, whole) {
			return false
		}
		v.last = true
	}
	if !set && !isSecret(val, name, v, level) && !(level == weak && len(val) >= 24 && isMade(val) && (v.quote != 0 || v.tight || v.last) && f.saysKey(v)) {
		return level != pass && isOneOf(lastWord(name), "auth login creds cred credential credentials account") && f.tightPair(rule, saidWord{from: v.from, to: whole})
	}
	f.add(rule, v.from, whole)
	return true
}

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

// isRemark reports whether a remark follows the value that ends at i.
func isRemark(s string, i int) bool {
	k := skip(s, i, min(len(s), i+4), isBlank)
	return k > i && k < len(s) && (s[k] == '(' || s[k] == '#' || s[k] == ';' || hasFold(s[k:], "// ") || hasFold(s[k:], "-- ") || hasFold(s[k:], "*/") || hasFold(s[k:], "-->"))
}

// isSecretWord reports whether what is called so may be a password that somebody
// chose.
func isSecretWord(word, val string) bool {
	return isOneOf(word, "credential credentials creds") || isOneOf(word, "secret clave") && isWordsAndNumber(val)
}

// namesSecretKey reports whether a name ends in secret key.
func namesSecretKey(name string) bool {
	return isOneOf(lastWord(name), "secretkey") || isOneOf(lastWord(name), "key") && len(name) > 4 && isOneOf(lastWord(name[:len(name)-len("key")]), "secret")
}

// isWordsAndNumber reports whether val is what people make up when a secret is
// asked of them: words with capitals, two digits or more, signs.
func isWordsAndNumber(val string) bool {
	digits, uppers, lowers, _ := traits(val)
	return passwordSigns(val) > 0 || digits > 1 && uppers > 0 && lowers > 2 && isLetter(val[0]) && !isDigit(val[1]) || isPassphrase(val)
}

// isFlow reports whether a value that ends at a bracket is one of a list in YAML,
// {name: joe, password: x}, and no name of code.
func isFlow(s string, v value, end int) bool {
	val := s[v.from:end]
	digits, _, _, _ := traits(val)
	inWords := end < len(s) && s[end] == ')' && v.nameFrom > 1 && s[v.nameFrom-1] == '(' && isBlank(s[v.nameFrom-2])
	return end < len(s) && (s[end] == '}' || inWords) && isSaid(val, true) && (digits > 3 || digits > 0 && inWords || digits > 1 && userBefore(s, v.nameFrom) || passwordSigns(val) > 0 || isPassphrase(val))
}

// isSecret reports whether val is one, by what its name says.
func isSecret(val, name string, v value, level strength) bool {
	switch level {
	case pass:
		return isPassword(val, v)
	case strong:
		return isKey(val, v) || (isQuote(v.quote) || v.line && (v.tight || v.last && isWordsAndNumber(val))) && (isSecretWord(lastWord(name), val) || namesSecretKey(name) && isWordsAndNumber(val)) && isSaid(val, true)
	}
	return isCertainKey(val, v)
}

// firstWord returns the first word of s.
func firstWord(s string) string {
	from := skip(s, 0, len(s), isBlank)
	return s[from:skip(s, from, len(s), isLetter)]
}

func isSentenceEnd(c byte) bool { return c == '.' || c == '!' || c == '?' || c == ':' }

// isReference reports whether a value says where the secret is, or is text or
// code rather than a secret.
func isReference(val string) bool {
	if len(val) < 6 {
		return true
	}
	if isElsewhere(val) {
		return true
	}
	if len(val) >= 80 && val[:2] == "Ag" && val[2] >= 'A' && val[2] <= 'D' {
		return true // sealed for a cluster
	}
	switch val[0] {
	case '<', '{', '[', '(', '*':
		return true
	case '!':
		if skip(val, 1, len(val), isLetter) == len(val) {
			return true // a tag of YAML
		}
	case '$', '%':
		if val[0] == '%' && val[len(val)-1] == '%' || !isAlnum(val[1]) || isName(val[len(val)-1]) && readsLikeName(val[1:]) {
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
	if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b' || s[1]|0x20 == 'o') {
		return len(s) <= 18 && skip(s, 2, len(s), func(c byte) bool { return isHex(c) || c == '_' || c|0x20 == 'u' || c|0x20 == 'l' }) == len(s)
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
	if (v.op == '=' && !v.tight || v.op == ':' && !v.last && (!v.tight || v.to >= len(s) || s[v.to] != ' ')) && isPath(s[v.from:v.to]) {
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
	digits, uppers, lowers, others := traits(s)
	if len(s) >= 14 && digits > 0 && uppers > 2 && lowers > 2 && others == 0 && !readsLikeWords(s) {
		return false
	}
	return len(s) < 16 || digits < 2 || others > 0 && wordy(s)*3 > len(s)
}

// isPassword reports whether val, called a password, is one.
func isPassword(val string, v value) bool {
	digits, uppers, lowers, others := traits(val)
	if uppers+lowers == 0 || !v.clean && isStandIn(val) || v.bare && v.quote == 0 && v.op != '=' {
		return false
	}
	if isAppPassword(val) {
		return true
	}
	signs := passwordSigns(val)
	worded := readsLikeWords(val)
	if v.data && isLower(val[0]) {
		return true // labels start with a capital
	}
	if v.op == '=' && (v.tight || v.quote != 0) && len(val) >= 16 && isHexText(val) && digits > 1 && others == 0 && entropy(val) >= 2.7 {
		return true // what programs are given is a password; what was made of one stands in records
	}
	if isTechnical(val) || isHash(val) || isPlace(val) {
		return false
	}
	if v.quote == 0 && !v.tight && v.op != ':' {
		return isKey(val, v) || signs > 0 && digits > 0 && !worded || v.op == ' ' && isSaid(val, v.last)
	}
	switch {
	case signs > 0 && others == signs && (digits > 0 || uppers > 0):
		return true
	case digits == 0:
		return len(val) >= 8 && !worded && (uppers > 0 && lowers > 0 || signs > 0) && others <= 2
	case others-signs > 0 && worded: // not input-password2, v1.2.3-beta
		return isPassphrase(val) || uppers > 0 && lowers > 0 && !isPlace(val) || signs > 0 && isLetter(val[0])
	}
	return signs > 0 || v.quote != 0 || !worded || v.tight || v.last
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
