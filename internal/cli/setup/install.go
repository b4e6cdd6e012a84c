// Package setup holds the commands install, uninstall, init and git, which make agents and git call
// checkrein.
package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// installFlags holds the flags of the install and uninstall commands.
type installFlags struct {
	all, dryRun, force bool
	shadow, verbose    bool
	system, lines      bool
	scope, program     string
	walls              bool
	events             []string
}

// InstallCommand returns the install command.
func InstallCommand(env *console.Env) *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use: "install AGENT…", Short: "Make an agent ask checkrein about every event",
		Long: `install adds checkrein to an agent's configuration. Everything else in the file stays
unchanged, --dry-run and -v show the change, and uninstall removes it again. The default
guards are on at once: nothing else has to be configured.

Agents: ` + strings.Join(host.Names(), ", "),
		RunE: func(_ *cobra.Command, args []string) error { return runInstall(env, &f, args, false) },
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.events, "event", nil, "also add a hook for this `EVENT` (the agent's name for it)")
	cmd.Flags().BoolVar(&f.shadow, "shadow", false, "for a week, only record what would be decided, and enforce nothing (writes shadow: to your checkrein.yaml)")
	cmd.Flags().BoolVar(&f.walls, "walls", false, "also have the agent start its commands through checkrein-shell, which contains those that checkrein does not understand (see checkrein walls)")
	cmd.Flags().StringVar(&f.program, "program", "", "the `PATH` of the checkrein program that the agent will call")
	return cmd
}

// UninstallCommand returns the uninstall command.
func UninstallCommand(env *console.Env) *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use: "uninstall AGENT…", Short: "Remove checkrein from an agent's configuration",
		RunE: func(_ *cobra.Command, args []string) error { return runInstall(env, &f, args, true) },
	}
	f.register(cmd)
	return cmd
}

// register adds the flags to cmd.
func (f *installFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.all, "all", false, "apply to every agent found on this machine")
	cmd.Flags().StringVar(&f.scope, "scope", "user", "the `SCOPE`: user (for you, everywhere), project (for this project only) or machine (for all users, as root)")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, write nothing")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show the changes to every file")
	cmd.Flags().BoolVar(&f.force, "force", false, "proceed even where checkrein would normally refuse")
	cmd.Flags().BoolVar(&f.system, "system", false, "keep checkrein's programs in "+cmp.Or(install.SystemDir(), "a directory (this system has none)")+" that only root can change")
	cmd.Flags().BoolVar(&f.lines, "lines", false, "with --system: change only the command lines of your agents")
	_ = cmd.Flags().MarkHidden("lines") // fails only for an unknown flag
}

// runInstall installs checkrein in the agent that args names, or in all agents with --all. If undo is
// set, it uninstalls it.
func runInstall(env *console.Env, f *installFlags, args []string, undo bool) error {
	if f.system {
		return runSystem(env, f, args, undo)
	}
	o := install.Options{Scope: install.Scope(f.scope), Events: f.events, Force: f.force}
	if o.Scope != install.User && o.Scope != install.Project && o.Scope != install.Managed {
		return fmt.Errorf("--scope must be user, project or machine, not %q", f.scope)
	}
	if f.all == (len(args) > 0) {
		return fmt.Errorf("name an agent, or use --all. Known agents: %s", strings.Join(host.Names(), ", "))
	}
	m, err := base.Machine(env)
	if err != nil {
		return err
	}
	// Even an install needs a person, because naming another program or other directories
	// removes checkrein as well, and a copy of this program names itself.
	if !f.dryRun {
		how := base.ByHand
		if undo || f.shadow {
			how = base.BySwitch
		}
		if err := base.RequirePerson(env, how); err != nil {
			return err
		}
	}
	switch {
	case o.Scope == install.Managed:
		if m, err = managedMachine(env, f); err != nil {
			return err
		}
	case !undo:
		if err := checkPins(env, m); err != nil {
			return err
		}
	}
	program := f.program
	if program != "" {
		program = env.Path(program)
	}
	warning, err := m.FindProgram(env.Program, program)
	if err != nil && !undo {
		return &base.Exit{Code: console.Refused, Err: err}
	}
	if o.Scope == install.Managed && !undo {
		if err := install.CheckRootOnly(filepath.Dir(m.Program)); err != nil {
			return base.AsRefusal(fmt.Errorf("all users' agents would start %s, so only root may change it: put the programs there with checkrein install --system (%w)", m.Program, err))
		}
	}
	if warning != "" && !undo {
		fmt.Fprintln(env.Stderr, "warning:", warning)
	}
	if f.shadow {
		if err := writeShadow(env, f.dryRun); err != nil {
			return err
		}
	}
	if len(args) == 1 {
		did, err := installOne(env, m, f, args[0], o, undo)
		switch {
		case err != nil || !did || f.dryRun:
		case undo:
			printKept(env, m)
		default:
			printNext(env, args[0], f.shadow)
		}
		return withExitCode(err)
	}
	return installAll(env, m, f, args, o, undo)
}

