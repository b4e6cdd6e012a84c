package blocked

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// PersonCommand returns the person command.
func PersonCommand(env *console.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "person", Short: "Correct which processes count as agents",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "forget PID", Short: "Stop counting a process as an agent",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil || pid <= 1 {
				return fmt.Errorf("%q is not a process number: give one that checkrein status lists", args[0])
			}
			return forgetHost(env, pid)
		},
	})
	return cmd
}

// A hostNote is the note about a host, and the state directory that contains it.
type hostNote struct {
	liveagents.Host
	dir state.Dir
}

// forgetHost removes the notes which say that the process pid is an agent, if the user confirms that
// it is not.
func forgetHost(env *console.Env, pid int) error {
	notes, err := findNotes(env, pid)
	if err != nil {
		return base.AsFailure(err)
	}
	ids := make([]process.ID, len(notes))
	for i := range notes {
		ids[i] = notes[i].ID
	}
	if err := base.RequirePersonExcept(env, base.AtTerminal, ids); err != nil {
		return err
	}
	if len(notes) == 0 {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("process %d does not count as an agent: to list those that do, run checkrein status", pid)}
	}
	if base.RequirePerson(env, base.AtTerminal) != nil {
		if i := slices.IndexFunc(notes, func(n hostNote) bool { return !n.mayBeWrong(env.Now()) }); i >= 0 {
			return base.AsRefusal(notes[i].keepReason())
		}
	}
	name := visible.EscapeLine(notes[0].Name)
	fmt.Fprintf(env.Stdout, "Process %d counts as an agent because it called hooks of %s. Once it no longer counts as one, commands that it starts can allow what was blocked.\n", pid, name)
	if !base.Confirm(env, "Stop counting it as an agent?") {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	for _, n := range notes {
		if err := liveagents.Forget(n.dir, n.ID); err != nil {
			return base.AsFailure(err)
		}
	}
	fmt.Fprintf(env.Stdout, "process %d no longer counts as an agent\n", pid)
	return nil
}

// findNotes returns the notes about the process pid in all state directories that RequirePerson
// checks.
func findNotes(env *console.Env, pid int) ([]hostNote, error) {
	dir, err := base.StateDir(env)
	if err != nil {
		return nil, err
	}
	var out []hostNote
	for i, d := range base.AppendDirs(base.AppendDirs([]state.Dir{dir}, base.AccountStates(base.AccountHome(env))), base.AncestorStates()) {
		hosts, _, err := liveagents.RecentHosts(d)
		if err != nil && i == 0 { // the other directories may belong to another user
			return nil, err
		}
		for _, h := range hosts {
			if h.PID == pid {
				out = append(out, hostNote{h, d})
			}
		}
	}
	return out, nil
}

// mayBeWrong reports whether the note may be removed although the command may run below the host. It
// may if the host is not a known agent and has called no hook recently: if an agent had started the
// command, it would have called one.
func (n *hostNote) mayBeWrong(now time.Time) bool {
	at, ok := liveagents.QuietAt(n.dir, n.ID)
	return ok && now.After(at) && !n.IsProvenAgent(hostfiles.IsAgent)
}

// keepReason returns an error that says why forget does not remove the note.
func (n *hostNote) keepReason() error {
	name := visible.EscapeLine(n.Name)
	if n.IsProvenAgent(hostfiles.IsAgent) {
		return fmt.Errorf("process %d is %s, and it may have opened this terminal. "+base.OwnTerminal, n.PID, name)
	}
	if _, ok := liveagents.QuietAt(n.dir, n.ID); !ok {
		return fmt.Errorf("the note of process %d is not as checkrein left it, and the process may have opened this terminal. "+base.OwnTerminal, n.PID)
	}
	return fmt.Errorf("process %d called hooks of %s in the last minute, and it may have opened this terminal. "+base.OwnTerminal+", or here in a minute if it calls no hook until then", n.PID, name)
}
