// Package hooks holds the commands hooks and match, which show the hooks, whether they may run, and
// what they match.
package hooks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/dialect/starchild"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/spf13/cobra"
)

// Command returns the hooks command, whose subcommands include others.
func Command(env *console.Env, others ...*cobra.Command) *cobra.Command {
	var at base.ProjectFlags
	var asJSON, verbose bool
	list := func(cmd *cobra.Command, _ []string) error {
		k, err := at.Open(env)
		if err != nil {
			return err
		}
		r, err := newListReport(cmd.Context(), env, k)
		if err != nil {
			return err
		}
		return r.report(env, verbose).Print(env, asJSON, r)
	}
	cmd := &cobra.Command{
		Use: "hooks", Short: "List hooks, approve them, switch them on or off",
		Long: "hooks alone is the same as hooks list.\n\n" + listHelp,
		Args: cobra.NoArgs, RunE: list,
	}
	listCmd := &cobra.Command{Use: "list", Short: "List hooks with their health and recent activity", Long: listHelp, Args: cobra.NoArgs, RunE: list,
		Example: "  checkrein hooks list\n  checkrein hooks list -c config/shell_hooks.yaml --json"}
	for _, c := range []*cobra.Command{cmd, listCmd} {
		at.Register(c)
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
		c.Flags().BoolVarP(&verbose, "verbose", "v", false, "also list the default guards, and show more about each hook")
	}
	cmd.AddCommand(listCmd, approveCommand(env), revokeCommand(env), switchCommand(env, true), switchCommand(env, false), disableCommand(env, true), disableCommand(env, false))
	cmd.AddCommand(append(others, base.HelpCommand())...)
	return cmd
}

// listHelp is the help of hooks and hooks list.
const listHelp = `The list has one line per hook, grouped by file: the events it runs on, when it last ran,
when it last acted (denied, asked, rewrote, added context or sent the agent back to
work), and whether it is approved. If a hook does not work, the line below it says why and how to
repair it. The guards that are on by default share one line. Hooks that git itself runs in
this project come last.

-v also lists the default guards, the files, and what each hook did when it last acted.

Recent activity is read from the ledger: its newest segments, up to 48 MiB in total. To find older runs, use checkrein audit query --hook NAME.`

// switchCommand returns the hooks on command if on is set, and the hooks off command otherwise.
func switchCommand(env *console.Env, on bool) *cobra.Command {
	use, short, more := "off", "Switch all hooks off, except managed ones and self-protection", ""
	if on {
		use, short = "on", "Switch hooks on"
		more = " If\nshell_hooks.enabled is false in an agent.yaml beside the project's shell_hooks.yaml, this sets it\nto true and shows the change."
	}
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		Long:    short + ". This takes effect at once, also for programs that are already running." + more,
		Example: "  checkrein hooks " + use,
		RunE: func(*cobra.Command, []string) error {
			if err := base.RequirePerson(env, base.BySwitch); err != nil {
				return err
			}
			k, err := base.OpenKit(env, app.Options{})
			if err != nil {
				return err
			}
			unrecorded := RecordAct(k, "hooks "+use, nil, Actor{})
			if unrecorded != nil && !on {
				return base.AsRefusal(unrecorded)
			}
			if err := k.SetOn(on); err != nil {
				return base.AsRefusal(err)
			}
			if unrecorded != nil {
				fmt.Fprintln(env.Stderr, "this action could not be recorded in the ledger:", visible.EscapeLine(unrecorded.Error()))
			}
			if on {
				if err := SwitchOnFiles(env, k); err != nil {
					return &base.Exit{Code: console.Finding, Err: fmt.Errorf("hooks are on, but some files still switch theirs off: %w", err)}
				}
			}
			fmt.Fprintf(env.Stdout, "hooks are %s\n", use)
			return nil
		},
	}
}

// An offFile is a file with a master switch that switches off the hooks in a file beside it.
type offFile struct {
	Path      string // the file with the switch
	hooksFile string // the file whose hooks are off
	Hooks     int    // the number of hooks in hooksFile
}

// OffFiles returns the files whose master switches keep hooks off.
func OffFiles(k *app.Kit) []offFile {
	var out []offFile
	for _, h := range k.Hooks() {
		if h.Off == "" || k.IsDisabled(&h) {
			continue
		}
		d, ok := dialect.Lookup(h.Dialect)
		if !ok || d.Beside == "" {
			continue
		}
		i := slices.IndexFunc(out, func(o offFile) bool { return o.hooksFile == h.From.File })
		if i < 0 {
			i = len(out)
			out = append(out, offFile{Path: filepath.Join(filepath.Dir(h.From.File), d.Beside), hooksFile: h.From.File})
		}
		out[i].Hooks++
	}
	return out
}

// message returns a message about the hooks that the file keeps off, and how to switch them on.
func (o *offFile) message(root string) message.Message {
	return message.New(fmt.Sprintf("%s in %s switched off by shell_hooks.enabled in %s", base.Amount(o.Hooks, "hook"), visible.EscapeLine(base.RelativePath(root, o.hooksFile)), visible.EscapeLine(base.RelativePath(root, o.Path))),
		message.Run("checkrein hooks on", ""))
}

// SwitchOnFiles sets the master switches that keep hooks off, which Starchild has, to on, and prints
// the changes. It returns an error about those that it could not change.
func SwitchOnFiles(env *console.Env, k *app.Kit) error {
	var errs []error
	for _, o := range OffFiles(k) {
		file := visible.EscapeLine(base.RelativePath(k.Root(), o.Path))
		line, err := o.switchOn()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s in %s still off: %w. Set shell_hooks.enabled to true in %s yourself",
				base.Amount(o.Hooks, "hook"), visible.EscapeLine(base.RelativePath(k.Root(), o.hooksFile)), err, file))
			continue
		}
		fmt.Fprintf(env.Stdout, "%s:%d: shell_hooks.enabled: false → true, for %s in %s\n", file, line, base.Amount(o.Hooks, "hook"), visible.EscapeLine(base.RelativePath(k.Root(), o.hooksFile)))
	}
	return errors.Join(errs...)
}

// switchOn sets the master switch in the file to on, and returns its line number.
func (o *offFile) switchOn() (line int, err error) {
	info, err := os.Lstat(o.Path)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errors.New("the file is not a regular file (it may be a symbolic link)")
	}
	data, err := state.ReadRegular(o.Path, yamldoc.MaxSize)
	if err != nil {
		return 0, err
	}
	on, line, err := starchild.SwitchOn(data)
	if err != nil {
		return 0, err
	}
	return line, state.ReplaceFile(o.Path, on, info.Mode().Perm())
}

// OffMessage is shown while the master switch is off.
var OffMessage = message.New("all hooks are off, except managed ones and self-protection", message.Run("checkrein hooks on", ""))
