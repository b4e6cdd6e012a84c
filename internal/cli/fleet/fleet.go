// Package fleet is the command fleet: a machine joins and leaves a fleet, and its administrator sees and
// changes the fleet.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/spf13/cobra"
)

// Command returns the fleet command.
func Command(env *console.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "fleet", Short: "One policy for many machines, and all records in one place",
		Long: `A fleet is the machines that share one policy. A hub, the program checkrein-hub, gives them signed
bundles of policies, and stores and verifies their records. A service on each machine talks to it; hooks only
read files, so they work without the hub.`,
	}
	cmd.AddCommand(joinCommand(env), leaveCommand(env), statusCommand(env), loginCommand(env), tokenCommand(env), machinesCommand(env), revokeCommand(env), recordsCommand(env),
		keysCommand(env), pushCommand(env), rolloutCommand(env), diffCommand(env), freezeCommand(env), exportCommand(env), applyCommand(env),
		approvalsCommand(env), answerCommand(env, grant.AnswerAllow), answerCommand(env, grant.AnswerDeny))
	return cmd
}

// AgentCommand returns the fleet-agent command, which a service of the system runs.
func AgentCommand(env *console.Env) *cobra.Command {
	var advisory bool
	cmd := &cobra.Command{
		Use: "fleet-agent", Short: "Run the service of a machine in a fleet", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := machine.Load(dir(env, advisory))
			if err != nil {
				return base.AsFailure(err)
			}
			a := machine.Agent{Enrollment: e, Log: slog.New(slog.NewTextHandler(env.Stderr, nil))}
			a.Wiring = func(ctx context.Context) protocol.Wiring { return checkWiring(ctx, env, advisory) }
			a.Answer = func(ctx context.Context, user string, answers []protocol.SignedAnswer) (protocol.Pending, error) {
				return passAnswers(ctx, env, advisory, user, answers)
			}
			if a.Program = base.HotProgram(env); advisory {
				a.Program, a.Ledgers = "", func() ([]machine.Ledger, error) { return ownLedger(env) }
			}
			if err := a.Run(cmd.Context()); !errors.Is(err, context.Canceled) {
				return base.AsFailure(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&advisory, "advisory", false, "serve the enrollment of this user only")
	return cmd
}

// dir returns the directory of the enrollment: root's, or this user's for an advisory one.
func dir(env *console.Env, advisory bool) string {
	if advisory {
		return filepath.Join(base.Places(env).Config, "fleet")
	}
	if env.Managed != "" {
		return filepath.Join(env.Managed, "fleet")
	}
	return machine.Dir()
}

// ownLedger returns the ledger of this user, if there is one.
func ownLedger(env *console.Env) ([]machine.Ledger, error) {
	at, err := base.StateDir(env)
	if err != nil {
		return nil, err
	}
	l := machine.Ledger{Dir: at.Path("ledger"), User: base.PersonName()}
	if !base.FileExists(filepath.Join(l.Dir, ledger.KeyFile)) {
		return nil, nil
	}
	return []machine.Ledger{l}, nil
}

// joinCommand returns the fleet join command.
func joinCommand(env *console.Env) *cobra.Command {
	o := machine.JoinOptions{}
	var token, tokenFile string
	cmd := &cobra.Command{
		Use: "join URL", Short: "Make this machine part of a fleet",
		Long: `Make this machine part of a fleet. Run it as root: the service that talks to the hub then owns the policy
and the machine's key, and agents cannot change them. Without root, --advisory joins for your own account
only; your agents can change what such a machine reports and does.`,
		Example: `  sudo checkrein fleet join https://hub.example.com --token crf_…
  checkrein fleet join https://hub.example.com --token-file token --advisory`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := base.RequirePerson(env, base.ByHand); err != nil {
				return err
			}
			if os.Geteuid() != 0 && !o.Advisory {
				return base.AsRefusal(errors.New("joining a fleet needs root: run it with sudo, or add --advisory to join for your account only"))
			}
			if tokenFile != "" {
				data, err := base.ReadInput(env, tokenFile)
				if err != nil {
					return base.AsFailure(err)
				}
				token = string(data)
			}
			if token == "" {
				return errors.New("a join token is needed: --token TOKEN, or --token-file FILE")
			}
			var err error
			if o.Token, err = machine.ParseToken(token); err != nil {
				return err
			}
			o.URL, o.Dir = args[0], dir(env, o.Advisory)
			if o.CA != "" {
				o.CA = env.Path(o.CA)
			}
			e, err := machine.Join(cmd.Context(), o)
			if err != nil {
				return base.AsFailure(err)
			}
			fmt.Fprintf(env.Stdout, "This machine, %s (%s), is part of the fleet %s.\n", e.Name, e.Machine, e.Fleet)
			return startService(env, e)
		},
	}
	f := cmd.Flags()
	f.StringVar(&token, "token", "", "the join token that the fleet's administrator gave you")
	f.StringVar(&tokenFile, "token-file", "", "read the token from `FILE`; - is the standard input")
	f.StringVar(&o.CA, "ca", "", "`FILE` with the certificate of the hub's authority, if the system does not know it")
	f.StringVar(&o.Proxy, "proxy", "", "reach the hub through the proxy at this `URL`, also from the service (default: that of the environment)")
	f.StringVar(&o.Name, "name", "", "the machine's name (default: its host name)")
	f.BoolVar(&o.Advisory, "advisory", false, "join for this account only, without root")
	return cmd
}

// leaveCommand returns the fleet leave command.
func leaveCommand(env *console.Env) *cobra.Command {
	var force, advisory bool
	cmd := &cobra.Command{
		Use: "leave", Short: "Take this machine out of its fleet, and say what stays",
		Example: `  sudo checkrein fleet leave`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := base.RequirePerson(env, base.ByHand); err != nil {
				return err
			}
			e, err := load(env, &advisory)
			if err != nil {
				return err
			}
			was := e.Status()
			stopService(env, e)
			if err := e.Leave(cmd.Context(), force); err != nil {
				return base.AsFailure(fmt.Errorf("%w; --force leaves without informing it", err))
			}
			fmt.Fprintf(env.Stdout, "This machine has left the fleet %s. Its key is removed. What stays:\n", e.Fleet)
			printRest(env, e, &was)
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "leave even if the hub cannot be reached")
	cmd.Flags().BoolVar(&advisory, "advisory", false, "leave the fleet that this account joined")
	return cmd
}

// printRest prints what stays of a machine that has left its fleet.
func printRest(env *console.Env, e *machine.Enrollment, was *machine.Status) {
	if was.Bundle != "" {
		fmt.Fprintf(env.Stdout, "bundle    %s, which is enforced until you remove %s\n", was.Bundle, e.Dir())
	}
	if env.Now().Before(was.Frozen) {
		fmt.Fprintf(env.Stdout, "FROZEN    all tools are denied until %s\n", was.Frozen.In(base.Zone(env)).Format(time.DateTime))
	}
	var wired []string
	for i := range was.Agents {
		if a := &was.Agents[i]; a.User == "" && a.Wired {
			wired = append(wired, a.Agent)
		}
	}
	if len(wired) > 0 {
		fmt.Fprintf(env.Stdout, "wiring    %s, for all users, until checkrein uninstall --all --scope machine\n", strings.Join(wired, ", "))
	}
	for _, l := range was.Ledgers {
		fmt.Fprintf(env.Stdout, "ledger    %s, of %s\n", l.Dir, l.User)
	}
	fmt.Fprintln(env.Stdout, "hub       the records that it uploaded, and an entry that it left")
}

// load returns the enrollment of the machine, or else that of this user.
func load(env *console.Env, advisory *bool) (*machine.Enrollment, error) {
	e, err := machine.Load(dir(env, *advisory))
	if errors.Is(err, machine.ErrNotEnrolled) && !*advisory {
		*advisory = true
		e, err = machine.Load(dir(env, true))
	}
	if errors.Is(err, machine.ErrNotEnrolled) {
		return nil, &base.Exit{Code: console.Finding, Err: errors.New("this machine belongs to no fleet: join one with checkrein fleet join")}
	}
	return e, base.AsFailure(err)
}

// statusCommand returns the fleet status command.
func statusCommand(env *console.Env) *cobra.Command {
	var asJSON, advisory bool
	cmd := &cobra.Command{
		Use: "status", Short: "Show the fleet of this machine: bundle, age, and what is uploaded",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := load(env, &advisory)
			if s, ok := machine.FilesStatus(dir(env, false)); err != nil && ok {
				return printFilesStatus(env, &s, asJSON)
			}
			if err != nil {
				return err
			}
			s := e.Status()
			if asJSON {
				return base.PrintJSON(env, s)
			}
			kind := ""
			if e.Advisory {
				kind = ", advisory: its users can change what it reports and does"
			}
			fmt.Fprintf(env.Stdout, "fleet     %s at %s%s\nmachine   %s (%s), joined %s\n", e.Fleet, e.URL, kind, e.Name, e.Machine, e.Joined.In(base.Zone(env)).Format(time.DateOnly))
			printPolicy(env, e.URL, &s, e.Advisory)
			for _, l := range s.Ledgers {
				fmt.Fprintf(env.Stdout, "uploaded  %s: up to record %d\n", l.User, l.Seq)
			}
			for i := range s.Agents {
				if a := &s.Agents[i]; a.Vanished {
					fmt.Fprintf(env.Stdout, "wiring    %s no longer calls checkrein\n", a)
				}
			}
			if s.Contact.IsZero() {
				fmt.Fprintln(env.Stdout, "contact   never: is the service running?")
			} else {
				fmt.Fprintf(env.Stdout, "contact   %s\n", s.Contact.In(base.Zone(env)).Format(time.DateTime))
			}
			if s.Problem != "" {
				fmt.Fprintf(env.Stdout, "problem   %s\n", base.OneLine(s.Problem))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&advisory, "advisory", false, "show the fleet that this account joined")
	return cmd
}

// printFilesStatus prints the status of a machine that gets its bundle as files.
func printFilesStatus(env *console.Env, s *machine.Status, asJSON bool) error {
	if asJSON {
		return base.PrintJSON(env, s)
	}
	fmt.Fprintln(env.Stdout, "fleet     files, by checkrein fleet apply")
	printPolicy(env, "files", s, false)
	return nil
}

// printPolicy prints which bundle the machine runs, and what is wrong with that. A machine that is
// advisory tries no bundles.
func printPolicy(env *console.Env, from string, s *machine.Status, advisory bool) {
	if s.Bundle == "" {
		fmt.Fprintln(env.Stdout, "bundle    none yet")
	} else {
		fmt.Fprintf(env.Stdout, "bundle    %s, verified %s\n", s.Bundle, s.Checked.In(base.Zone(env)).Format(time.DateTime))
	}
	switch {
	case s.Trial != "" && advisory:
		fmt.Fprintf(env.Stdout, "shadow    %s: not tried here, because this machine is advisory\n", s.Trial)
	case s.Trial != "":
		fmt.Fprintf(env.Stdout, "shadow    %s\n", s.Trial)
	}
	if s.Refused != "" {
		fmt.Fprintf(env.Stdout, "refused   %s\n", s.Refused)
	}
	if !s.Expires.IsZero() && env.Now().After(s.Expires) {
		fmt.Fprintf(env.Stdout, "stale     nothing fresh came from %s since %s; the bundle stays active\n", from, s.Expires.In(base.Zone(env)).Format(time.DateTime))
	}
	if env.Now().Before(s.Frozen) {
		fmt.Fprintf(env.Stdout, "FROZEN    all tools are denied until %s\n", s.Frozen.In(base.Zone(env)).Format(time.DateTime))
	}
}
