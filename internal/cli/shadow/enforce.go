package shadow

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
)

// enforceCommand returns the shadow enforce command.
func enforceCommand(env *console.Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "enforce NAME", Short: "End shadow mode for a hook, a pack or a rule",
		Long: `Remove shadow mode from your own file, so that the decisions of NAME, a hook, a pack or PACK/RULE, count
again. The change is shown first. Agents cannot run this command.`,
		Example: "  checkrein shadow enforce git/push-force\n  checkrein shadow enforce no-deploys --yes",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := base.PersonKit(env, base.ByHand)
			if err != nil {
				return err
			}
			trials, err := findTrials(k, args[0])
			if err != nil {
				return base.AsRefusal(err)
			}
			return enforce(env, k, trials, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// findTrials returns everything called name in the user's own files that is in shadow mode, or an error if
// there is nothing.
func findTrials(k *app.Kit, name string) ([]app.Trial, error) {
	guards := k.Guards()
	var found []app.Trial
	var names []string
	managed := ""
	for _, t := range guards.Tried {
		switch {
		case t.Name != name:
			names = append(names, t.Name)
		case t.Managed:
			managed = t.Origin
		default:
			found = append(found, t)
		}
	}
	shown := visible.EscapeLine(name)
	switch {
	case len(found) > 0:
		return found, nil
	case managed != "":
		return nil, fmt.Errorf("%s is in shadow mode because %s, a managed file, sets it: ask this machine's administrator", shown, managed)
	case !isKnown(k, name):
		return nil, fmt.Errorf("there is no hook, pack or rule %s%s", shown, suggest.HintOr(name, names, shadowList(names)))
	}
	if why := unenforcedText(&guards); why != "" {
		return nil, fmt.Errorf("%s is not in shadow mode by itself, but %s", shown, why)
	}
	return nil, fmt.Errorf("%s is not in shadow mode: its decisions count", shown)
}

// shadowList lists the names of what is in shadow mode.
func shadowList(names []string) string {
	if len(names) == 0 {
		return "nothing is in shadow mode"
	}
	return "in shadow mode now: " + strings.Join(names, ", ")
}

// isKnown reports whether name is the name of a hook, a pack or a rule.
func isKnown(k *app.Kit, name string) bool {
	if slices.ContainsFunc(k.Hooks(), func(h checkrein.Hook) bool { return h.Label() == name }) {
		return true
	}
	return slices.ContainsFunc(problems.PackRuleNames(k), func(rule string) bool {
		pack, _, _ := strings.Cut(rule, "/")
		return rule == name || pack == name
	})
}

// unenforcedText returns why no decisions count, or "" if they do.
func unenforcedText(g *app.Guards) string {
	switch {
	case g.Shadow == "":
		return ""
	case g.Paused:
		return "hooks are paused until " + app.LocalTime(g.Shadow) + ", so its decisions do not count (to end the pause, run checkrein pause off)"
	}
	return "shadow: at the top level of a file applies to everything until " + app.LocalTime(g.Shadow) + ", so its decisions do not count (to end that, remove it)"
}

// enforce changes the files of trials, which have the same name, after showing the change. It restores the
// files if anything else would change with it.
func enforce(env *console.Env, k *app.Kit, trials []app.Trial, yes bool) error {
	name := visible.EscapeLine(trials[0].Name)
	var changes []change
	slices.SortFunc(trials, func(a, b app.Trial) int { return b.From.Line - a.From.Line }) // so that lines stay where they are
	for i := range trials {
		t := &trials[i]
		c, err := changeOf(&changes, t.From.File)
		if err != nil {
			return base.AsRefusal(err)
		}
		before := c.text
		if c.text = enforcedText(c.text, t); c.text == before {
			return base.AsRefusal(byHand(t))
		}
	}
	for _, c := range changes {
		base.Screen(env, env.Stdout).Diff("", withoutCommand(diff.Diff(c.path, c.old, c.path, []byte(c.text))))
	}
	switch asks := base.IsTerminal(env.Stdin) && base.IsTerminal(env.Stdout); {
	case yes:
	case !asks:
		return base.AsRefusal(errors.New("nothing was changed: to change it without a terminal, add --yes"))
	case !base.Confirm(env, "Change the file?"):
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	before := summaryOf(k, trials)
	var err error
	for _, c := range changes {
		err = errors.Join(err, state.ReplaceFile(c.path, []byte(c.text), 0o644))
	}
	now, openErr := base.OpenKit(env, app.Options{ReadOnly: true})
	if err = errors.Join(err, openErr); err != nil || !slices.Equal(before, summaryOf(now, nil)) {
		err = errors.Join(byHand(&trials[0]), err)
		for _, c := range changes {
			err = errors.Join(err, state.ReplaceFile(c.path, c.old, 0o644))
		}
		return base.AsRefusal(err)
	}
	guards := now.Guards()
	managed := slices.IndexFunc(guards.Tried, func(t app.Trial) bool { return t.Managed && t.Name == trials[0].Name })
	switch why := unenforcedText(&guards); {
	case managed >= 0:
		fmt.Fprintf(env.Stdout, "%s is not in shadow mode in your files anymore, but %s, a managed file, still sets it\n", name, guards.Tried[managed].Origin)
	case why != "":
		fmt.Fprintf(env.Stdout, "%s is not in shadow mode by itself anymore, but %s\n", name, why)
	default:
		fmt.Fprintf(env.Stdout, "%s is enforced from the next event on\n", name)
	}
	return nil
}

// byHand returns the error for a file that cannot be changed to end t.
func byHand(t *app.Trial) error {
	return fmt.Errorf("%s cannot be changed for you, because of its layout: remove shadow mode from %s in line %d yourself", t.From.File, visible.EscapeLine(t.Name), t.From.Line)
}

// A change is a file with its new text.
type change struct {
	path string
	old  []byte
	text string
}

// changeOf returns the change of the file path in list, to which it adds it if it is missing.
func changeOf(list *[]change, path string) (*change, error) {
	i := slices.IndexFunc(*list, func(c change) bool { return c.path == path })
	if i < 0 {
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		i = len(*list)
		*list = append(*list, change{path, old, string(old)})
	}
	return &(*list)[i], nil
}

// withoutCommand returns a diff without its first line, which names a command.
func withoutCommand(text []byte) []byte {
	_, rest, _ := strings.Cut(string(text), "\n")
	return []byte(rest)
}

// summaryOf returns the hooks of files and what is in shadow mode, except without, to compare
// configurations.
func summaryOf(k *app.Kit, without []app.Trial) []string {
	var out []string
	for _, h := range k.Hooks() {
		if !h.Implied {
			out = append(out, fmt.Sprint(h.On, h.Label(), h.From.File, h.Broken, h.Run, string(h.With)))
		}
	}
	for _, t := range k.Guards().Tried {
		if !slices.Contains(without, t) {
			out = append(out, t.Name+" "+t.From.File+" "+t.Until)
		}
	}
	return out
}

// enforcedText returns text, the content of a file, without shadow mode for t, or text itself if its
// layout is not understood.
func enforcedText(text string, t *app.Trial) string {
	entry := yamldoc.MappingAt(text, t.From.Line)
	without := func(keys ...string) string {
		for _, k := range keys {
			m := yamldoc.MappingAt(text, t.From.Line)
			text = m.Remove(k)
		}
		return text
	}
	_, rule, isRule := strings.Cut(t.Name, "/")
	switch {
	case entry.Has("mode"):
		return without("mode", "until")
	case !isRule: // the mode is that of the file
		return entry.Set("mode", "enforce")
	}
	value, _, err := yamldoc.Parse([]byte(entry.Value("shadow")))
	if err != nil {
		return text
	}
	rules := []*yamldoc.Node{value}
	if value.Kind == yamldoc.List {
		rules = value.Items
	}
	isOther := func(n *yamldoc.Node) bool { return n.Text != rule && n.Text != t.Name }
	if !slices.ContainsFunc(rules, isOther) {
		return without("shadow", "until")
	}
	for i := len(rules) - 1; i >= 0; i-- {
		if !isOther(rules[i]) {
			m := yamldoc.MappingAt(text, t.From.Line)
			text = m.RemoveItem("shadow", i)
		}
	}
	return text
}
