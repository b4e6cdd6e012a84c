package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// Passwords in what programs answer and report.

// LookDialogue reads the line behind a question for a password in base64, as a
// server of mail asks it.
func LookDialogue(f *search.Finder, rule, start, end int) {
	s := f.Text
	nl := lex.Skip(s, end, min(len(s), end+4), func(c byte) bool { return c != '\n' })
	at := lex.Skip(s, nl, min(len(s), nl+6), func(c byte) bool { return lex.IsSpace(c) || c == 'C' || c == ':' || c == '>' || c == '-' })
	if nl < len(s) && at > nl {
		addEncoded(f, rule, at)
	}
}

// LookNewValue reads New value: X, with the word password near it.
func LookNewValue(f *search.Finder, rule, start, end int) {
	s := f.Text
	w, to := wordAt(s, lex.Skip(s, end, min(len(s), end+4), lex.IsBlank))
	if w.to > w.from && (lex.ContainsFold(s[to:min(len(s), to+64)], "assword") || lex.ContainsFold(s[max(0, start-64):start], "assword")) {
		addTyped(f, rule, w.from, w.to)
	}
}
