package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// walkShellArgs walks a program that passes each of its arguments to a shell, such as hyperfine or
// concurrently.
func (w wrappers) walkShellArgs(c *command) {
	w.emitCall(c)
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a.Text, "-") {
			if len(a.Text) == 2 && strings.Contains("wrmMPDnsc", a.Text[1:]) || facts.InList("--warmup --runs --min-runs --max-runs --export-json --export-markdown --export-csv --shell --command-name --names --prefix --prefix-colors --kill-others-on-fail --parameter-list", a.Text) {
				i++
			}
			// The values of --prepare and similar options are passed to a shell as well.
			if name, text, ok := strings.Cut(a.Text, "="); ok && facts.InList("--prepare --cleanup --setup --conclude", name) {
				a.Text = text
				w.walkShellText(c, a)
			}
			continue
		}
		if tool, script, ok := strings.Cut(a.Text, ":"); ok && facts.InList("npm yarn pnpm bun node deno", tool) {
			a.Text, a.Glob = tool+" run "+strings.Trim(script, "*"), false // npm:watch-*
		}
		w.walkShellText(c, a)
	}
}
