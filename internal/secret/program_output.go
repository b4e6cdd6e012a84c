package secret

// Passwords in what programs answer and report.

// lookDialogue reads the line behind a question for a password in base64, as a
// server of mail asks it.
func (f *finder) lookDialogue(rule, start, end int) {
	s := f.text
	nl := skip(s, end, min(len(s), end+4), func(c byte) bool { return c != '\n' })
	at := skip(s, nl, min(len(s), nl+6), func(c byte) bool { return isSpace(c) || c == 'C' || c == ':' || c == '>' || c == '-' })
	if nl < len(s) && at > nl {
		f.addEncoded(rule, at)
	}
}

// lookNewValue reads New value: X, with the word password near it.
func (f *finder) lookNewValue(rule, start, end int) {
	s := f.text
	w, to := wordAt(s, skip(s, end, min(len(s), end+4), isBlank))
	if w.to > w.from && (containsFold(s[to:min(len(s), to+64)], "assword") || containsFold(s[max(0, start-64):start], "assword")) {
		f.addTyped(rule, w.from, w.to)
	}
}
