package desk

import (
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/config"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/dialect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/livehost"
	"github.com/checkrein/checkrein/internal/loosen"
	"github.com/checkrein/checkrein/internal/person"
	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/state"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/internal/workplace"
)

// byHand refuses a command that is a person's to give when an agent gives it, or
// may give it, as far as that can be told: see [person.Case].
func byHand(env *console.Env) error { return byPerson(env, false, false) }

// byHandOrLeave is byHand for the approval of declared hooks, and for nothing else:
// a person can leave that to agents with self_approve in a file of their own.
func byHandOrLeave(env *console.Env) error { return byPerson(env, true, false) }

// byPersonAtTerminal is byHand for what a person grants: it also takes the person
// to sit there, with stdin and stdout on the terminal that controls this process.
func byPersonAtTerminal(env *console.Env) error {
	if err := byPerson(env, false, true); err != nil {
		return err
	}
	if err := person.Terminal(env.Stdin, env.Stdout); err != nil {
		return refused(fmt.Errorf("%w. This is for a person to decide: run it in a terminal of your own; stdin and stdout must be that terminal", err))
	}
	return nil
}

// byPerson is byHand; leave says that self_approve opens the command, seat that the
// person must sit at a terminal.
//
// Neither the variables that say where state and files lie nor their absence
// open a way around: the state directories that the ancestors were started with
// are looked at too, and self_approve counts in the files that the host's own
// hooks go by.
func byPerson(env *console.Env, leave, seat bool) error {
	dir, err := stateDir(env)
	if err != nil {
		return err
	}
	found, above, err := livehost.Above(dir)
	if err != nil {
		return unsure(err)
	}
	dirs := append([]state.Dir{dir}, otherStates(dir)...)
	for _, other := range dirs[1:] {
		if above {
			break
		}
		found, above, _ = livehost.Above(other) // which may be another user's
		dir = other
	}
	if above {
		if leave && selfApproves(env, dir, found.Config) {
			return nil
		}
		who := fmt.Sprintf("an agent runs this: process %d above it is %s", found.PID, trust.VisibleLine(found.Name))
		if found.Orphan {
			who = fmt.Sprintf("it is not known who runs this: whoever started it is gone, and %s is running (process %d)", trust.VisibleLine(found.Name), found.PID)
		}
		other := ""
		if leave {
			other = ", or set self_approve: true in your own checkrein.yaml"
		}
		return refused(fmt.Errorf("%s. "+ownTerminal+"%s", who, other))
	}
	hosts, err := livingHosts(dirs, workplace.Home(env.Environ), workplace.OwnAccount().Home)
	if err != nil {
		return unsure(err)
	}
	c := person.Case{Hosts: hosts, Marks: host.Sets(), Seat: seat}
	if err := c.Doubt(); err != nil {
		if leave && selfApproves(env, dirs[0], hosts[0].Config) {
			return nil
		}
		return unsure(err)
	}
	return nil
}

const ownTerminal = "This is for a person to decide: run it in a terminal of your own"

// unsure says that an agent may run this.
func unsure(err error) error {
	return refused(fmt.Errorf("an agent may run this: %s. "+ownTerminal, trust.VisibleLine(err.Error())))
}

// livingHosts are the hosts that are alive by the notes of the state directories.
// Where these may be hidden from us, they are looked for as our ancestors see them.
func livingHosts(dirs []state.Dir, homes ...string) ([]livehost.Host, error) {
	var hosts []livehost.Host
	roots, blind := process.Roots()
	for i, d := range dirs {
		looks := []state.Dir{d}
		for _, root := range roots {
			looks = append(looks, state.At(root+d.Path()))
		}
		for j, look := range looks {
			living, far, err := livehost.Living(look)
			if err != nil && i+j == 0 {
				return nil, err
			}
			if len(far) > 0 {
				return nil, fmt.Errorf("this process is apart from %s (process %d elsewhere), of which a hook came within the last two hours", far[0].Name, far[0].PID)
			}
			hosts = append(hosts, living...)
		}
		if blind && person.Covered(d.Path(), homes...) {
			return nil, fmt.Errorf("%s is covered by another file system, and who did that cannot be told", d.Path())
		}
	}
	if blind && len(hosts) == 0 {
		if name := person.Called(host.Names()); name != "" {
			return nil, fmt.Errorf("%s is above this process, which sees other files than it", name)
		}
	}
	return hosts, nil
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
