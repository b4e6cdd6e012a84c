package secret

// Passwords that stand near their names without an operator between them.

// lookPlaced looks for the password that is named at v in other places than behind
// an operator. With valued, there is one, but nothing came of it.
func (f *finder) lookPlaced(rule int, v value, valued bool) {
	s := f.text
	switch {
	case v.nameTo >= len(s):
	case v.nameFrom > 0 && (s[v.nameFrom-1] == '<' || s[v.nameFrom-1] == ':') && isBlank(s[v.nameTo]) && f.inTag(rule, v):
	case v.bare && s[v.nameFrom:v.nameTo] == "PASS":
		f.protocol(rule, v.nameTo)
	case v.bare && isOneOf(firstWord(s[v.nameTo:min(len(s), v.nameTo+8)]), "for is"):
		f.saidAfter(rule, v.nameTo)
	case v.bare && hasFold(s[v.nameTo:], " show ") && f.prompted(v.nameFrom):
		f.answered(rule, v.nameTo)
	case v.bare && v.nameTo-v.nameFrom != len("pass"):
		if k := skip(s, v.nameTo, min(len(s), v.nameTo+16), isBlank); k > v.nameTo && k < len(s) && isQuote(s[k]) { // #define AP_PASS "v"
			f.spaced(rule, v)
		}
	case hasFold(s[v.nameTo:], ":</"): // <td>Password:</td><td>v
		if at, ok := v.sibling(s, v.nameTo+1); ok {
			v.quote = 0
			f.addElement(rule, v, at)
		}
	case !v.bare && f.chosenBefore(rule, v.nameFrom):
	case hasFold(s[v.nameTo:], "'s "):
		f.saidFrom(rule, v.nameTo+2, true)
	case s[v.nameTo] == ',' && isLineStart(s, v.nameFrom) && f.lastCell(rule, v.nameTo+1):
	case f.column(v) || !v.bare && (f.answered(rule, v.nameTo) || f.declared(rule, v.nameTo) || f.before(rule, v.nameFrom)):
	case valued && v.op != ' ':
		if v.op == ':' && v.nameFrom > 0 && (s[v.nameFrom-1] == '/' || s[v.nameFrom-1] == ':') {
			f.pairAt(rule, v.from, v.from+saidReach)
		}
	case isBlank(s[v.nameTo]) || isQuote(s[v.nameTo]) || s[v.nameTo] == '*' || s[v.nameTo] == ')':
		if !v.bare && !f.spaced(rule, v) {
			f.saidAfter(rule, v.nameTo)
		}
	}
}

// protocol reads what follows PASS or AUTH in a session with a server, to the end
// of its line. A user may stand before it.
func (f *finder) protocol(rule, i int) {
	s := f.text
	if i < len("PASS") || i >= len(s) || s[i] != ' ' {
		return
	}
	start := i - len("PASS")
	k := back(s, start, max(0, start-4), func(c byte) bool { return c == ' ' || c == '>' || c == ':' || c == 'C' })
	if k > 0 && s[k-1] != '\n' && k == start {
		return
	}
	w, to := wordAt(s, i+1)
	if !endsLine(s, to) && s[start] == 'A' && isUser(s[w.from:w.to]) {
		w, to = wordAt(s, to+1)
	}
	if endsLine(s, to) && isSaid(s[w.from:w.to], true) {
		f.add(rule, w.from, w.to)
	}
}

// inTag reads <Password Type="x">v</Password>.
func (f *finder) inTag(rule int, v value) bool {
	at, ok := v.tagEnd(f.text, v.nameTo)
	v.quote = 0
	return ok && f.addElement(rule, v, at)
}

// addElement notes the password at i, which is the text of an element or of an
// attribute.
func (f *finder) addElement(rule int, v value, i int) bool {
	if !v.opened(f.text, i) || v.quote != '<' && !isQuote(v.quote) || !isChosen(f.text[v.from:v.to]) {
		return false
	}
	f.add(rule, v.from, v.to)
	return true
}

