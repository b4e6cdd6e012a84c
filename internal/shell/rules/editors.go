package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// editor knows an editor that waits for a person: what it is told on its words or
// on its input is judged elsewhere.
func editor(c *shell.Call) ([]shell.Effect, bool) {
	if c.In != nil {
		return nil, false
	}
	for i := range c.Redir {
		if c.Redir[i].Op[0] == '<' {
			return nil, false
		}
	}
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case t == "" || t[0] != '-' && t[0] != '+':
		case t[0] == '+' && strings.Trim(t[1:], "0123456789,:$") == "": // a line
		case listed("-R -d -o -O -p -nw -n -b -M -Z --nofork -f --no-window-system -q -Q --clean -N -m -v -i -l -w -x", t) && !(t == "-l" && strings.HasPrefix(c.Name, "emacs")) && !(t == "-f" && strings.HasPrefix(c.Name, "emacs")):
		default:
			return nil, false
		}
	}
	return one(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Edit, Rule: "editor", Reason: "opens an interactive editor"})
}
