package classify

import (
	"github.com/checkrein/checkrein/internal/shell"

	"github.com/checkrein/checkrein/internal/shell/program"
)

// allowSecretUse changes the effect of printing a secret to that of using it if the output is passed
// to another program, as by $(gh auth token) or a pipe into docker login: that is its purpose. Its
// destination is judged by itself.
func allowSecretUse(c *shell.Call, effects []shell.Effect, all []*shell.Call) {
	for i := range effects {
		e := &effects[i]
		if e.Category == shell.SecretRead && isConsumed(c, all) {
			e.Category, e.Impact = shell.SecretUse, shell.ImpactMedium
			e.Reason = "passes a secret to the program that needs it"
		}
	}
}

// isConsumed reports whether a call's output goes to other calls, and none of them shows or stores it.
func isConsumed(c *shell.Call, all []*shell.Call) bool {
	if len(c.Redir) > 0 {
		return false
	}
	found := false
	for _, other := range all {
		if other == c || !usesOutput(other, c) {
			continue
		}
		if mayShowInput(other.Name) {
			return false
		}
		found = true
	}
	return found
}

// usesOutput reports whether c uses the output of from.
func usesOutput(c, from *shell.Call) bool {
	has := func(list []*shell.Call) bool {
		for _, f := range list {
			if f == from {
				return true
			}
		}
		return false
	}
	for i := range c.Args {
		if has(c.Args[i].From) {
			return true
		}
	}
	for i := range c.Env {
		if has(c.Env[i].Value.From) {
			return true
		}
	}
	return c.In != nil && has(c.In.From)
}

// mayShowInput reports whether a program may print or store its input.
func mayShowInput(name string) bool { return !program.Is(name, program.IsSigningClient) }
