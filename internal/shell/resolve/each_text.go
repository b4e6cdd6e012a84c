package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

func hasWord(args []shell.Word, word string) bool {
	for _, a := range args {
		if a.Text == word {
			return true
		}
	}
	return false
}

// target is the machine that a command goes to: the word behind the subcommand.
func target(args []shell.Word, sub string) string {
	if sub == "" && len(args) > 0 {
		return args[0].Text
	}
	for i, a := range args {
		if a.Text == sub && i+1 < len(args) && !strings.HasPrefix(args[i+1].Text, "-") {
			return args[i+1].Text
		}
	}
	return "?"
}

// quotedList is a list as the text of a command.
func quotedList(list, sep string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(list, sep) {
		b.WriteString(expand.Quote(word) + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// eachText walks programs whose every word is a text for a shell.
func (w wrappers) eachText(c *command) {
	w.emit(c)
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a.Text, "-") {
			if len(a.Text) == 2 && strings.Contains("wrmMPDnsc", a.Text[1:]) || facts.InList("--warmup --runs --min-runs --max-runs --export-json --export-markdown --export-csv --shell --command-name --names --prefix --prefix-colors --kill-others-on-fail --parameter-list", a.Text) {
				i++
			}
			// The values of --prepare and its kin are texts as well.
			if name, text, ok := strings.Cut(a.Text, "="); ok && facts.InList("--prepare --cleanup --setup --conclude", name) {
				a.Text = text
				w.handed(c, a)
			}
			continue
		}
		if tool, script, ok := strings.Cut(a.Text, ":"); ok && facts.InList("npm yarn pnpm bun node deno", tool) {
			a.Text, a.Glob = tool+" run "+strings.Trim(script, "*"), false // npm:watch-*
		}
		w.handed(c, a)
	}
}
