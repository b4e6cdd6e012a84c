package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Passwords that stand near their names without an operator between them.

// lookPlaced looks for the password that is named at v in other places than behind
// an operator. With valued, there is one, but nothing came of it.
func lookPlaced(f *search.Finder, rule int, v named.Value, valued bool) {
	s := f.Text
	switch {
	case v.NameTo >= len(s):
	case readTag(f, rule, v):
	case v.Bare && readPlacedBare(f, rule, v):
	case readNextCell(f, rule, v):
	case !v.Bare && chosenBefore(f, rule, v.NameFrom):
	case lex.HasFold(s[v.NameTo:], "'s "):
		addSaidFrom(f, rule, v.NameTo+2, true)
	case s[v.NameTo] == ',' && named.IsLineStart(s, v.NameFrom) && addLastCell(f, rule, v.NameTo+1):
	case readColumn(f, v):
	case v.Bare:
		readPlacedPair(f, rule, v, valued)
	case addAnswered(f, rule, v.NameTo) || readDeclared(f, rule, v.NameTo) || readBefore(f, rule, v.NameFrom) || readPlacedPair(f, rule, v, valued):
	case closesName(s[v.NameTo]):
		if !readSpaced(f, rule, v) {
			addSaidAfter(f, rule, v.NameTo)
		}
	}
}

// readPlacedBare looks for the password of a name that is only the word pass, and
// reports whether it can be nowhere else.
func readPlacedBare(f *search.Finder, rule int, v named.Value) bool {
	s := f.Text
	switch {
	case s[v.NameFrom:v.NameTo] == "PASS":
		readProtocol(f, rule, v.NameTo)
	case lex.IsOneOf(lex.FirstWord(s[v.NameTo:min(len(s), v.NameTo+8)]), "for is"):
		addSaidAfter(f, rule, v.NameTo)
	case lex.HasFold(s[v.NameTo:], " show ") && isPrompted(f, v.NameFrom):
		addAnswered(f, rule, v.NameTo)
	case v.NameTo-v.NameFrom != len("pass"):
		if k := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+16), lex.IsBlank); k > v.NameTo && k < len(s) && lex.IsQuote(s[k]) { // #define AP_PASS "v"
			readSpaced(f, rule, v)
		}
	default:
		return false
	}
	return true
}

// readPlacedPair reports whether an operator follows the name, and notes the password
// of user/password:joe/v behind it.
func readPlacedPair(f *search.Finder, rule int, v named.Value, valued bool) bool {
	if !valued || v.Op == ' ' {
		return false
	}
	if before := f.Text[max(0, v.NameFrom-1)]; v.Op == ':' && v.NameFrom > 0 && (before == '/' || before == ':') {
		addPairAt(f, rule, v.From, v.From+SaidReach)
	}
	return true
}

// readProtocol reads what follows PASS or AUTH in a session with a server, to the end
// of its line. A user may stand before it.
func readProtocol(f *search.Finder, rule, i int) {
	s := f.Text
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
	if endsLine(s, to) && value.IsSaid(s[w.from:w.to], true) {
		f.Add(rule, w.from, w.to)
	}
}

// closesName reports whether c may be between a name and a sentence about it.
func closesName(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == '*' || c == ')' }

// readTag reads <Password Type="x">v</Password>.
func readTag(f *search.Finder, rule int, v named.Value) bool {
	if before := f.Text[max(0, v.NameFrom-1)]; v.NameFrom == 0 || before != '<' && before != ':' || !lex.IsBlank(f.Text[v.NameTo]) {
		return false
	}
	at, ok := v.TagEnd(f.Text, v.NameTo)
	v.Quote = 0
	return ok && addElement(f, rule, v, at)
}

// readNextCell reports whether the name ends its element, and reads what is in the
// next: <td>Password:</td><td>v.
func readNextCell(f *search.Finder, rule int, v named.Value) bool {
	if !lex.HasFold(f.Text[v.NameTo:], ":</") {
		return false
	}
	if at, ok := v.Sibling(f.Text, v.NameTo+1); ok {
		v.Quote = 0
		addElement(f, rule, v, at)
	}
	return true
}

// addElement notes the password at i, which is the text of an element or of an
// attribute.
func addElement(f *search.Finder, rule int, v named.Value, i int) bool {
	if !v.Opened(f.Text, i) || v.Quote != '<' && !lex.IsQuote(v.Quote) || !value.IsChosen(f.Text[v.From:v.To]) {
		return false
	}
	f.Add(rule, v.From, v.To)
	return true
}

// readDeclared reads v_password VARCHAR2(30) := 'v', where a type stands behind the
// name that ends at i.
func readDeclared(f *search.Finder, rule, i int) bool {
	s := f.Text
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
	return addLiteral(f, rule, at)
}

// readBefore reads v as the password, with the name at i.
func readBefore(f *search.Finder, rule, i int) bool {
	s := f.Text
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
	if !value.IsSaid(s[w.from:w.to], w.quoted) {
		return false
	}
	f.Add(rule, w.from, w.to)
	return true
}

// readSpaced reads a password right behind its name: storePassword "v", rootpw
// --plaintext v, username joe password v.
func readSpaced(f *search.Finder, rule int, v named.Value) bool {
	s := f.Text
	at := lex.Skip(s, v.NameTo, min(len(s), v.NameTo+2), func(c byte) bool { return c == '*' || lex.IsQuote(c) })
	from := lex.Skip(s, at, min(len(s), at+32), func(c byte) bool { return lex.IsBlank(c) || c == '.' })
	if from == at || from >= len(s) || v.NameFrom > 0 && s[v.NameFrom-1] == '/' || !lex.IsLastWord(s[v.NameFrom:v.NameTo], v.AnchorTo-v.NameFrom) {
		return false
	}
	p := value.Place(0)
	if from-at > 1 && s[at+1] != '.' {
		p |= value.Apart
	}
	for _, word := range [...]string{"0 ", "--plaintext "} {
		if lex.HasFold(s[from:], word) {
			p |= value.PlainText
			from = lex.Skip(s, from+len(word), min(len(s), from+len(word)+8), lex.IsBlank)
		}
	}
	if from < len(s) && lex.IsQuote(s[from]) {
		return addLiteral(f, rule, from)
	}
	word, to := wordAt(s, from)
	if word.to-word.from < 6 {
		return false
	}
	p |= spacedPlace(f, v, from, to)
	l := value.LookAt(s[word.from:word.to])
	if !decides(f, value.SpacedRows, p, &l) {
		return false
	}
	f.Add(rule, word.from, word.to)
	return true
}

// spacedPlace returns what is around a word right behind the name of a password,
// from its first sign to its last.
func spacedPlace(f *search.Finder, v named.Value, from, to int) (p value.Place) {
	s := f.Text
	if s[from] == '(' {
		p |= value.Opened
		if s[to-1] == ')' {
			p |= value.Last
		}
	}
	if endsLine(s, to) {
		p |= value.Last
	}
	if isPreposed(s, v.NameFrom) {
		p |= value.Led | value.Last
	}
	if named.IsLineStart(s, v.NameFrom) {
		p |= value.OwnLine
	}
	return p
}

// addLiteral notes the password in the quotes that open at i.
func addLiteral(f *search.Finder, rule, i int) bool {
	s := f.Text
	to := lex.Skip(s, i+1, min(len(s), i+maxLogin), func(c byte) bool { return c != s[i] && c != '\n' })
	if to >= len(s) || s[to] != s[i] || !isArgument(s[i+1:to]) {
		return false
	}
	f.Add(rule, i+1, to)
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
