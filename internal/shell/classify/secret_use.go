package classify

import (
	"github.com/checkrein/checkrein/internal/shell"

	"github.com/checkrein/checkrein/internal/shell/program"
)

// allowSecretUse changes effects of c that print a secret to effects that use it, if other calls in
// all only pass the output on, as with $(gh auth token) or a pipe into docker login. Where they send
// it is judged separately.
func allowSecretUse(c *shell.Call, effects []shell.Effect, all []*shell.Call) {
	for i := range effects {
		e := &effects[i]
		if e.Category == shell.SecretRead && isConsumed(c, all) {
			e.Category, e.Impact = shell.SecretUse, shell.ImpactMedium
			e.Reason = "passes a secret to the program that needs it"
		}
	}
}

// isConsumed reports whether the output of c goes to other calls in all, and none of them may show or
// store it.
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

// usesOutput reports whether the output of from is part of an argument, a variable or the input of c.
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

// mayShowInput reports whether the program name may print or store its input.
func mayShowInput(name string) bool { return !program.Is(name, program.IsSigningClient) }
