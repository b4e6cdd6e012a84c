package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// closed is a call as it is if the parts of its options and subcommands that are not
// known are nothing: find . -dele${x}te. nil = it is the call itself.
func closed(c *shell.Call) *shell.Call {
	var out *shell.Call
	for i := range c.Args {
		text, ok := closedWord(&c.Args[i])
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

// closedWord is the text of an option or a word of letters without its holes; a hole
// at the end of a word of letters is mostly a name's: feature$n.
func closedWord(w *shell.Word) (string, bool) {
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
