package base

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/approval/person"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A PersonRule is the rule by which a command is accepted as run by a person.
type PersonRule uint8

const (
	// ByHand accepts a command from a terminal. It also accepts one from a script while no host is
	// alive, for setting up machines and for CI.
	ByHand PersonRule = iota
	// BySwitch is ByHand for commands that switch hooks off or remove them. No agent may run them,
	// not even one that is recognized only by its program.
	BySwitch
	// ByHandOrLeft is ByHand for the approval of declared hooks. Users can leave that to agents
	// with self_approve in their own file.
	ByHandOrLeft
	// AtTerminal is for grants. Since the user is asked there, stdin and stdout must be the
	// terminal that controls this process, whether a host is alive or not.
	AtTerminal
)

// RequirePerson is the one rule for commands that are reserved for people. It returns an error if an
// agent runs the command, or may be running it, as far as that can be known; see
// [person.Situation]. also are directories that the command changes in addition to the user's state
// directory.
//
// Setting or unsetting the environment variables that name directories does not get around it, because
// it also checks the state directories of the account and those that the ancestor processes were
// started with. self_approve counts only in the files that the host's own hooks use.
func RequirePerson(env *console.Env, how PersonRule, also ...state.Dir) error {
	return RequirePersonExcept(env, how, nil, also...)
}

// RequirePersonExcept is RequirePerson for a command about notes of hosts. The hosts in except do not
// count.
func RequirePersonExcept(env *console.Env, how PersonRule, except []process.ID, also ...state.Dir) error {
	dir, err := StateDir(env)
	if err != nil {
		return err
	}
	dirs := AppendDirs(append([]state.Dir{dir}, also...), AccountStates(AccountHome(env)))
	for i, d := range AppendDirs(dirs, AncestorStates()) {
		found, above, err := liveagents.StartedByAgent(d, except...)
		if err != nil && i == 0 { // the other directories may belong to another user
			return maybeAgentError(env, err)
		}
		if above {
			return refuseBelow(env, how, d, found)
		}
	}
	hosts, err := liveHosts(dirs, environ.Home(env.Environ), AccountHome(env))
	if err != nil {
		return maybeAgentError(env, err)
	}
	if env.Within != nil && env.Within.Ask != nil {
		// The command was typed at the agent's own prompt, where the user also confirms tool
		// calls. Only other hosts could have typed it instead of the user.
		hosts = slices.DeleteFunc(hosts, func(h liveagents.Host) bool { return h.PID == os.Getpid() })
	}
	hosts = slices.DeleteFunc(hosts, func(h liveagents.Host) bool { return slices.Contains(except, h.ID) })
	if len(hosts) == 0 && how != ByHand {
		// Program names show agents even if the notes were removed together with their records.
		if id := agentAncestor(except); id != (process.ID{}) {
			return refuseBelow(env, how, dir, liveagents.Finding{Host: liveagents.Host{ID: id, Name: unknownAgent, Evidence: liveagents.ByName}})
		}
		hosts = unnotedAgents(dirs, except)
		if len(hosts) == 0 && liveagents.IsOrphaned() && !process.HasTerminal() && ReplacedState(env, dir) != "" {
			return AsRefusal(fmt.Errorf("checkrein cannot tell who runs this command: the program that started it is gone, there is no terminal here, and %s was removed although checkrein's hooks are installed. "+OwnTerminal, dir.Path()))
		}
	}
	c := person.Situation{Hosts: hosts, Marks: host.CommandVars()}
	if err := c.Check(); err != nil {
		left, other := leftToAgents(env, how, dir, &hosts[0])
		if left {
			return nil
		}
		return maybeAgentErrorOr(env, err, other)
	}
	if how != AtTerminal {
		return nil
	}
	if err := person.CheckTerminal(env.Stdin, env.Stdout); err != nil {
		return AsRefusal(fmt.Errorf("%w. "+OwnTerminal+"; stdin and stdout must be that terminal", err))
	}
	return nil
}

// agentAncestor returns the nearest ancestor process whose command line is that of an agent, except
// those in except, or the zero ID if there is none.
func agentAncestor(except []process.ID) (id process.ID) {
	_ = process.WalkAncestors(func(a process.Ancestor) bool { // fails at processes of other users that are hidden
		if hostfiles.IsAgent(a.Args) && !slices.Contains(except, a.ID) {
			id = a.ID
		}
		return id == process.ID{}
	})
	return id
}

// unknownAgent is the name of an agent that is recognized only by its program.
const unknownAgent = "a program with the name of an agent"

// unnotedAgents returns the running processes of this user whose programs are agents and that use one
// of the state directories, whether they called hooks or not. Processes in containers do not count.
func unnotedAgents(dirs []state.Dir, except []process.ID) (out []liveagents.Host) {
	all, _ := process.ListAll() // on an error, those that are visible
	own := process.NamespacesOf(os.Getpid())
	for i := range all {
		a := &all[i]
		if a.PID == os.Getpid() || !hostfiles.IsAgent(a.Args) || slices.Contains(except, a.ID) {
			continue
		}
		spaces := process.NamespacesOf(a.PID)
		if !process.AreNamespacesDifferent(spaces.PID, own.PID) && usesState(a.ID, dirs) {
			out = append(out, liveagents.Host{ID: a.ID, Name: liveagents.ProgramName(a.Args[0]), Evidence: liveagents.ByName, Spaces: spaces})
		}
	}
	return out
}

