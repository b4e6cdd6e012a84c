package rules

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Step reports whether a call is one of the steps of the shell itself that fill
// scripts: they say or test something and nothing else. Its effect is what
// [Effects] would find, without the search.
func Step(c *shell.Call) bool {
	return program.Is(c.Name, program.IsStep) && c.Path == c.Name && len(c.Redir) == 0 && len(c.Env) == 0 && len(c.Files) == 0 && c.Remote == "" && !c.Elevated
}

// StepEffect is the effect of a [Step].
func StepEffect(words string) shell.Effect {
	return shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.IO, Rule: "say", Radius: shell.RadiusLow, Words: words, Reason: "runs a basic shell command"}
}
