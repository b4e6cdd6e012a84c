// Package desk implements checkreind, the companion program, which runs the commands that people type.
package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/analyze"
	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/blocked"
	"github.com/checkrein/checkrein/internal/cli/canary"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/fleet"
	"github.com/checkrein/checkrein/internal/cli/health"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/replay"
	"github.com/checkrein/checkrein/internal/cli/repo"
	"github.com/checkrein/checkrein/internal/cli/run"
	"github.com/checkrein/checkrein/internal/cli/serve"
	"github.com/checkrein/checkrein/internal/cli/setup"
	"github.com/checkrein/checkrein/internal/cli/shadow"
	"github.com/checkrein/checkrein/internal/cli/test"
	"github.com/checkrein/checkrein/internal/cli/validate"
	"github.com/checkrein/checkrein/internal/cli/watch"
	"github.com/checkrein/checkrein/internal/hook/handover"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/archive"
	"github.com/spf13/cobra"
)

// Run runs the command in env.Args and returns the exit code.
func Run(ctx context.Context, env console.Env) int {
	env.Done = ctx.Done()
	root := newRoot(&env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	if len(env.Args) > 0 && strings.HasPrefix(env.Args[0], cobra.ShellCompRequestCmd) {
		root.SetErr(io.Discard) // drop the library's debugging messages for completions
	}
	var pages *pager
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if !slices.Contains(endWithReader, strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")) {
			ignoreSIGPIPE()
		}
		if noPager, _ := cmd.Flags().GetBool("no-pager"); noPager {
			return
		}
		if pages = newPager(&env, cmd); pages != nil {
			env.Stdout = pages
		}
	}
	health.AdoptUnsealed(&env)
	ran, err := root.ExecuteContextC(ctx)
	if pages != nil {
		err = cmp.Or(err, pages.show(&env))
	}
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return console.Done
	}
	code := console.Usage
	var e *base.Exit
	if errors.As(err, &e) {
		code = e.Code
	}
	if e == nil || !e.Quiet {
		fmt.Fprintln(env.Stderr, "checkrein:", console.PlainText(err))
	}
	if e == nil {
		fmt.Fprintf(env.Stderr, "Run '%s --help' for usage.\n", ran.CommandPath())
	}
	return code
}

// endWithReader lists the commands that end as soon as the reader of their output ends.
var endWithReader = []string{"audit tail", "watch", "audit query", "audit export", "run", "serve", "open"}

// ignoreSIGPIPE lets a command finish its changes after the reader of its output has ended, as in
// install | head -1. Writing then fails, but does not end the process. Child processes are not
// affected.
var ignoreSIGPIPE = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) })

// Commands returns the tree of commands, for manual pages.
func Commands() *cobra.Command { return newRoot(&console.Env{}) }