// usesState reports whether the process id may use one of the state directories, judging by the
// environment that it was started with. If that is hidden, it may if it runs as this user.
func usesState(id process.ID, dirs []state.Dir) bool {
	path, hidden, err := stateDirOfProcess(id.PID)
	for began := time.Now(); hidden && time.Since(began) < startTime && process.IsAlive(id); { // it may start or end
		time.Sleep(startTime / 20)
		path, hidden, err = stateDirOfProcess(id.PID)
	}
	if hidden {
		return process.IsAlive(id) && process.RunsAs(id.PID, os.Getuid())
	}
	return err != nil || slices.ContainsFunc(dirs, func(d state.Dir) bool { return d.Path() == filepath.Clean(path) })
}

// startTime is how long a process may take to start once its command line can be read. Until then, and
// while it ends, its environment cannot be read.
const startTime = 100 * time.Millisecond

// stateDirOfProcess returns the state directory that the environment of the process pid at its start
// leads to. hidden is set if the environment cannot be read.
func stateDirOfProcess(pid int) (path string, hidden bool, err error) {
	vars := process.EnvironOf(pid)
	path, err = state.DefaultPath(func(name string) string { v, _ := environ.Lookup(vars, name); return v })
	return path, len(vars) == 0, err
}

// refuseBelow returns an error that an agent started this command, or nil if the user left the command
// to agents.
func refuseBelow(env *console.Env, how PersonRule, dir state.Dir, found liveagents.Finding) error {
	left, other := leftToAgents(env, how, dir, &found.Host)
	if left {
		return nil
	}
	who := fmt.Sprintf("an agent is running this command: %s (process %d)", visible.EscapeLine(found.Name), found.PID)
	if found.Orphan {
		who = fmt.Sprintf("checkrein cannot tell who runs this command: the program that started it is gone, and %s is running (process %d)", visible.EscapeLine(found.Name), found.PID)
	}
	return AsRefusal(fmt.Errorf("%s. "+OwnTerminal+"%s%s", who, other, forgetRemedy(&found.Host)))
}

// forgetRemedy returns the remedy in case the note about a host is wrong, or "" if the host is
// certainly an agent.
func forgetRemedy(h *liveagents.Host) string {
	if h.IsProvenAgent(hostfiles.IsAgent) {
		return ""
	}
	called, is := h.Name, "is"
	if up, _, err := process.Lineage(h.PID); err == nil && len(up) > 0 && up[0].ID == h.ID && len(up[0].Args) > 0 {
		called = liveagents.ProgramName(up[0].Args[0])
	}
	if h.Gone {
		is = "was"
	}
	return fmt.Sprintf("\nIf process %d (%s) %s not an agent, run checkrein person forget %d", h.PID, visible.EscapeLine(called), is, h.PID)
}

// describeNote returns how to see the note about a host: the command that lists it, or the file if
// status does not list the host. It returns "" if there is no note.
func describeNote(env *console.Env, h *liveagents.Host) string {
	if h.Note == "" && h.Evidence == liveagents.ByName {
		return "" // the host is recognized only by its program
	}
	dir, err := StateDir(env)
	if h.Note == "" || err == nil && !h.Gone && filepath.Dir(h.Note) == dir.Path(liveagents.Folder) {
		return "\nTo list the running agents, run checkrein status"
	}
	s := Screen(env, env.Stderr)
	out := fmt.Sprintf("\nIts last hook call, %s, is noted in %s", s.FormatClock(h.LastCall), visible.EscapeLine(h.Note))
	if h.Gone {
		out += " and counts until " + s.FormatClock(h.CountsUntil())
	}
	return out
}

// leftToAgents reports whether the user left the command to agents. If not, other is a phrase about
// what would do so, or "".
func leftToAgents(env *console.Env, how PersonRule, dir state.Dir, of *liveagents.Host) (left bool, other string) {
	if how != ByHandOrLeft {
		return false, ""
	}
	left, asked, counts := selfApproves(env, dir, of)
	switch {
	case asked && !counts:
		return left, ". " + SelfApproveHeld
	case asked:
		return left, ". self_approve: true in your own checkrein.yaml does not count here, because it is unknown which files this agent started with"
	}
	return left, ", or set self_approve: true in your own checkrein.yaml"
}

// SelfApproveHeld explains why self_approve is not in force although the user's file has it.
const SelfApproveHeld = "self_approve: true in your own checkrein.yaml does not count yet, because it appeared while an agent was running: to apply it, run checkrein confirm in your own terminal"

// OwnTerminal is the remedy for commands that are reserved for people.
const OwnTerminal = "A person must decide this: run the command in your own terminal"

