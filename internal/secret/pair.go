package secret

// awsPair looks for the secret that stands right beside a key id without a name
// of its own: as the next argument, column or line.
func (f *finder) awsPair(at int) {
	s := f.text
	from := skip(s, at, min(len(s), at+8), func(c byte) bool {
		return isSpace(c) || c == '"' || c == '\'' || c == '`' || c == ',' || c == ';' || c == ':' || c == '|'
	})
	if from == at {
		return
	}
	to := skip(s, from, min(len(s), from+41), func(c byte) bool { return isAlnum(c) || c == '+' || c == '/' })
	if to-from != 40 || to < len(s) && (s[to] == '=' || isWord(s[to]) || s[to] == '-') {
		return
	}
	digits, uppers, lowers, _ := traits(s[from:to])
	if digits > 0 && uppers > 0 && lowers > 0 && entropy(s[from:to]) >= 4 && !readsLikeWords(s[from:to]) {
		f.add(ruleOf("aws-secret-access-key"), from, to)
	}
}