// managedMachine returns the machine for the scope of all users, which only root may change.
func managedMachine(env *console.Env, f *installFlags) (*install.Machine, error) {
	m := base.ManagedMachine(env)
	switch {
	case f.walls || f.shadow:
		return nil, errors.New("--walls and --shadow are for a user's own settings, not for --scope machine")
	case f.dryRun:
		return m, nil
	case os.Geteuid() != 0:
		return nil, base.AsRefusal(errors.New("only root may change the agents of all users: run it with sudo"))
	}
	return m, base.AsFailure(os.MkdirAll(m.State.Path(), 0o755))
}

// installAll installs or uninstalls checkrein in the named agents or, with --all, in those that are
// present. If one fails, it goes on with the others.
func installAll(env *console.Env, m *install.Machine, f *installFlags, names []string, o install.Options, undo bool) error {
	switch {
	case !f.all:
		for _, name := range names { // before any of them is changed
			if _, err := m.Status(name); errors.Is(err, install.ErrUnknownHost) {
				return err
			}
		}
	case o.Scope == install.Managed: // users may add them later
		names = m.ManagedHosts()
	case undo:
		names = m.HostNames()
	default:
		names = m.PresentHosts()
	}
	any, refusals := false, 0
	for _, name := range names {
		did, err := installOne(env, m, f, name, o, undo)
		switch {
		case f.all && (errors.Is(err, install.ErrNoPlace) || errors.Is(err, install.ErrNoScope)):
			if !undo {
				fmt.Fprintf(env.Stderr, "%s: skipped: %v\n", name, err)
			}
		case err != nil:
			fmt.Fprintf(env.Stderr, "checkrein: %s: %v\n", name, err)
			refusals++
		}
		any = any || did
	}
	switch {
	case refusals > 0:
		return &base.Exit{Code: console.Refused, Err: fmt.Errorf("%d agents failed", refusals), Quiet: true}
	case undo && !any:
		if f.all {
			fmt.Fprintln(env.Stdout, "nothing is installed")
		}
	case !undo && len(names) == 0:
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("no agent was found on this machine: name one of %s", strings.Join(m.HostNames(), ", "))}
	case f.dryRun:
	case undo:
		printKept(env, m)
	case any:
		printNext(env, "", f.shadow)
	}
	return nil
}

// installOne installs or uninstalls checkrein in the host name. It reports whether the host has
// checkrein's hooks now or, for an uninstall, had them.
func installOne(env *console.Env, m *install.Machine, f *installFlags, name string, o install.Options, undo bool) (bool, error) {
	do := m.PlanInstall
	switch {
	case undo:
		do = m.PlanUninstall
	case f.walls && f.dryRun:
		m.Walls = true
	case f.walls:
		if err := m.SetUpWalls(name, env.Program); err != nil {
			return false, err
		}
	}
	p, err := do(name, o)
	if err != nil {
		return false, err
	}
	if p.Print != "" {
		fmt.Fprintf(env.Stderr, "%s has no configuration file that checkrein can edit. Add this to it yourself:\n", p.Title)
		io.WriteString(env.Stdout, p.Print)
		return false, nil
	}
	if undo && len(p.Changes) == 0 {
		if !f.all {
			fmt.Fprintf(env.Stdout, "%s: nothing is installed for scope %s\n", p.Title, p.Scope)
		}
		if f.dryRun {
			return false, nil
		}
		return false, m.Apply(p)
	}
	if text := p.Diff(); text != "" && (f.dryRun || f.verbose) { // by default, long diffs would hide what the user must do
		base.Screen(env, env.Stdout).Diff("", []byte(text))
	}
	if !f.dryRun {
		if err := m.Apply(p); err != nil {
			return false, err
		}
		if err := noteDirs(m, undo); err != nil {
			fmt.Fprintf(env.Stderr, "warning: checkrein could not save which directories older hook entries and git hooks use: %v\n", err)
		}
		if undo {
			if err := m.RemoveWalls(name); err != nil {
				fmt.Fprintf(env.Stderr, "warning: checkrein still expects that %s starts commands through checkrein-shell: %v\n", p.Title, err)
			}
		} else {
			if err := m.NoteHostProgram(name); err != nil {
				fmt.Fprintf(env.Stderr, "warning: checkrein will not notice when %s is updated: %v\n", p.Title, err)
			}
		}
	}
	printPlan(env, p, f.dryRun, undo)
	return true, nil
}

