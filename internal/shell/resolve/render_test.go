package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// render returns the calls and problems of text at p as one line, the form of the tables in these
// tests. Words with spaces are in brackets, … stands for a placeholder, and ! marks a problem.
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

// renderCall returns c in the form of render: # marks an elevated call, @ one on another machine, and
// parentheses a directory.
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

// renderText returns s in the form of render.
func renderText(s string) string {
	s = strings.ReplaceAll(s, placeholder, "…")
	s = strings.ReplaceAll(s, "\n", `\n`)
	if s == "" || strings.ContainsAny(s, " ;") {
		return "[" + s + "]"
	}
	return s
}
