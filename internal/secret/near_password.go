package secret

import "github.com/checkrein/checkrein/internal/secret/lex"

// Passwords that stand near their names without an operator between them.

// lookPlaced looks for the password that is named at v in other places than behind
// an operator. With valued, there is one, but nothing came of it.
func (f *finder) lookPlaced(rule int, v value, valued bool) {
	s := f.text
	switch {
	case v.nameTo >= len(s):
	case f.inTag(rule, v):
	case v.bare && f.placedBare(rule, v):
	case f.inNextCell(rule, v):
	case !v.bare && f.chosenBefore(rule, v.nameFrom):
	case lex.HasFold(s[v.nameTo:], "'s "):
		f.saidFrom(rule, v.nameTo+2, true)
	case s[v.nameTo] == ',' && isLineStart(s, v.nameFrom) && f.lastCell(rule, v.nameTo+1):
	case f.column(v):
	case v.bare:
		f.placedPair(rule, v, valued)
	case f.answered(rule, v.nameTo) || f.declared(rule, v.nameTo) || f.before(rule, v.nameFrom) || f.placedPair(rule, v, valued):
	case closesName(s[v.nameTo]):
		if !f.spaced(rule, v) {
			f.saidAfter(rule, v.nameTo)
		}
	}
}

// placedBare looks for the password of a name that is only the word pass, and
// reports whether it can be nowhere else.
func (f *finder) placedBare(rule int, v value) bool {
	s := f.text
	switch {
	case s[v.nameFrom:v.nameTo] == "PASS":
		f.protocol(rule, v.nameTo)
	case lex.IsOneOf(lex.FirstWord(s[v.nameTo:min(len(s), v.nameTo+8)]), "for is"):
		f.saidAfter(rule, v.nameTo)
	case lex.HasFold(s[v.nameTo:], " show ") && f.prompted(v.nameFrom):
		f.answered(rule, v.nameTo)
	case v.nameTo-v.nameFrom != len("pass"):
		if k := lex.Skip(s, v.nameTo, min(len(s), v.nameTo+16), lex.IsBlank); k > v.nameTo && k < len(s) && lex.IsQuote(s[k]) { // #define AP_PASS "v"
			f.spaced(rule, v)
		}
	default:
		return false
	}
	return true
}

// placedPair reports whether an operator follows the name, and notes the password
// of user/password:joe/v behind it.
func (f *finder) placedPair(rule int, v value, valued bool) bool {
	if !valued || v.op == ' ' {
		return false
	}
	if before := f.text[max(0, v.nameFrom-1)]; v.op == ':' && v.nameFrom > 0 && (before == '/' || before == ':') {
		f.pairAt(rule, v.from, v.from+saidReach)
	}
	return true
}

