package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// render writes calls and problems in one line, as the tables of tests have them:
// words in brackets where they have spaces, … for a hole, * behind a glob.
func render(text string, p shell.Place) string {
	calls, problems := Calls(text, p)
	var parts []string
	for _, c := range calls {
		parts = append(parts, renderCall(c))
	}
	for _, e := range problems {
		parts = append(parts, "!"+e.Category.String())
	}
	return strings.Join(parts, " ; ")
}

func renderCall(c *shell.Call) string {
	var b strings.Builder
	if c.Elevated {
		b.WriteString("#")
	}
	if c.Remote != "" {
		b.WriteString("@" + c.Remote + " ")
	}
	if c.Dir != "" {
		b.WriteString("(" + renderText(c.Dir) + ") ")
	}
	for _, v := range c.Env {
		b.WriteString(v.Name + "=" + renderText(v.Value.Text) + " ")
	}
	b.WriteString(renderText(c.Path))
	for _, a := range c.Args {
		b.WriteString(" " + renderText(a.Text))
	}
	for _, r := range c.Redir {
		b.WriteString(" " + r.Fd + r.Op + renderText(r.Target.Text))
	}
	return b.String()
}

func renderText(s string) string {
	s = strings.ReplaceAll(s, placeholder, "…")
	s = strings.ReplaceAll(s, "\n", `\n`)
	if s == "" || strings.ContainsAny(s, " ;") {
		return "[" + s + "]"
	}
	return s
}
