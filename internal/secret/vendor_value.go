package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Keys whose name is a vendor's and whose value has its shape.

// lookNamed looks whether the value of a name has the shape of the rule.
func (f *finder) lookNamed(rule, start, end int) {
	r := &rules[rule]
	v, ok := f.valueOf(start, end)
	if !ok {
		return
	}
	to := lex.MatchShape(r.shape, f.text[:min(len(f.text), v.From+lex.Window)], v.From)
	if to < 0 || !closesValue(f.text, to) {
		return
	}
	token := f.text[v.From:to]
	name := f.text[v.NameFrom:v.NameTo]
	if r.demands&exact != 0 && (v.NameTo != end || v.NameFrom != start) || lex.NamesDigest(name) || lex.ContainsFold(name, "commit") {
		return
	}
	if !r.accepts(token) || value.IsReferenceIn(token) {
		return
	}
	if r.demands&worded == 0 && !lex.HasDigit(token) && value.ReadsLikeWords(token) && hasWordLetter(token) {
		return
	}
	if anchor := f.text[start:end]; len(anchor) <= shortName && hasHump(anchor) {
		return
	}
	f.add(rule, v.From, to)
}

// shortName is the length up to which an anchor may be met by chance, across
// two words: SetSysctl is not about Etsy.
const shortName = 6

// hasHump reports whether a capital follows a small letter.
func hasHump(s string) bool {
	for i := 1; i < len(s); i++ {
		if lex.IsLower(s[i-1]) && lex.IsUpper(s[i]) {
			return true
		}
	}
	return false
}

// hasWordLetter reports whether s has a letter that is no hexadecimal digit.
func hasWordLetter(s string) bool {
	return lex.Skip(s, 0, len(s), func(c byte) bool { return lex.IsHex(c) || !lex.IsLetter(c) }) < len(s)
}

// closesValue reports whether a value may end at i.
func closesValue(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	switch c := s[i]; c {
	case '-', '=', '+', '/', '_', '~', '%', ':', '@', '$', '(', '*', '{':
		return false
	case '.':
		return i+1 >= len(s) || lex.IsSpace(s[i+1])
	default:
		return !lex.IsAlnum(c)
	}
}