// declared reads v_password VARCHAR2(30) := 'v', where a type stands behind the
// name that ends at i.
func (f *finder) declared(rule, i int) bool {
	s := f.text
	at := skip(s, i, min(len(s), i+48), func(c byte) bool {
		return isWord(c) || c == ' ' || c == '(' || c == ')' || c == ':' || c == '<' || c == '>' || c == '*' || c == '&'
	})
	if at == i || at >= len(s) || s[at] != '=' || s[i] != ' ' {
		return false
	}
	at = skip(s, at+1, min(len(s), at+3), isBlank)
	if at >= len(s) || !isQuote(s[at]) {
		return false
	}
	to := skip(s, at+1, min(len(s), at+maxLogin), func(c byte) bool { return c != s[at] && c != '\n' })
	if to >= len(s) || s[to] != s[at] || !isArgument(s[at+1:to]) {
		return false
	}
	f.add(rule, at+1, to)
	return true
}

// before reads v as the password, with the name at i.
func (f *finder) before(rule, i int) bool {
	s := f.text
	for n := 0; ; n++ {
		if i < 2 || s[i-1] != ' ' || n == 4 {
			return false
		}
		i--
		from := back(s, i, max(0, i-maxValue/2), func(c byte) bool { return !isSpace(c) })
		word := s[from:i]
		i = from
		if isOneOf(word, "as") {
			break
		}
		if !isOneOf(word, "the a my your its new old root admin db default temporary temp initial") {
			return false
		}
	}
	if i < 2 {
		return false
	}
	w, _ := wordAt(s, back(s, i-1, max(0, i-maxValue/2), func(c byte) bool { return !isSpace(c) }))
	if !isSaid(s[w.from:w.to], w.quoted) {
		return false
	}
	f.add(rule, w.from, w.to)
	return true
}

// spaced reads a password right behind its name: storePassword "v", rootpw
// --plaintext v, username joe password v.
func (f *finder) spaced(rule int, v value) bool {
	s := f.text
	at := skip(s, v.nameTo, min(len(s), v.nameTo+2), func(c byte) bool { return c == '*' || isQuote(c) })
	from := skip(s, at, min(len(s), at+32), func(c byte) bool { return isBlank(c) || c == '.' })
	if from == at || from >= len(s) || v.nameFrom > 0 && s[v.nameFrom-1] == '/' {
		return false
	}
	sure := false
	for _, word := range [...]string{"0 ", "--plaintext "} {
		if hasFold(s[from:], word) {
			sure = true
			from = skip(s, from+len(word), min(len(s), from+len(word)+8), isBlank)
		}
	}
	if from < len(s) && isQuote(s[from]) {
		q := s[from]
		to := skip(s, from+1, min(len(s), from+maxLogin), func(c byte) bool { return c != q && c != '\n' })
		if to >= len(s) || s[to] != q || to-from < 6 || !isArgument(s[from+1:to]) || !isLastWord(s[v.nameFrom:v.nameTo], v.anchorTo-v.nameFrom) {
			return false
		}
		f.add(rule, from+1, to)
		return true
	}
	word, to := wordAt(s, from)
	if word.to-word.from < 6 || !isLastWord(s[v.nameFrom:v.nameTo], v.anchorTo-v.nameFrom) {
		return false
	}
	val := s[word.from:word.to]
	digits, uppers, _, others := traits(val)
	last := endsLine(s, to) || s[from] == '(' && s[to-1] == ')' || isPreposed(s, v.nameFrom)
	wide := last && from-at > 1 && s[at+1] != '.'
	if sure && isChosen(val) {
		f.add(rule, word.from, word.to)
		return true
	}
	if !isSaid(val, last) || digits < 2 && passwordSigns(val) == 0 && (!last || others == 0) && s[from] != '(' || !isPassphrase(val) && uppers == 0 && passwordSigns(val) == 0 && (!last || s[from] != '(' && !wide && !isPreposed(s, v.nameFrom) && !isLineStart(s, v.nameFrom)) {
		return false
	}
	f.add(rule, word.from, word.to)
	return true
}

// isPreposed reports whether the word before i leads to a name whose value comes
// next: with password v.
func isPreposed(s string, i int) bool {
	i = back(s, i, max(0, i-2), isBlank)
	if i > 0 && (s[i-1] == ',' || s[i-1] == ';' || s[i-1] == '#') {
		return true
	}
	word := s[back(s, i, max(0, i-24), func(c byte) bool { return isName(c) || c == '/' }):i]
	return isOneOf(word, "with and using und mit et avec y con com e") || containsFold(word, "passw")
}
