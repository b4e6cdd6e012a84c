package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

func hooksCommand(env *console.Env) *cobra.Command {
	var at projectFlags
	var asJSON bool
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
		printHookList(env, r)
		return nil
	}
	cmd := &cobra.Command{
		Use: "hooks", Short: "List hooks, approve them, switch them on or off",
		Long: "hooks is hooks list.\n\n" + listHelp,
		Example: `  checkrein hooks                          # what there is, and what may run
  checkrein hooks approve --all            # everything that this project brings
  checkrein hooks approve pre_tool_use no-force-push
  checkrein hooks off
  checkrein hooks --json | jq '.hooks[] | select(.health != "ok")'`,
		Args: cobra.NoArgs, RunE: list,
	}
	listCmd := &cobra.Command{Use: "list", Short: "List hooks with their origin, approval, health and what they did of late", Long: listHelp, Args: cobra.NoArgs, RunE: list,
		Example: "  checkrein hooks list\n  checkrein hooks list -c config/shell_hooks.yaml --json"}
	for _, c := range []*cobra.Command{cmd, listCmd} {
		at.register(c)
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	cmd.AddCommand(listCmd, approveCommand(env), revokeCommand(env), switchCommand(env, true), switchCommand(env, false), doctorHooksCommand(env), helpCommand())
	return cmd
}

// listHelp says what the list says.
const listHelp = `The list has all three layers: hooks on tool calls, on the life of a session, and at the
boundary, with those that git runs itself in this project. Of each hook it says where it
comes from, whether it is approved and what changed since, whether it can run, when it last
ran, when it last caught something (denied, asked, rewrote or sent the agent back to work),
and how long it takes: the median and the time that 95 of 100 runs stay below.

What hooks did is taken from the ledger: its newest segments, up to 48 MiB together, and of
each hook the last 1,000 runs. Older runs are not looked for. checkrein audit query --hook
NAME finds them.`

// helpCommand is help as a word, for the commands below its parent.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print this help, or that of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Parent().Find(args)
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("unknown command %q", rest[0])
			}
			if err != nil {
				return err
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
	cmd.Flags().StringVar(&f.agent, "agent", "", "which `NAME` of a file that declares several agents")
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

// maxCell is how many characters of what a file says stand in a table.
const maxCell = 48

// short is the first line of what runs, cut to fit a table.
func short(s string) string {
	line, rest, _ := strings.Cut(s, "\n")
	line = trust.VisibleLine(line)
	if rest != "" {
		line += " …"
	}
	return cut(line, maxCell)
}

// cut marks what it cuts off.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func switchCommand(env *console.Env, on bool) *cobra.Command {
	use, short, more := "off", "Switch all hooks off, managed ones excepted", ""
	if on {
		use, short = "on", "Switch hooks on"
		more = " Where shell_hooks.enabled is false in an\nagent.yaml beside a shell_hooks.yaml of the project, it becomes true there, and the change is shown."
	}
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		Long:    short + ". It counts at once, also for programs that run." + more,
		Example: "  checkrein hooks " + use,
		RunE: func(*cobra.Command, []string) error {
			if err := byPerson(env, byHand); err != nil {
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
				fmt.Fprintln(env.Stderr, "this is not in the ledger:", trust.VisibleLine(unrecorded.Error()))
			}
			if on {
				if err := flipOn(env, k); err != nil {
					return &exit{code: console.Finding, err: fmt.Errorf("hooks are on, but not all of them: %w", err)}
				}
			}
			fmt.Fprintf(env.Stdout, "hooks are %s\n", use)
			return nil
		},
	}
}
