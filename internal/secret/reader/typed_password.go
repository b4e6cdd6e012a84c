package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file judges passwords where a program expects one.

// addTypedPassword adds s[from:to], which is where a program expects a password, unless it is a
// stand-in or a plain word.
func addTypedPassword(f *search.Finder, rule, from, to int) {
	if to-from < 4 || to-from > lex.MaxValue {
		return
	}
	val := f.Text[from:to]
	if !isTypedPassword(val) {
		return
	}
	f.Add(rule, from, to)
}

// isTypedPassword reports whether val, where a program expects a password, is one.
func isTypedPassword(val string) bool {
	l := value.LookAt(val)
	return l.Is(value.AsTyped)
}
