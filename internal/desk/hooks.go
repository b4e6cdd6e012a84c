package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

func hooksCommand(env *console.Env) *cobra.Command {
	var files []string
	var asJSON bool
	list := func(*cobra.Command, []string) error {
		k, err := openProject(env, files)
		if err != nil {
			return err
		}
		return printHooks(env, k, asJSON)
	}
	cmd := &cobra.Command{
		Use: "hooks", Short: "List hooks, approve them, switch them on or off",
		Example: `  checkrein hooks                          # what there is, and what may run
  checkrein hooks approve --all            # everything that this project brings
  checkrein hooks approve pre_tool_use no-force-push
  checkrein hooks off`,
		Args: cobra.NoArgs, RunE: list,
	}
	listCmd := &cobra.Command{Use: "list", Short: "List hooks with their origin and approval", Args: cobra.NoArgs, RunE: list}
	for _, c := range []*cobra.Command{cmd, listCmd} {
		fileFlag(c, &files)
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	cmd.AddCommand(listCmd, approveCommand(env), revokeCommand(env), switchCommand(env, true), switchCommand(env, false), helpCommand())
	return cmd
}

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

// openProject opens a kit in which given files need approval, as they would in
// their project.
func openProject(env *console.Env, files []string) (*kit.Kit, error) {
	return open(env, kit.Options{Files: files, FilesAreProject: true})
}

// hookReport is what hooks list --json says of a hook.
type hookReport struct {
	ID       string `json:"id"`
	Event    string `json:"event"`
	Match    string `json:"match,omitempty"`
	Type     string `json:"type,omitempty"`
	Shows    string `json:"shows"`
	Scope    string `json:"scope"`
	Origin   string `json:"origin"`
	Approval string `json:"approval"` // not needed, approved, not approved, changed, broken
	Why      string `json:"why,omitempty"`
}

func report(k *kit.Kit, h *checkrein.Hook) hookReport {
	r := hookReport{ID: h.Label(), Event: trust.EventOf(h), Match: h.Match, Type: h.Run, Shows: kit.Shows(h),
		Scope: h.From.Scope.String(), Origin: h.From.String(), Approval: "not needed", Why: h.Broken}
	if h.Implied && h.From.File == "" {
		r.Origin = "by default"
	}
	if k.NeedsApproval(h) {
		state, why := k.Approval(h)
		r.Approval = map[engine.Approval]string{engine.Approved: "approved", engine.Changed: "changed", engine.Unapproved: "not approved"}[state]
		if r.Why == "" {
			r.Why = why
		}
	}
	if h.Broken != "" {
		r.Approval = "broken"
	}
	return r
}

func printHooks(env *console.Env, k *kit.Kit, asJSON bool) error {
	reports := []hookReport{}
	hooks := k.Hooks()
	for i := range hooks {
		if !isFile(&hooks[i]) {
			reports = append(reports, report(k, &hooks[i]))
		}
	}
	if asJSON {
		return printJSON(env, struct {
			On       bool         `json:"on"`
			Root     string       `json:"root"`
			Hooks    []hookReport `json:"hooks"`
			Vanished []string     `json:"vanished,omitempty"`
		}{k.On(), k.Root(), reports, vanished(k)})
	}
	state := "on"
	if !k.On() {
		state = "off (managed hooks still run; switch on with: checkrein hooks on)"
	}
	fmt.Fprintf(env.Stdout, "hooks are %s\n", state)
	for _, f := range k.Files() {
		status := fmt.Sprintf("%d hooks", f.Hooks)
		if f.Err != nil {
			status = "broken: run checkrein validate"
		}
		fmt.Fprintf(env.Stdout, "  %s  %s  %s\n", f.Scope, trust.VisibleLine(f.Path), status)
	}
	printTable(env, reports)
	for _, v := range vanished(k) {
		fmt.Fprintln(env.Stdout, "vanished:", v)
	}
	return nil
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

// isFile tells hooks that stand for a broken file, which is listed as such.
func isFile(h *checkrein.Hook) bool { return h.Run == "" && h.ID == "configuration" }

func vanished(k *kit.Kit) []string {
	var out []string
	for _, a := range k.Vanished() {
		out = append(out, fmt.Sprintf("%s %s of %s was approved and is gone (forget it with: %s)",
			trust.VisibleLine(a.Event), trust.VisibleLine(a.ID), trust.VisibleLine(a.File), trust.Remedy("revoke", a.ID)))
	}
	return out
}

func printTable(env *console.Env, reports []hookReport) {
	if len(reports) == 0 {
		fmt.Fprintln(env.Stdout, "no hooks")
		return
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "\nEVENT\tMATCH\tHOOK\tRUNS\tFROM\tAPPROVAL")
	for _, r := range reports {
		match := r.Match
		if match == "" {
			match = "*"
		}
		approval := r.Approval
		if r.Why != "" && r.Approval != "approved" {
			approval += ": " + r.Why
		}
		line := trust.VisibleLine
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s %s\t%s\n", line(r.Event), cut(line(match), maxCell), cut(line(r.ID), maxCell), short(r.Shows), r.Scope, line(r.Origin), line(oneLine(approval)))
	}
	w.Flush()
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
	use, short := "off", "Switch all hooks off, managed ones excepted"
	if on {
		use, short = "on", "Switch hooks on"
	}
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := open(env, kit.Options{})
			if err != nil {
				return err
			}
			if err := k.Switch(on); err != nil {
				return refused(err)
			}
			fmt.Fprintf(env.Stdout, "hooks are %s\n", use)
			return nil
		},
	}
}
