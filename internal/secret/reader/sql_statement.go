package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds passwords in SQL statements. columns.go finds those in rows.

// FindSQLPassword finds the password of IDENTIFIED BY 'X' and IDENTIFIED WITH plugin BY 'X'.
func FindSQLPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	w := wordReader{s: s, at: end, limit: min(len(s), end+maxCommand)}
	if !lex.OpensWord(s, start) {
		return
	}
	for range 5 {
		if !w.next() {
			return
		}
		if lex.IsOneOf(w.text(), "by") {
			break
		}
	}
	if !w.next() {
		return
	}
	if w.quoted || w.to-w.from > 0 && s[w.to-1] == ';' {
		from, to := w.valueSpan()
		if !w.quoted {
			to--
		}
		addTypedPassword(f, rule, from, to)
		return
	}
	from, to := w.valueSpan()
	before := s[max(0, start-96):start]
	if lex.HasDigit(s[from:to]) && (lex.ContainsFold(before, "create ") || lex.ContainsFold(before, "alter ") || lex.ContainsFold(before, "grant ")) {
		addTypedPassword(f, rule, from, to)
	}
}
