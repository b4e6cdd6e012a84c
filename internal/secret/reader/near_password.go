package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords near their names without an operator between them.

// findPasswordNear finds the password for the name of v in other places than after an operator. The
// parameter valued is set if an operator and a value that is no password follow the name.
func findPasswordNear(f *search.Finder, rule int, v named.Value, valued bool) {
	s := f.Text
	switch {
	case v.NameTo >= len(s):
	case addTagPassword(f, rule, v):
	case lex.HasPrefixFold(s[v.NameTo:], "'s "):
		addStatedPasswordFrom(f, rule, v.NameTo+2, true)
	case s[v.NameTo] == ',' && named.IsLineStart(s, v.NameFrom) && addLastWord(f, rule, v.NameTo+1):
	case addColumnPasswords(f, v):
	case v.Bare || addPromptedPassword(f, rule, v.NameTo) || valued && v.Op != ' ':
	case closesName(s[v.NameTo]):
		if !addSpacedPassword(f, rule, v) {
			addStatedPassword(f, rule, v.NameTo)
		}
	}
}

// closesName reports whether c may be between a name and a sentence about it.
func closesName(c byte) bool { return lex.IsBlank(c) || lex.IsQuote(c) || c == '*' || c == ')' }

// addTagPassword adds the password of an element with attributes: <Password Type="x">v</Password>. It
// reports whether it did.
func addTagPassword(f *search.Finder, rule int, v named.Value) bool {
	if before := f.Text[max(0, v.NameFrom-1)]; v.NameFrom == 0 || before != '<' && before != ':' || !lex.IsBlank(f.Text[v.NameTo]) {
		return false
	}
	at, ok := v.TagEnd(f.Text, v.NameTo)
	v.Quote = 0
	return ok && addElementPassword(f, rule, v, at)
}

// addElementPassword adds the password at i, which is the text of an element or the value of an
// attribute. It reports whether it did.
func addElementPassword(f *search.Finder, rule int, v named.Value, i int) bool {
	if !v.ReadAfter(f.Text, i) || v.Quote != '<' && !lex.IsQuote(v.Quote) || !value.IsChosenPassword(f.Text[v.From:v.To]) {
		return false
	}
	f.Add(rule, v.From, v.To)
	return true
}

// addSpacedPassword adds a password that only spaces separate from its name: storePassword "v", rootpw
// --plaintext v, username joe password v. It reports whether it did.
func addSpacedPassword(f *search.Finder, rule int, v named.Value) bool {
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
		if lex.HasPrefixFold(s[from:], word) {
			p |= value.PlainText
			from = lex.Skip(s, from+len(word), min(len(s), from+len(word)+8), lex.IsBlank)
		}
	}
	if from < len(s) && lex.IsQuote(s[from]) {
		return addQuotedPassword(f, rule, from)
	}
	word, to := wordAt(s, from)
	if word.to-word.from < 6 {
		return false
	}
	p |= spacedPlace(f, v, from, to)
	l := value.LookAt(s[word.from:word.to])
	if !isSecretByRows(f, value.SpacedRows, p, &l) {
		return false
	}
	f.Add(rule, word.from, word.to)
	return true
}

// spacedPlace returns the place of the word from from to to, which follows the name of a password
// after spaces.
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
	if followsPreposition(s, v.NameFrom) {
		p |= value.Led | value.Last
	}
	if named.IsLineStart(s, v.NameFrom) {
		p |= value.OwnLine
	}
	return p
}

// addQuotedPassword adds the password in the quotes that open at i, and reports whether it did.
func addQuotedPassword(f *search.Finder, rule, i int) bool {
	s := f.Text
	to := lex.Skip(s, i+1, min(len(s), i+maxLogin), func(c byte) bool { return c != s[i] && c != '\n' })
	if to >= len(s) || s[to] != s[i] || !isArgumentPassword(s[i+1:to]) {
		return false
	}
	f.Add(rule, i+1, to)
	return true
}

// followsPreposition reports whether the word or the punctuation before i introduces a name whose
// value follows, as in with password v.
func followsPreposition(s string, i int) bool {
	i = lex.SkipBack(s, i, max(0, i-2), lex.IsBlank)
	if i > 0 && (s[i-1] == ',' || s[i-1] == ';' || s[i-1] == '#') {
		return true
	}
	word := s[lex.SkipBack(s, i, max(0, i-24), func(c byte) bool { return lex.IsNameByte(c) || c == '/' }):i]
	return lex.IsOneOf(word, "with and using und mit et avec y con com e") || lex.ContainsFold(word, "passw")
}