// maybeAgentError returns an error that an agent may be running this command, because of err.
func maybeAgentError(env *console.Env, err error) error { return maybeAgentErrorOr(env, err, "") }

// maybeAgentErrorOr is maybeAgentError with the additional remedy other.
func maybeAgentErrorOr(env *console.Env, err error, other string) error {
	var d *person.Doubt
	if errors.As(err, &d) {
		other += forgetRemedy(&d.Host) + describeNote(env, &d.Host)
	}
	return AsRefusal(fmt.Errorf("an agent may be running this command: %s. "+OwnTerminal+"%s", visible.EscapeLine(err.Error()), other))
}

// liveHosts returns the hosts that are alive according to the notes in the state directories. If these
// may be hidden from this process, it also reads them as the ancestor processes see them. It returns
// an error if it cannot tell.
func liveHosts(dirs []state.Dir, homes ...string) ([]liveagents.Host, error) {
	var hosts []liveagents.Host
	roots, blind := process.AncestorRoots()
	narrow := blind || process.MayBeInContainer()
	for i, d := range dirs {
		// The files that the command changes must be in the same file system as the notes.
		if err := person.CheckUncovered(d.Path(), narrow, liveagents.Folder); err != nil {
			return nil, fmt.Errorf("%w, and checkrein cannot tell who did that", err)
		}
		looks := []state.Dir{d}
		for _, root := range roots {
			looks = append(looks, ledger.SealedDir(state.NewDir(root+d.Path())))
		}
		for j, look := range looks {
			living, far, err := liveagents.RecentHosts(look)
			if err != nil && i+j == 0 {
				return nil, err
			}
			if len(far) > 0 {
				return nil, fmt.Errorf("this process is isolated from %s (process %d elsewhere), which called a hook within the last two hours", far[0].Name, far[0].PID)
			}
			hosts = append(hosts, living...)
		}
		// A container may have its own state directory on a volume, but not the account's as well.
		if (blind || narrow && i > 0) && person.IsMountedOver(d.Path(), homes...) {
			return nil, fmt.Errorf("%s is hidden by another file system mounted over it, and checkrein cannot tell who mounted it", d.Path())
		}
	}
	if blind && len(hosts) == 0 {
		if name := person.HostAncestor(host.Names()); name != "" {
			return nil, fmt.Errorf("%s is a parent of this process, but the two see different files", name)
		}
	}
	return hosts, nil
}

// AccountHome returns the home directory of the account that runs this process, whatever HOME is.
func AccountHome(env *console.Env) string {
	if env.Account != "" {
		return env.Account
	}
	return userdirs.AccountHome()
}

// AccountStates returns the state directories of the account with this home directory, whatever
// environment variables are set: the noted one and the default.
func AccountStates(home string) []string {
	if home == "" {
		return nil
	}
	_, noted, _ := userdirs.ReadNote(home)
	usual, _ := state.DefaultPath(func(name string) string {
		return map[string]string{"HOME": home}[name]
	})
	return []string{noted, usual}
}

// AncestorStates returns the state directories that the environments of the ancestor processes at
// their start lead to.
func AncestorStates() []string {
	var out []string
	ancestors, _ := process.Ancestors()
	for _, id := range ancestors {
		if path, hidden, err := stateDirOfProcess(id.PID); !hidden && err == nil {
			out = append(out, path)
		}
	}
	return out
}

// AppendDirs appends the directories at paths to dirs, except those that dirs contains.
func AppendDirs(dirs []state.Dir, paths []string) []state.Dir {
	for _, path := range paths {
		if path != "" && !slices.ContainsFunc(dirs, func(d state.Dir) bool { return d.Path() == filepath.Clean(path) }) {
			dirs = append(dirs, ledger.SealedDir(state.NewDir(path)))
		}
	}
	return dirs
}

// selfApproves reports whether the user's or the administrator's files let agents approve hooks, and
// did so before the agent of started. asked reports whether a file has the setting, and counts whether
// it is in force rather than held back. If this process sees other files than the host, or the host's
// files are unknown, the setting does not count, because an agent may have written the files.
func selfApproves(env *console.Env, dir state.Dir, of *liveagents.Host) (left, asked, counts bool) {
	own := process.NamespacesOf(os.Getpid())
	if of.Spaces.Mount != "" && of.Spaces.Mount != own.Mount || of.Spaces.User != "" && of.Spaces.User != own.User {
		return false, false, false
	}
	user := of.Config
	if user == "" {
		user = Places(env).Config
	}
	managed := env.Managed
	if managed == "" {
		managed = config.ManagedDir()
	}
	c := config.Load(config.Options{User: user, Managed: managed, Dialect: dialect.Detect})
	var files []string
	for _, f := range c.Files {
		if f.Scope == checkrein.ScopeUser {
			files = append(files, f.Path)
		}
	}
	asked = c.Settings.SelfApprove
	loosening.Settle(loosening.Case{State: dir, Settings: &c.Settings, Managed: c.Managed, Files: files, Peek: true})
	counts = c.Settings.SelfApprove
	return counts && (of.Config != "" || c.Managed.SelfApprove), asked, counts
}
