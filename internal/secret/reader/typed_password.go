package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Passwords where a program expects one.

// addTyped notes a password that stands where a program expects one, unless it
// is a stand-in or a plain word.
func addTyped(f *search.Finder, rule, from, to int) {
	if to-from < 4 || to-from > lex.MaxValue {
		return
	}
	val := f.Text[from:to]
	if !isTyped(val) {
		return
	}
	f.Add(rule, from, to)
}

func isTyped(val string) bool {
	l := value.LookAt(val)
	return l.Is(value.AsTyped)
}
