package rules

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// IsTrivial reports whether c is a basic command of the shell itself that only prints or tests
// something. Scripts contain many of them. Its effect is the one that [Effects] would find, without
// the search.
func IsTrivial(c *shell.Call) bool {
	return program.Is(c.Name, program.IsStep) && c.Path == c.Name && len(c.Redir) == 0 && len(c.Env) == 0 && len(c.Files) == 0 && c.Remote == "" && !c.Elevated
}

// TrivialEffect returns the effect of a call for which [IsTrivial] reports true. The text of the call
// is words.
func TrivialEffect(words string) shell.Effect {
	return shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.IO, Rule: "say", Impact: shell.ImpactLow, Words: words, Reason: "runs a basic shell command"}
}