// printPlan prints which files were changed, or would be, with warnings and notes.
func printPlan(env *console.Env, p *install.Plan, dryRun, undo bool) {
	for _, w := range p.Warnings {
		fmt.Fprintln(env.Stderr, "warning:", w)
	}
	for _, n := range p.Notes {
		fmt.Fprintln(env.Stdout, "note:", n)
	}
	files := make([]string, len(p.Changes))
	for i, c := range p.Changes {
		files[i] = c.Path
	}
	switch list := strings.Join(files, ", "); {
	case dryRun:
		fmt.Fprintf(env.Stdout, "%s: nothing was written (--dry-run); %s would change\n", p.Title, orNothing(list))
	case undo:
		fmt.Fprintf(env.Stdout, "%s: removed from %s\n", p.Title, list)
	case len(files) == 0:
		fmt.Fprintf(env.Stdout, "%s: already installed in %s (%s)\n", p.Title, strings.Join(p.Files, ", "), term.FormatCount(len(p.Events), "event"))
	default:
		fmt.Fprintf(env.Stdout, "%s: installed in %s (%s)\n", p.Title, strings.Join(p.Files, ", "), term.FormatCount(len(p.Events), "event"))
	}
	if !dryRun && !undo {
		for _, a := range p.After {
			fmt.Fprintln(env.Stdout, "note:", a)
		}
	}
}

// orNothing returns s, or "nothing" if s is "".
func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// printNext prints which guards are on now, and what the user can do next.
func printNext(env *console.Env, name string, shadow bool) {
	if name != "" {
		name = " " + name
	}
	fmt.Fprintln(env.Stdout)
	switch k, err := base.OpenKit(env, app.Options{}); {
	case shadow: // writeShadow has printed which guards are on
	case err == nil && !k.IsOn():
		fmt.Fprintln(env.Stdout, "hooks are switched off: checkrein hooks on")
	case err == nil && k.Guards().Shadow != "":
		guards := k.Guards()
		for _, m := range (&app.Guards{Shadow: guards.Shadow, Paused: guards.Paused}).Messages() {
			fmt.Fprintln(env.Stdout, m.Sentences())
		}
	default:
		fmt.Fprint(env.Stdout, "All guard packs are on from the next event, unless packs: in your checkrein.yaml changes\nthat. Nothing else has to be configured.\n")
	}
	fmt.Fprintf(env.Stdout, `  checkrein watch           watch what happens, and answer what was blocked
  checkrein open            the same in your browser
  checkrein init            write a file for your own hooks
  checkrein git install     in a repository: scan commits and pushes for secrets
  checkrein status%[1]s
  checkrein uninstall%[2]s
`, name, orAll(name))
}

// printKept prints which of checkrein's directories an uninstall keeps, and how to remove them.
func printKept(env *console.Env, m *install.Machine) {
	places := base.Places(env)
	s := base.Screen(env, env.Stdout)
	var left, paths []string
	for _, one := range [...]struct{ path, what string }{{places.Config, "your settings"}, {places.State, "the ledger, approvals and grants"}} {
		if one.path != "" && base.FileExists(one.path) {
			left, paths = append(left, s.ShortPath(one.path)+" ("+one.what+")"), append(paths, approval.ShellQuote(one.path))
		}
	}
	if len(left) == 0 {
		return
	}
	for _, name := range m.HostNames() {
		if r, err := m.Status(name); err == nil && len(r.Installed) > 0 {
			s.Text(0, 2, term.P("Kept, because other agents still ask checkrein: "+strings.Join(left, ", ")))
			return
		}
	}
	s.Text(0, 2, term.P("Kept: "+strings.Join(left, ", ")+". To remove this too: "), term.Command("rm -r "+strings.Join(paths, " ")))
}

// orAll returns name, or " --all" if name is "".
func orAll(name string) string {
	if name == "" {
		return " --all"
	}
	return name
}

// withExitCode returns an error of package install with the exit code for a refusal, unless it has
// another one or names an unknown host.
func withExitCode(err error) error {
	var e *base.Exit
	switch {
	case err == nil, errors.As(err, &e), errors.Is(err, install.ErrUnknownHost):
		return err
	}
	return base.AsRefusal(err)
}

// checkPins returns an error if checkrein would not accept the directories to pin as the user's. It
// prints a warning if it would not accept them in the current project.
func checkPins(env *console.Env, m *install.Machine) error {
	if _, err := base.UserDir(env); err != nil {
		return err
	}
	for _, dir := range []string{m.Config, m.State.Path()} {
		if err := userdirs.CheckDir(dir); err != nil {
			return base.AsRefusal(fmt.Errorf("%s: %w", dir, err))
		}
		if err := userdirs.CheckDir(dir, m.Project); err != nil {
			fmt.Fprintf(env.Stderr, "warning: the directory %s is not safe: %v\n", dir, err)
		}
	}
	return nil
}

// noteDirs saves where the user's directories are, for calls that do not name them: those of older
// installations and of git hooks. If undo is set, it removes the note once no host is installed.
func noteDirs(m *install.Machine, undo bool) error {
	if !undo {
		return userdirs.WriteNote(m.Home, m.Config, m.State.Path())
	}
	if _, dir, ok := userdirs.ReadNote(m.Home); !ok || dir != m.State.Path() {
		return nil
	}
	if any, err := m.HasRecords(); any || err != nil {
		return err
	}
	return userdirs.RemoveNote(m.Home)
}
