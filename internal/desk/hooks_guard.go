package desk

import (
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/config"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/dialect"
	"github.com/checkrein/checkrein/internal/livehost"
	"github.com/checkrein/checkrein/internal/loosen"
	"github.com/checkrein/checkrein/internal/person"
	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/internal/workplace"
)

// byHand refuses a command that is a person's to give when an agent gives it:
// when a live agent host is among the ancestors of this process.
func byHand(env *console.Env) error { return byPerson(env, false) }

// byPersonAtTerminal is byHand for what a person grants: it also takes a person to
// sit there, with stdin and stdout on the terminal that controls this process.
func byPersonAtTerminal(env *console.Env) error {
	if err := byHand(env); err != nil {
		return err
	}
	if err := person.Terminal(env.Stdin, env.Stdout); err != nil {
		return refused(fmt.Errorf("%w. This is for a person to decide: run it in a terminal of your own; stdin and stdout must be that terminal", err))
	}
	return nil
}

// byHandOrLeave is byHand for the approval of declared hooks, and for nothing else:
// a person can leave that to agents with self_approve in a file of their own.
func byHandOrLeave(env *console.Env) error { return byPerson(env, true) }

// byPerson is byHand; leave says that self_approve opens the command.
//
// Neither the variables that say where state and files lie nor their absence
// open a way around: the state directories that the ancestors were started with
// are looked at too, and self_approve counts in the files that the host's own
// hooks go by.
func byPerson(env *console.Env, leave bool) error {
	dir, err := stateDir(env)
	if err != nil {
		return err
	}
	found, above, err := livehost.Above(dir)
	if err != nil {
		return refused(fmt.Errorf("nobody can tell whether an agent runs this: %w", err))
	}
	for _, other := range otherStates(dir) {
		if above {
			break
		}
		found, above, _ = livehost.Above(other) // which may be another user's
		dir = other
	}
	if !above || leave && selfApproves(env, dir, found.Config) {
		return nil
	}
	who := fmt.Sprintf("an agent runs this: process %d above it is %s", found.PID, trust.VisibleLine(found.Name))
	if found.Orphan {
		who = fmt.Sprintf("nobody can tell who runs this: whoever started it is gone, and %s is running (process %d)", trust.VisibleLine(found.Name), found.PID)
	}
	other := ""
	if leave {
		other = ", or set self_approve: true in your own checkrein.yaml"
	}
	return refused(fmt.Errorf("%s. This is for a person to decide: run it in a terminal of your own%s", who, other))
}

// otherStates are the state directories of the account and of the ancestors, by
// the environments that they were started with.
func otherStates(mine state.Dir) []state.Dir {
	seen := map[string]bool{mine.Path(): true, "": true}
	var out []state.Dir
	add := func(environ []string) {
		path, err := state.DefaultPath(func(name string) string { v, _ := workplace.Lookup(environ, name); return v })
		if err == nil && !seen[path] {
			seen[path] = true
			out = append(out, state.At(path))
		}
	}
	add(workplace.WithHome([]string{}))
	ancestors, _ := process.Ancestors()
	for _, id := range ancestors {
		if environ := process.Environ(id.PID); len(environ) > 0 {
			add(workplace.WithHome(environ))
		}
	}
	return out
}

// selfApproves reports whether the person's own files, or the machine's, leave
// approvals to agents, and did so before the agent was there.
func selfApproves(env *console.Env, dir state.Dir, user string) bool {
	managed := env.Managed
	if managed == "" {
		managed = config.ManagedDir()
	}
	c := config.Load(config.Options{User: user, Managed: managed, Dialect: dialect.Of})
	var files []string
	for _, f := range c.Files {
		if f.Scope == checkrein.ScopeUser {
			files = append(files, f.Path)
		}
	}
	loosen.Settle(loosen.Case{State: dir, Settings: &c.Settings, Managed: c.Managed, Files: files, Peek: true})
	return c.Settings.SelfApprove
}
