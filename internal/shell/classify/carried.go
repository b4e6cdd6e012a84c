package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// carried returns commands that do what a call does, for programs that are
// another's by their effect.
func carried(c *shell.Call) []string {
	switch c.Name {
	case "rimraf", "del-cli", "premove":
		if len(c.Args) == 1 && strings.HasPrefix(c.Args[0].Text, "-") {
			return nil
		}
		return []string{"rm -rf -- " + operands(c.Args)}
	}
	return nil
}

// bent is the effect of a call whose environment makes it something else.
func bent(c *shell.Call) []shell.Effect {
	for _, v := range c.Env {
		if facts.Bends(v.Name) {
			return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.Unread, Radius: shell.RadiusUnknown, Words: words(c), Reason: "runs with " + v.Name + " set, which can hijack any program"}}
		}
	}
	return nil
}

// operands are the words that are no flags, quoted for a shell.
func operands(args []shell.Word) string {
	var out []string
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		if !a.Known() {
			out = append(out, `"$UNKNOWN"`)
			continue
		}
		if a.Glob {
			out = append(out, a.Text)
			continue
		}
		out = append(out, "'"+strings.ReplaceAll(a.Text, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}
