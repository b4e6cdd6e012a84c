package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// checkWiring returns which agents of this machine ask checkrein, or only those of this user's account. What
// is missing in the administrator's files of agents, it puts back.
func checkWiring(ctx context.Context, env *console.Env, own bool) (out protocol.Wiring) {
	list := []machine.Account{{Name: base.PersonName(), Home: environ.Home(env.Environ), UID: os.Geteuid(), GID: os.Getegid()}}
	if !own {
		out.Agents = repairWiring(env)
		var err error
		if list, err = machine.Accounts(); err != nil {
			out.Accounts = append(out.Accounts, protocol.AccountState{Fault: err.Error()})
		}
	}
	for i := range list {
		agents, account := checkAccount(ctx, env, &list[i])
		out.Agents, out.Accounts = append(out.Agents, agents...), append(out.Accounts, account)
	}
	return out
}

// repairWiring returns the agents that root installed for all users. It installs them again where the
// administrator's file of an agent lacks something.
func repairWiring(env *console.Env) (out []protocol.AgentState) {
	m := base.ManagedMachine(env)
	for _, name := range m.ManagedHosts() {
		program, ok := m.ManagedProgram(name)
		if !ok {
			continue
		}
		m.Program = program
		a := protocol.AgentState{Agent: name}
		lacks := lacksWiring(m, name)
		p, err := m.PlanInstall(name, install.Options{Scope: install.Managed})
		if err == nil {
			err = m.Apply(p)
		}
		if err == nil && lacks {
			a.Restored = env.Now().UTC().Truncate(time.Second)
		}
		a.Wired, a.Vanished = err == nil, err != nil
		out = append(out, a)
	}
	return out
}

// lacksWiring reports whether an event is missing or narrowed in the administrator's file of a host.
func lacksWiring(m *install.Machine, name string) bool {
	r, err := m.Status(name)
	return err != nil || len(r.Gone) > 0 || slices.ContainsFunc(r.Installed, func(s install.Site) bool {
		return len(s.Missing) > 0 || slices.ContainsFunc(s.Notes, func(n install.Note) bool { return n.Narrowed != "" })
	})
}

// accountTimeout limits how long the check of an account may take.
const accountTimeout = 2 * time.Minute

// checkAccount returns what checkrein status reports to the account.
func checkAccount(ctx context.Context, env *console.Env, who *machine.Account) ([]protocol.AgentState, protocol.AccountState) {
	account := protocol.AccountState{User: who.Name}
	ctx, cancel := context.WithTimeout(ctx, accountTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, base.HotProgram(env), "status", "--json")
	cmd.Dir, cmd.Env = who.Home, env.Environ
	if who.UID != os.Geteuid() {
		cmd.Env = base.AccountEnviron(env, who.Home)
		base.RunAs(cmd, who.UID, who.GID)
	}
	text, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() == console.Finding {
		err = nil // something does not work, which is what this is about
	}
	var r struct {
		Weakened []string
		Hosts    []install.Report
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		account.Fault = fmt.Sprintf("checkrein status: %v", err)
		return nil, account
	}
	account.Weakened = r.Weakened
	var out []protocol.AgentState
	for i := range r.Hosts {
		h := &r.Hosts[i]
		if len(h.Installed) == 0 && len(h.Gone) == 0 && h.Seen.Count == 0 {
			continue
		}
		a := protocol.AgentState{User: who.Name, Agent: h.Host, Wired: len(h.Installed) > 0 && len(h.Gone) == 0, Vanished: len(h.Gone) > 0}
		a.Silent = h.Silent != nil && h.Silent.Now
		a.LastSeen, a.Proven = *cmp.Or(h.Seen.Last, &time.Time{}), *cmp.Or(h.Proven.Time, &time.Time{})
		a.Stale = h.Proven.Stale
		out = append(out, a)
	}
	return out, account
}