// protocol reads what follows PASS or AUTH in a session with a server, to the end
// of its line. A user may stand before it.
func (f *finder) protocol(rule, i int) {
	s := f.text
	if i < len("PASS") || i >= len(s) || s[i] != ' ' {
		return
	}
	start := i - len("PASS")
	k := lex.Back(s, start, max(0, start-4), func(c byte) bool { return c == ' ' || c == '>' || c == ':' || c == 'C' })
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

// closesName reports whether c may be between a name and a sentence about it.
func closesName(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == '*' || c == ')' }

// inTag reads <Password Type="x">v</Password>.
func (f *finder) inTag(rule int, v value) bool {
	if before := f.text[max(0, v.nameFrom-1)]; v.nameFrom == 0 || before != '<' && before != ':' || !lex.IsBlank(f.text[v.nameTo]) {
		return false
	}
	at, ok := v.tagEnd(f.text, v.nameTo)
	v.quote = 0
	return ok && f.addElement(rule, v, at)
}

// inNextCell reports whether the name ends its element, and reads what is in the
// next: <td>Password:</td><td>v.
func (f *finder) inNextCell(rule int, v value) bool {
	if !lex.HasFold(f.text[v.nameTo:], ":</") {
		return false
	}
	if at, ok := v.sibling(f.text, v.nameTo+1); ok {
		v.quote = 0
		f.addElement(rule, v, at)
	}
	return true
}

// addElement notes the password at i, which is the text of an element or of an
// attribute.
func (f *finder) addElement(rule int, v value, i int) bool {
	if !v.opened(f.text, i) || v.quote != '<' && !lex.IsQuote(v.quote) || !isChosen(f.text[v.from:v.to]) {
		return false
	}
	f.add(rule, v.from, v.to)
	return true
}

// declared reads v_password VARCHAR2(30) := 'v', where a type stands behind the
// name that ends at i.
func (f *finder) declared(rule, i int) bool {
	s := f.text
	at := lex.Skip(s, i, min(len(s), i+48), func(c byte) bool {
		return lex.IsWord(c) || c == ' ' || c == '(' || c == ')' || c == ':' || c == '<' || c == '>' || c == '*' || c == '&'
	})
	if at == i || at >= len(s) || s[at] != '=' || s[i] != ' ' {
		return false
	}
	at = lex.Skip(s, at+1, min(len(s), at+3), lex.IsBlank)
	if at >= len(s) || !lex.IsQuote(s[at]) {
		return false
	}
	return f.addLiteral(rule, at)
}

// before reads v as the password, with the name at i.
func (f *finder) before(rule, i int) bool {
	s := f.text
	for n := 0; ; n++ {
		if i < 2 || s[i-1] != ' ' || n == 4 {
			return false
		}
		i--
		from := lex.Back(s, i, max(0, i-lex.MaxValue/2), func(c byte) bool { return !lex.IsSpace(c) })
		word := s[from:i]
		i = from
		if lex.IsOneOf(word, "as") {
			break
		}
		if !lex.IsOneOf(word, "the a my your its new old root admin db default temporary temp initial") {
			return false
		}
	}
	if i < 2 {
		return false
	}
	w, _ := wordAt(s, lex.Back(s, i-1, max(0, i-lex.MaxValue/2), func(c byte) bool { return !lex.IsSpace(c) }))
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
	at := lex.Skip(s, v.nameTo, min(len(s), v.nameTo+2), func(c byte) bool { return c == '*' || lex.IsQuote(c) })
	from := lex.Skip(s, at, min(len(s), at+32), func(c byte) bool { return lex.IsBlank(c) || c == '.' })
	if from == at || from >= len(s) || v.nameFrom > 0 && s[v.nameFrom-1] == '/' || !lex.IsLastWord(s[v.nameFrom:v.nameTo], v.anchorTo-v.nameFrom) {
		return false
	}
	p := place(0)
	if from-at > 1 && s[at+1] != '.' {
		p |= apart
	}
	for _, word := range [...]string{"0 ", "--plaintext "} {
		if lex.HasFold(s[from:], word) {
			p |= plainText
			from = lex.Skip(s, from+len(word), min(len(s), from+len(word)+8), lex.IsBlank)
		}
	}
	if from < len(s) && lex.IsQuote(s[from]) {
		return f.addLiteral(rule, from)
	}
	word, to := wordAt(s, from)
	if word.to-word.from < 6 {
		return false
	}
	p |= f.spacedPlace(v, from, to)
	l := lookAt(s[word.from:word.to])
	if !f.decide(spacedRows, p, &l) {
		return false
	}
	f.add(rule, word.from, word.to)
	return true
}

// spacedPlace returns what is around a word right behind the name of a password,
// from its first sign to its last.
func (f *finder) spacedPlace(v value, from, to int) (p place) {
	s := f.text
	if s[from] == '(' {
		p |= opened
		if s[to-1] == ')' {
			p |= last
		}
	}
	if endsLine(s, to) {
		p |= last
	}
	if isPreposed(s, v.nameFrom) {
		p |= led | last
	}
	if isLineStart(s, v.nameFrom) {
		p |= ownLine
	}
	return p
}

// addLiteral notes the password in the quotes that open at i.
func (f *finder) addLiteral(rule, i int) bool {
	s := f.text
	to := lex.Skip(s, i+1, min(len(s), i+maxLogin), func(c byte) bool { return c != s[i] && c != '\n' })
	if to >= len(s) || s[to] != s[i] || !isArgument(s[i+1:to]) {
		return false
	}
	f.add(rule, i+1, to)
	return true
}

// isPreposed reports whether the word before i leads to a name whose value comes
// next: with password v.
func isPreposed(s string, i int) bool {
	i = lex.Back(s, i, max(0, i-2), lex.IsBlank)
	if i > 0 && (s[i-1] == ',' || s[i-1] == ';' || s[i-1] == '#') {
		return true
	}
	word := s[lex.Back(s, i, max(0, i-24), func(c byte) bool { return lex.IsName(c) || c == '/' }):i]
	return lex.IsOneOf(word, "with and using und mit et avec y con com e") || lex.ContainsFold(word, "passw")
}
