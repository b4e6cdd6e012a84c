package shadow

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
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
			t, err := findTrial(k, args[0])
			if err != nil {
				return base.AsRefusal(err)
			}
			return enforce(env, k, t, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// findTrial returns what is called name, of the user's own files, or an error if it is not in shadow
// mode.
func findTrial(k *app.Kit, name string) (*app.Trial, error) {
	list := k.Guards().Tried
	var names []string
	managed := ""
	for i := range list {
		switch t := &list[i]; {
		case t.Managed && t.Name == name:
			managed = t.Origin
		case t.Name == name:
			return t, nil
		default:
			names = append(names, t.Name)
		}
	}
	shown := visible.EscapeLine(name)
	switch {
	case managed != "":
		return nil, fmt.Errorf("%s is in shadow mode because %s, a managed file, sets it: ask this machine's administrator", shown, managed)
	case len(names) == 0:
		return nil, fmt.Errorf("%s is not in shadow mode: its decisions count", shown)
	}
	return nil, fmt.Errorf("%s is not in shadow mode%s", shown, suggest.HintOr(name, names, "what is in shadow mode is "+strings.Join(names, ", ")))
}

// enforce changes the file of t after showing the change. It restores the file if anything else would
// change with it.
func enforce(env *console.Env, k *app.Kit, t *app.Trial, yes bool) error {
	path := t.From.File
	old, err := os.ReadFile(path)
	if err != nil {
		return base.AsRefusal(err)
	}
	text := enforcedText(string(old), t)
	byHand := fmt.Errorf("%s cannot be changed for you, because of its layout: remove shadow mode from %s in line %d yourself", path, visible.EscapeLine(t.Name), t.From.Line)
	if text == string(old) {
		return base.AsRefusal(byHand)
	}
	base.Screen(env, env.Stdout).Diff("", withoutCommand(diff.Diff(path, old, path, []byte(text))))
	switch asks := base.IsTerminal(env.Stdin) && base.IsTerminal(env.Stdout); {
	case yes:
	case !asks:
		return base.AsRefusal(errors.New("nothing was changed: to change it without a terminal, add --yes"))
	case !base.Confirm(env, "Change the file?"):
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	before := summaryOf(k, t)
	if err := state.ReplaceFile(path, []byte(text), 0o644); err != nil {
		return base.AsRefusal(err)
	}
	now, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil || !slices.Equal(before, summaryOf(now, nil)) {
		return base.AsRefusal(errors.Join(byHand, err, state.ReplaceFile(path, old, 0o644)))
	}
	fmt.Fprintf(env.Stdout, "%s is enforced from the next event on\n", visible.EscapeLine(t.Name))
	return nil
}

// withoutCommand returns a diff without its first line, which names a command.
func withoutCommand(text []byte) []byte {
	_, rest, _ := strings.Cut(string(text), "\n")
	return []byte(rest)
}

// summaryOf returns the hooks of files and what is in shadow mode, except without, to compare
// configurations.
func summaryOf(k *app.Kit, without *app.Trial) []string {
	var out []string
	for _, h := range k.Hooks() {
		if !h.Implied {
			out = append(out, fmt.Sprint(h.On, h.Label(), h.From.File, h.Broken, h.Run, string(h.With)))
		}
	}
	for _, t := range k.Guards().Tried {
		if without == nil || t != *without {
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
	rules, rest := []*yamldoc.Node{value}, []string{}
	if value.Kind == yamldoc.List {
		rules = value.Items
	}
	for _, n := range rules {
		if n.Text != rule && n.Text != t.Name {
			rest = append(rest, n.Text)
		}
	}
	if len(rest) == 0 {
		return without("shadow", "until")
	}
	return entry.Set("shadow", "["+strings.Join(rest, ", ")+"]")
}
