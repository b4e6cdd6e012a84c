package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

// hooksCommand returns the command hooks, with others of its subcommands among its own.
func hooksCommand(env *console.Env, others ...*cobra.Command) *cobra.Command {
	var at projectFlags
	var asJSON, verbose bool
	list := func(cmd *cobra.Command, _ []string) error {
		k, err := at.open(env)
		if err != nil {
			return err
		}
		r, err := reportHooks(cmd.Context(), env, k)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(env, r)
		}
		printHookList(env, r, verbose)
		return nil
	}
	cmd := &cobra.Command{
		Use: "hooks", Short: "List hooks, approve them, switch them on or off",
		Long: "hooks alone is the same as hooks list.\n\n" + listHelp,
		Example: `  checkrein hooks                          # all hooks, and which of them may run
  checkrein hooks approve --all            # all hooks of this project
  checkrein hooks approve pre_tool_use no-force-push
  checkrein hooks off
  checkrein hooks disable no-force-push    # only this hook
  checkrein hooks --json | jq '.hooks[] | select(.health != "ok")'`,
		Args: cobra.NoArgs, RunE: list,
	}
	listCmd := &cobra.Command{Use: "list", Short: "List hooks with their health and recent activity", Long: listHelp, Args: cobra.NoArgs, RunE: list,
		Example: "  checkrein hooks list\n  checkrein hooks list -c config/shell_hooks.yaml --json"}
	for _, c := range []*cobra.Command{cmd, listCmd} {
		at.register(c)
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
		c.Flags().BoolVarP(&verbose, "verbose", "v", false, "also list the default guards, and show more about each hook")
	}
	cmd.AddCommand(listCmd, approveCommand(env), revokeCommand(env), switchCommand(env, true), switchCommand(env, false), disableCommand(env, true), disableCommand(env, false))
	cmd.AddCommand(append(others, helpCommand())...)
	return cmd
}

// listHelp says what the list says.
const listHelp = `The list has one line per hook, grouped by file: the events it runs on, when it last ran,
when it last acted (denied, asked, rewrote, added context or sent the agent back to
work), and whether it is approved. If a hook does not work, the line below it says why and how to
repair it. The guards that are on by default share one line. Hooks that git itself runs in
this project come last.

-v also lists the default guards and shows, for each hook, what it runs, its line in the
file, when it last acted, and how long it takes: the median and the 95th percentile.

Recent activity is read from the ledger: its newest segments, up to 48 MiB in total, and
the last 1,000 runs of each hook. To find older runs, use checkrein audit query --hook NAME.`

// helpCommand is help as a word, for the commands below its parent.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print this help, or the help for a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, _ := cmd.Parent().Find(args) // whose error is that rest is not empty
			if len(rest) > 0 {
				return fmt.Errorf("unknown command %q%s", rest[0], suggest.Hint(rest[0], commandNames(about)))
			}
			return about.Help()
		},
	}
}

// projectFlags say whose hooks a command is about.
type projectFlags struct {
	files []string
	agent string
}

func (f *projectFlags) register(cmd *cobra.Command) {
	fileFlag(cmd, &f.files)
	cmd.Flags().StringVar(&f.agent, "agent", "", "the agent's `NAME`, if the file declares several")
}

func (f *projectFlags) open(env *console.Env) (*kit.Kit, error) {
	opts := kit.Options{Files: f.files, Agent: f.agent, FilesByPlace: true}
	if in := env.Within; in != nil && len(f.files) == 0 {
		opts.AgentFile = in.AgentFile
		if f.agent == "" {
			opts.Agent = in.Agent
		}
	}
	return open(env, opts)
}

// printJSON prints JSON in which everything that a terminal would act on is
// escaped: what JSON itself leaves as it is as well.
func printJSON(env *console.Env, v any) error {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range buf.String() {
		if r == '\n' || unicode.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, "\\u%04x", unit)
		}
	}
	_, err := io.WriteString(env.Stdout, out.String())
	return err
}

// maxCell is how many characters of a text a table shows.
const maxCell = 48

// cut marks what it cuts off.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

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
			if err := byPerson(env, bySwitch); err != nil {
				return err
			}
			k, err := open(env, kit.Options{})
			if err != nil {
				return err
			}
			unrecorded := acted(k, "hooks "+use, nil, giver{})
			if unrecorded != nil && !on {
				return refused(unrecorded)
			}
			if err := k.Switch(on); err != nil {
				return refused(err)
			}
			if unrecorded != nil {
				fmt.Fprintln(env.Stderr, "this action could not be recorded in the ledger:", visible.Line(unrecorded.Error()))
			}
			if on {
				if err := flipOn(env, k); err != nil {
					return &exit{code: console.Finding, err: fmt.Errorf("hooks are on, but some of them are still off: %w", err)}
				}
			}
			fmt.Fprintf(env.Stdout, "hooks are %s\n", use)
			return nil
		},
	}
}
