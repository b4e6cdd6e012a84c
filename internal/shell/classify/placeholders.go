package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// withoutPlaceholders returns a copy of c in which the unknown parts of options and subcommands are
// empty, as for find . -dele${x}te. It returns nil if there are no such parts.
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

// wordWithoutPlaceholders returns the text of w without its placeholders, if w is then an option or a
// word of letters; otherwise it reports false. A word of letters that ends in a placeholder is
// excluded, because it is usually a name, as in feature$n.
func wordWithoutPlaceholders(w *shell.Word) (string, bool) {
	const placeholder = string(shell.Placeholder)
	if len(w.From) > 0 || !strings.Contains(w.Text, placeholder) {
		return "", false
	}
	text := strings.ReplaceAll(w.Text, placeholder, "")
	letters := strings.TrimLeft(text, "-")
	if letters == "" || letters == text && strings.HasSuffix(w.Text, placeholder) {
		return "", false
	}
	for i := range len(letters) {
		if c := letters[i] | 0x20; (c < 'a' || c > 'z') && letters[i] != '-' {
			return "", false
		}
	}
	return text, true
}
