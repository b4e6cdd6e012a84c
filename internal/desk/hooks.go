package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/console"
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
	cmd.AddCommand(listCmd, approveCommand(env), revokeCommand(env), switchCommand(env, true), switchCommand(env, false))
	return cmd
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
	r := hookReport{ID: h.Label(), Event: h.On.String(), Match: h.Match, Type: h.Run, Shows: kit.Shows(h),
		Scope: h.From.Scope.String(), Origin: h.From.String(), Approval: "not needed", Why: h.Broken}
	if h.Event != "" {
		r.Event = "native:" + h.Event
	}
	if h.From.Approval {
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
		return json.NewEncoder(env.Stdout).Encode(struct {
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
		fmt.Fprintf(env.Stdout, "  %s  %s  %s\n", f.Scope, f.Path, status)
	}
	printTable(env, reports)
	for _, v := range vanished(k) {
		fmt.Fprintln(env.Stdout, "vanished:", v)
	}
	return nil
}

// isFile tells hooks that stand for a broken file, which is listed as such.
func isFile(h *checkrein.Hook) bool { return h.Run == "" && h.ID == "configuration" }

func vanished(k *kit.Kit) []string {
	var out []string
	for _, a := range k.Vanished() {
		out = append(out, fmt.Sprintf("%s %s of %s was approved and is gone (forget it with: checkrein hooks revoke %q)", a.Event, a.ID, a.File, a.ID))
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s %s\t%s\n", r.Event, match, r.ID, short(r.Shows), r.Scope, r.Origin, oneLine(approval))
	}
	w.Flush()
}

// short is the first line of what runs, cut to fit a table.
func short(s string) string {
	line, rest, _ := strings.Cut(s, "\n")
	if r := []rune(line); len(r) > 48 {
		return string(r[:47]) + "…"
	}
	if rest != "" {
		line += " …"
	}
	return line
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A target is the hook that a command line names.
type target struct {
	event string // "" = any
	name  string
}

// readTarget reads [EVENT] COMMAND|ID.
func readTarget(args []string) (target, error) {
	switch len(args) {
	case 1:
		return target{name: args[0]}, nil
	case 2:
		kind, ok := checkrein.KindOf(args[0])
		if ok {
			return target{event: kind.String(), name: args[1]}, nil
		}
		if strings.HasPrefix(args[0], "native:") {
			return target{event: args[0], name: args[1]}, nil
		}
		return target{}, fmt.Errorf("unknown event %q", args[0])
	}
	return target{}, errors.New("name one hook: [EVENT] COMMAND|ID, or --all")
}

func (t target) is(event, id, shows string) bool {
	return (t.event == "" || t.event == event) && (t.name == id || t.name == shows || strings.TrimSpace(t.name) == strings.TrimSpace(shows))
}

func approveCommand(env *console.Env) *cobra.Command {
	var files []string
	var all bool
	cmd := &cobra.Command{
		Use: "approve [-c FILE] (--all | [EVENT] COMMAND|ID)", Short: "Let hooks that came with a project run, exactly as they are now",
		Long: `Let hooks that came with a project run, exactly as they are now. The approval covers
the hook's definition and the script files that it names. When either changes, the
hook does not run until it is approved again.`,
		Example: `  checkrein hooks approve --all
  checkrein hooks approve ./scripts/validate.sh
  checkrein hooks approve pre_tool_use no-force-push`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := openProject(env, files)
			if err != nil {
				return err
			}
			pick := func(*checkrein.Hook) bool { return true }
			if !all {
				t, err := readTarget(args)
				if err != nil {
					return err
				}
				pick = func(h *checkrein.Hook) bool { return t.is(h.On.String(), h.ID, kit.Shows(h)) }
			} else if len(args) > 0 {
				return errors.New("--all names every hook: leave out the rest")
			}
			return approve(env, k, pick)
		},
	}
	fileFlag(cmd, &files)
	cmd.Flags().BoolVar(&all, "all", false, "every hook that needs approval")
	return cmd
}

func approve(env *console.Env, k *kit.Kit, pick func(*checkrein.Hook) bool) error {
	done, err := k.Approve(pick)
	if err != nil {
		return &exit{code: console.Refused, err: err}
	}
	if len(done) == 0 {
		return &exit{code: console.Refused, err: errors.New("no such hook needs approval: checkrein hooks list shows what there is")}
	}
	for _, a := range done {
		fmt.Fprintf(env.Stdout, "approved  %s  %s  %s\n", a.Event, a.ID, short(a.Shows))
		for _, f := range a.Names {
			fmt.Fprintf(env.Stdout, "          with %s\n", f)
		}
	}
	if !k.On() {
		fmt.Fprintln(env.Stderr, "hooks are off: switch them on with: checkrein hooks on")
	}
	return nil
}

func revokeCommand(env *console.Env) *cobra.Command {
	var files []string
	cmd := &cobra.Command{
		Use: "revoke [-c FILE] COMMAND|ID", Short: "Take an approval back",
		Example: `  checkrein hooks revoke no-force-push`,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := readTarget(args)
			if err != nil {
				return err
			}
			k, err := openProject(env, files)
			if err != nil {
				return err
			}
			return revoke(env, k, t, absolute(env, files))
		},
	}
	fileFlag(cmd, &files)
	return cmd
}

func revoke(env *console.Env, k *kit.Kit, t target, files []string) error {
	done, err := k.Revoke(func(a kit.Approval) bool {
		for _, f := range files {
			if f == a.File {
				return t.is(a.Event, a.ID, a.Shows)
			}
		}
		return len(files) == 0 && t.is(a.Event, a.ID, a.Shows)
	})
	if err != nil {
		return &exit{code: console.Refused, err: err}
	}
	if len(done) == 0 {
		return &exit{code: console.Refused, err: errors.New("no such approval: checkrein hooks list shows what there is")}
	}
	for _, a := range done {
		fmt.Fprintf(env.Stdout, "revoked  %s  %s  %s\n", a.Event, a.ID, a.File)
	}
	return nil
}

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
				return &exit{code: console.Refused, err: err}
			}
			fmt.Fprintf(env.Stdout, "hooks are %s\n", use)
			return nil
		},
	}
}
