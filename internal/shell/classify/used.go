package classify

import (
	"github.com/checkrein/checkrein/internal/shell"

	"github.com/checkrein/checkrein/internal/shell/program"
)

// inUse takes back that a secret is printed when what prints it hands it to
// another program, as $(gh auth token) does and a pipe into docker login: that is
// what it is for. Where it goes is judged by itself.
func inUse(c *shell.Call, effects []shell.Effect, all []*shell.Call) {
	for i := range effects {
		e := &effects[i]
		if e.Category == shell.SecretRead && taken(c, all) {
			e.Category, e.Impact = shell.SecretUse, shell.ImpactMedium
			e.Reason = "passes a secret to the program that needs it"
		}
	}
}

// taken reports whether a call's output goes to others, and none of them shows or
// keeps it.
func taken(c *shell.Call, all []*shell.Call) bool {
	if len(c.Redir) > 0 {
		return false
	}
	found := false
	for _, other := range all {
		if other == c || !takes(other, c) {
			continue
		}
		if shows(other.Name) {
			return false
		}
		found = true
	}
	return found
}

func takes(c, from *shell.Call) bool {
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

// shows reports whether a program prints or keeps what it is given.
func shows(name string) bool { return !program.Is(name, program.IsSigningClient) }
