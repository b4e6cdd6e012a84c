package setup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// An owner is the user whose agents are to call the system-wide programs.
type owner struct {
	uid, gid int
	home     string
}

// runSystem copies checkrein's programs to a directory that only root can change, and makes the user's
// agents call them. If undo is set, it removes the copies. Files in the user's home directory are
// changed by a second process, which has only the user's permissions.
func runSystem(env *console.Env, f *installFlags, args []string, undo bool) error {
	switch {
	case install.SystemDir() == "":
		return base.AsRefusal(errors.New("this system has no place for checkrein's programs that only an administrator may change: leave out --system"))
	case len(args) > 0 || f.all || f.program != "" || f.shadow || f.scope != string(install.User) || len(f.events) > 0:
		return errors.New("--system takes no agent name and cannot be combined with --all, --scope, --program, --shadow or --event: it moves checkrein's programs, and changes the command lines in all agents where checkrein is installed for you")
	case f.lines:
		return useSystemPrograms(env, f, undo)
	}
	who, err := callingUser(env)
	if err != nil {
		return base.AsRefusal(err)
	}
	if !f.dryRun {
		_, noted, _ := userdirs.ReadNote(who.home)
		also := []state.Dir{}
		if noted != "" {
			also = append(also, state.NewDir(noted))
		}
		if err := base.RequirePerson(env, base.ByHand, also...); err != nil {
			return err
		}
		if os.Geteuid() != 0 {
			return base.AsRefusal(fmt.Errorf("only root may change %s. Run: %s", install.SystemDir(), base.SudoLine(env, undo)))
		}
	}
	if undo {
		return removeSystem(env, f, who)
	}
	return installSystem(env, f, who)
}

// callingUser returns the user who runs the command, even with sudo.
func callingUser(env *console.Env) (owner, error) {
	uid := strconv.Itoa(os.Getuid())
	sudo := base.Getenv(env)("SUDO_UID")
	if os.Geteuid() == 0 && sudo != "" {
		uid = sudo
	}
	u, err := user.LookupId(uid)
	if err != nil {
		return owner{}, fmt.Errorf("no account found for user ID %s (%w): run the command as a user who has an account on this machine", uid, err)
	}
	if name := base.Getenv(env)("SUDO_USER"); uid == sudo && name != u.Username {
		return owner{}, fmt.Errorf("SUDO_USER is %s, but user %s is %s: run the command with sudo", visible.EscapeLine(name), uid, u.Username)
	}
	who := owner{home: u.HomeDir}
	if who.uid, err = strconv.Atoi(u.Uid); err == nil {
		who.gid, err = strconv.Atoi(u.Gid)
	}
	if err == nil && !filepath.IsAbs(who.home) {
		err = fmt.Errorf("user %s has no home directory: run the command from an account with one", uid)
	}
	return who, err
}

// installSystem copies the programs to the system's directory, and updates the command lines of
// agents.
func installSystem(env *console.Env, f *installFlags, who owner) error {
	from := filepath.Dir(base.HotProgram(env))
	move, err := install.PlanSystem(from, who.uid)
	if err != nil {
		return base.AsRefusal(err)
	}
	switch {
	case move.Empty():
		fmt.Fprintf(env.Stdout, "checkrein's programs are already in %s\n", install.SystemDir())
	case f.dryRun:
		for _, path := range move.Programs {
			fmt.Fprintf(env.Stdout, "%s would be copied to %s\n", path, install.SystemDir())
		}
		if move.Link {
			fmt.Fprintf(env.Stdout, "%s would be a symlink to %s\n", install.SystemLink, install.SystemProgram())
		}
	default:
		if err := move.Apply(who.uid); err != nil {
			return base.AsRefusal(err)
		}
		fmt.Fprintf(env.Stdout, "checkrein's programs are in %s now\n", install.SystemDir())
	}
	if err := updateLines(env, f, who, "install"); err != nil {
		return err
	}
	if from != install.SystemDir() && !f.dryRun {
		fmt.Fprintf(env.Stdout, "note: the programs in %s stay, because projects' files and hooks that an agent does not trust yet may name them. When checkrein doctor finds no such file, remove them: rm %s\n", from,
			approval.ShellQuote(filepath.Join(from, "checkrein"))+" "+approval.ShellQuote(filepath.Join(from, "checkreind")))
	}
	return nil
}

// removeSystem removes the programs from the system's directory. It returns an error if agents still
// call them.
func removeSystem(env *console.Env, f *installFlags, who owner) error {
	if err := updateLines(env, f, who, "uninstall"); err != nil {
		return err
	}
	move := install.PlanSystemRemoval()
	switch {
	case move.Empty():
		fmt.Fprintf(env.Stdout, "checkrein's programs are not in %s\n", install.SystemDir())
	case f.dryRun:
		fmt.Fprintf(env.Stdout, "%s would be removed\n", strings.Join(move.Paths(), ", "))
	default:
		if err := move.Remove(); err != nil {
			return base.AsRefusal(err)
		}
		fmt.Fprintf(env.Stdout, "%s: removed\n", strings.Join(move.Paths(), ", "))
	}
	return nil
}

// updateLines updates the command lines of agents in the home directory of who, with that user's
// permissions. verb is install or uninstall.
func updateLines(env *console.Env, f *installFlags, who owner, verb string) error {
	if who.uid == os.Geteuid() {
		return useSystemPrograms(env, f, verb == "uninstall")
	}
	argv := []string{verb, "--system", "--lines"}
	if f.dryRun {
		argv = append(argv, "--dry-run")
	}
	if f.verbose {
		argv = append(argv, "--verbose")
	}
	program := install.SystemProgram()
	if f.dryRun {
		program = base.HotProgram(env)
	}
	cmd := exec.Command(program, argv...)
	cmd.Dir, cmd.Env = who.home, base.AccountEnviron(env, who.home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stdout, env.Stderr
	base.RunAs(cmd, who.uid, who.gid)
	err := cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return &base.Exit{Code: failed.ExitCode(), Err: err, Quiet: true}
	}
	return err
}

// useSystemPrograms makes all agents that are installed for the user call the system-wide programs. If
// undo is set, it instead returns an error if some of them still do.
func useSystemPrograms(env *console.Env, f *installFlags, undo bool) error {
	m, err := base.Machine(env)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := base.RequirePerson(env, base.ByHand); err != nil {
			return err
		}
	}
	m.Program = install.SystemProgram()
	hosts, programs, err := m.InstalledHosts()
	if err != nil {
		return base.AsRefusal(err)
	}
	if undo {
		var calling []string
		for _, name := range hosts {
			if programs[name] == m.Program {
				calling = append(calling, name)
			}
		}
		if len(calling) > 0 {
			return base.AsRefusal(fmt.Errorf("some agents still call %s: %s. First run checkrein uninstall --all, or checkrein install --all --program PATH with other programs", m.Program, strings.Join(calling, ", ")))
		}
		return nil
	}
	failures := 0
	for _, name := range hosts {
		if _, err := installOne(env, m, f, name, install.Options{Scope: install.User}, false); err != nil {
			fmt.Fprintf(env.Stderr, "checkrein: %s: %v\n", name, err)
			failures++
		}
	}
	if !f.dryRun {
		if err := githook.UpdateProgram(m.State, m.Program); err != nil {
			fmt.Fprintf(env.Stderr, "checkrein: git hooks: %v\n", err)
			failures++
		}
	}
	if failures > 0 {
		return &base.Exit{Code: console.Refused, Err: fmt.Errorf("%d of %d agents still call the old programs", failures, len(hosts)), Quiet: true}
	}
	return nil
}
