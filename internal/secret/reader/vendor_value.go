package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds keys with a vendor's name and form.

// FindVendorValue finds the value of a name that contains the anchor, if the value has the shape of
// the rule.
func FindVendorValue(f *search.Finder, rule, start, end int) {
	r := &rules.Table[rule]
	v, ok := f.NamedValue(start, end)
	if !ok {
		return
	}
	to := lex.MatchShape(r.Shape, f.Text[:min(len(f.Text), v.From+lex.Window)], v.From)
	if to < 0 || !isValueEnd(f.Text, to) {
		return
	}
	token := f.Text[v.From:to]
	name := f.Text[v.NameFrom:v.NameTo]
	if r.Demands&rules.Exact != 0 && (v.NameTo != end || v.NameFrom != start) || lex.NamesDigest(name) || lex.ContainsFold(name, "commit") {
		return
	}
	if !r.Accepts(token) || value.IsTemplate(token) {
		return
	}
	if r.Demands&rules.Worded == 0 && !lex.HasDigit(token) && value.ReadsLikeWords(token) && hasNonHexLetter(token) {
		return
	}
	if anchor := f.Text[start:end]; len(anchor) <= shortAnchor && hasCamelHump(anchor) {
		return
	}
	f.Add(rule, v.From, to)
}

// shortAnchor is the length up to which an anchor may occur by chance across two words: SetSysctl has
// nothing to do with Etsy.
const shortAnchor = 6

// hasCamelHump reports whether an upper-case letter of s follows a lower-case one.
func hasCamelHump(s string) bool {
	for i := 1; i < len(s); i++ {
		if lex.IsLower(s[i-1]) && lex.IsUpper(s[i]) {
			return true
		}
	}
	return false
}

// hasNonHexLetter reports whether s has a letter that is not a hexadecimal digit.
func hasNonHexLetter(s string) bool {
	return lex.Skip(s, 0, len(s), func(c byte) bool { return lex.IsHex(c) || !lex.IsLetter(c) }) < len(s)
}

// isValueEnd reports whether a value may end before s[i].
func isValueEnd(s string, i int) bool {
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
