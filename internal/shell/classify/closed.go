package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// withoutPlaceholders returns a call as it is if the unknown parts of its options and subcommands are
// empty: find . -dele${x}te. It returns nil if that is the call itself.
func withoutPlaceholders(c *shell.Call) *shell.Call {
	var out *shell.Call
	for i := range c.Args {
		text, ok := wordWithoutPlaceholders(&c.Args[i])
		if !ok {
			continue
		}
		if out == nil {
			other := *c
			other.Args = append([]shell.Word(nil), c.Args...)
			out = &other
		}
		out.Args[i].Text = text
	}
	return out
}

// wordWithoutPlaceholders returns the text of an option or a word of letters without its placeholders.
// A placeholder at the end of a word of letters is mostly part of a name: feature$n.
func wordWithoutPlaceholders(w *shell.Word) (string, bool) {
	const hole = string(shell.Placeholder)
	if len(w.From) > 0 || !strings.Contains(w.Text, hole) {
		return "", false
	}
	text := strings.ReplaceAll(w.Text, hole, "")
	letters := strings.TrimLeft(text, "-")
	if letters == "" || letters == text && strings.HasSuffix(w.Text, hole) {
		return "", false
	}
	for i := range len(letters) {
		if c := letters[i] | 0x20; (c < 'a' || c > 'z') && letters[i] != '-' {
			return "", false
		}
	}
	return text, true
}