// newRoot returns the tree of commands. It includes stubs for those of the hot program, so that help
// is complete.
func newRoot(env *console.Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "checkrein",
		Short:         "Run your hooks at every lifecycle point of every AI agent",
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.PersistentFlags().Var((*base.ColourFlag)(&env.Colour), "color", "use colour `WHEN`: auto, always or never")
	root.PersistentFlags().Bool("no-pager", false, "print long output at once, without $PAGER or less")
	cobra.EnableCommandSorting = false
	root.SetHelpCommand(base.HelpCommand())
	for i, g := range commandGroups(env) {
		id := strconv.Itoa(i)
		root.AddGroup(&cobra.Group{ID: id, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = id
			root.AddCommand(c)
		}
		root.SetHelpCommandGroupID(id) // help is in the last group
	}
	root.AddCommand(withFormerName("wrong", blocked.ReportCommand(env)), blocked.SnapshotsCommand(env), health.UpkeepCommand(env), stepCommand(env), unpackCommand(env), yamlCommand(env), fleet.AgentCommand(env), fleet.AnswerCommand(env))
	setHelp(root)
	return root
}

// A group is a group of commands in the help of checkrein.
type group struct {
	title    string
	commands []*cobra.Command
}

// commandGroups returns all visible commands in groups, the most important first.
func commandGroups(env *console.Env) []group {
	return []group{
		{"Start", []*cobra.Command{setup.InstallCommand(env), setup.UninstallCommand(env), health.StatusCommand(env), health.DoctorCommand(env), setup.InitCommand(env)}},
		{"Something was blocked", []*cobra.Command{
			explain.Command(env), blocked.AllowCommand(env), serve.ApprovalsCommand(env), blocked.UndoCommand(env), blocked.WallsCommand(env), blocked.PauseCommand(env), blocked.ReportCommand(env), blocked.SuggestCommand(env), blocked.ConfirmCommand(env), blocked.PersonCommand(env),
		}},
		{"Hooks and policy", []*cobra.Command{hooks.Command(env, health.DoctorHooksCommand(env)), packs.Command(env), hooks.MatchCommand(env), validate.Command(env), test.Command(env), replay.Command(env), analyze.Command(env), shadow.Command(env), canary.Command(env), validate.ConvertCommand(env)}},
		{"Evidence", []*cobra.Command{audit.Command(env), watch.Command(env, Run), health.ProveCommand(env), health.MissesCommand(env)}},
		{"Repositories", []*cobra.Command{
			base.HotCommand("scan", "Look for secrets, personal data and private addresses"), repo.ScrubCommand(env),
			base.HotCommand("redact", "Run a command and print its output without secrets"), setup.GitCommand(env), repo.PRCheckCommand(env),
		}},
		{"Agents and servers", []*cobra.Command{run.Command(env, Run), serve.Command(env, Run), serve.OpenCommand(env, Run), fleet.Command(env), run.ModelsCommand(env)}},
		{"For programs", []*cobra.Command{
			base.HotCommand("hook", "Answer one event for an agent, and record it"),
			base.HotCommand("eval", "Run one event through your hooks and print the verdict"),
			base.HotCommand("classify", "Show what a shell command does, without running it"),
			completionCommand(), docsCommand(env), selfCommand(env), versionCommand(env),
		}},
	}
}

// withFormerName returns c under its former name, hidden from help.
func withFormerName(name string, c *cobra.Command) *cobra.Command {
	_, args, _ := strings.Cut(c.Use, " ")
	c.Use, c.Hidden = strings.TrimSpace(name+" "+args), true
	return c
}

// versionCommand returns the version command.
func versionCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(env.Stdout, "checkreind %s (%s, %s/%s)\n", build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

// completionCommand returns the completion command. Its scripts are for checkrein, the name that
// people type.
func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell", Short: "Print a completion script for your shell",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return root.GenPowerShellCompletionWithDesc(out)
		},
	}
}

// stepCommand returns the step command, which runs one hook for the hot program. It reads a line of
// JSON and writes one.
func stepCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "step", Short: "Run one hook handed over by checkrein", Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ticket, err := env.TakeTicket(env.Args...)
			if err != nil {
				return &base.Exit{Code: console.Refused, Err: err}
			}
			line, err := io.ReadAll(io.LimitReader(env.Stdin, handover.MaxLine))
			if err != nil {
				return &base.Exit{Code: console.Bug, Err: err}
			}
			if err := ticket.CheckInput(line); err != nil {
				return &base.Exit{Code: console.Refused, Err: err}
			}
			k, err := app.Open(app.Options{Dir: env.Dir, Environ: env.Environ, Now: env.Now, State: handover.StateDir(line), Config: handover.ConfigDir(line), NoConfig: true, HandlersFor: base.HotNetworkHandlers(env, handover.ConfigDir(line))})
			if err != nil {
				return &base.Exit{Code: console.Bug, Err: err}
			}
			_, err = env.Stdout.Write(k.RunStep(cmd.Context(), line))
			return err
		},
	}
}

// unpackCommand returns the unpack command, which unpacks an archive on stdin for the hot program,
// since that program does not link the needed packages.
func unpackCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "unpack", Short: "Unpack an archive on stdin for checkrein scan", Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			if _, err := env.TakeTicket(env.Args...); err != nil {
				return &base.Exit{Code: console.Refused, Err: err}
			}
			out := scan.NewFrameWriter(env.Stdout)
			return out.Close(archive.Walk(env.Stdin, archive.Standard, out.WriteMember))
		},
	}
}
