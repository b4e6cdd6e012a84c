package secret

// Passwords where a program expects one.

// addTyped notes a password that stands where a program expects one, unless it
// is a stand-in or a plain word.
func (f *finder) addTyped(rule, from, to int) {
	if to-from < 4 || to-from > maxValue {
		return
	}
	val := f.text[from:to]
	if !isTyped(val) {
		return
	}
	f.add(rule, from, to)
}

func isTyped(val string) bool {
	digits, uppers, lowers, others := traits(val)
	switch {
	case isAppPassword(val):
		return true
	case isReferenceIn(val) || isVariable(val) || isStandIn(val) || isOneOf(val, "changeit secret pass1 pass123"):
		return false
	case val[0] == '-' && lowers > 0 && digits == 0, val[0] == '/' && isDotted(val):
		return false
	case uppers+lowers == 0:
		return digits >= 6 && others == 0
	}
	return digits > 0 && (uppers > 0 || others > 0 || len(val) >= 6) || others > 0 && !readsLikeWords(val) || uppers > 1 && lowers > 1 && len(val) >= 8 && !readsLikeWords(val)
}

// isVariable reports whether val is one of a shell or of PowerShell: $x, $env:x.
func isVariable(val string) bool {
	return val[0] == '$' && skip(val, 1, len(val), func(c byte) bool { return isName(c) || c == ':' || c == '}' }) == len(val)
}
