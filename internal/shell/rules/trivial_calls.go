package rules

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// IsStep reports whether c is a basic command of the shell itself that only prints or tests something,
// of which scripts have many. Its effect is the one that [Effects] would find, without the search.
func IsStep(c *shell.Call) bool {
	return program.Is(c.Name, program.IsStep) && c.Path == c.Name && len(c.Redir) == 0 && len(c.Env) == 0 && len(c.Files) == 0 && c.Remote == "" && !c.Elevated
}

// StepEffect returns the effect of a call for which [IsStep] is true.
func StepEffect(words string) shell.Effect {
	return shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.IO, Rule: "say", Impact: shell.ImpactLow, Words: words, Reason: "runs a basic shell command"}
}
