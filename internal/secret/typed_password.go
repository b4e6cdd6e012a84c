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
	l := lookAt(val)
	return l.is(asTyped)
}

// isVariable reports whether val is one of a shell or of PowerShell: $x, $env:x.
func isVariable(val string) bool {
	return val[0] == '$' && skip(val, 1, len(val), func(c byte) bool { return isName(c) || c == ':' || c == '}' }) == len(val)
}
