package classify

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// hijackEffects returns the effect of c if a variable in its environment makes programs load other
// code.
func hijackEffects(c *shell.Call) []shell.Effect {
	for _, v := range c.Env {
		if facts.HijacksEveryProgram(v.Name) || v.Name == "PATH" && facts.IsSuspiciousPath(v.Value.Text) {
			return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: shell.Unread, Rule: "surroundings", Impact: shell.ImpactUnknown, Words: callText(c), Reason: "runs with " + v.Name + " set, which can hijack any program"}}
		}
	}
	return nil
}
