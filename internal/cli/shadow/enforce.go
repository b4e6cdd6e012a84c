package shadow

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/visible"
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
	lines := strings.SplitAfter(text, "\n")
	first := t.From.Line - 1
	if first < 0 || first >= len(lines) {
		return text
	}
	end := entryEnd(lines, first)
	entry := strings.Join(lines[first:end], "")
	if _, rule, isRule := strings.Cut(t.Name, "/"); isRule && !modeKey.MatchString(entry) {
		entry = withoutRule(entry, rule)
	} else if modeKey.MatchString(entry) {
		entry = withoutKey(withoutKey(entry, "mode"), "until")
	} else {
		entry = withEnforce(entry) // the mode is that of the file
	}
	return strings.Join(lines[:first], "") + entry + strings.Join(lines[end:], "")
}

// entryEnd returns the end of the list item that begins in lines[first]: the next line that is not
// indented more than its dash, or all on one line.
func entryEnd(lines []string, first int) int {
	in := len(lines[first]) - len(strings.TrimLeft(lines[first], " "))
	end := first + 1
	for end < len(lines) {
		line := strings.TrimRight(lines[end], "\r\n")
		if rest := strings.TrimLeft(line, " "); rest != "" && len(line)-len(rest) <= in {
			break
		}
		end++
	}
	return end
}

const value = `("[^"\n]*"|'[^'\n]*'|\[[^\]]*\]|[^,}\]\n#]*)`

var (
	modeKey   = regexp.MustCompile(`(^|[\s,{-])mode:\s*["']?shadow\b`)
	shadowKey = regexp.MustCompile(`\bshadow:\s*\[([^\]]*)\]`)
)

// withoutKey returns entry, an item of a list, without the key and its value.
func withoutKey(entry, key string) string {
	for _, try := range []struct{ find, put string }{
		{`(?m)^[ ]+` + key + `:[ ]*` + value + `[ ]*(#.*)?\n`, ""},   // on a line of its own
		{`,\s*` + key + `:\s*` + value, ""},                          // in braces, not first
		{`\{\s*` + key + `:\s*` + value + `,\s*`, "{"},               // in braces, first
		{`(?m)^([ ]*)- ` + key + `:[ ]*` + value + `\n[ ]+`, "$1- "}, // first of an item
	} {
		if find := regexp.MustCompile(try.find); find.MatchString(entry) {
			at := find.FindStringSubmatchIndex(entry)
			return entry[:at[0]] + string(find.ExpandString(nil, try.put, entry, at)) + entry[at[1]:]
		}
	}
	return entry
}

// withoutRule returns entry, that of a pack, without the rule in its list of rules in shadow mode.
func withoutRule(entry, rule string) string {
	at := shadowKey.FindStringSubmatchIndex(entry)
	if at == nil {
		scalar := regexp.MustCompile(`\bshadow:\s*["']?([a-z0-9-]+/)?` + regexp.QuoteMeta(rule) + `["']?\s*[,}\n]`)
		if !scalar.MatchString(entry) {
			return entry
		}
		return withoutKey(withoutKey(entry, "shadow"), "until")
	}
	var rest []string
	for name := range strings.SplitSeq(entry[at[2]:at[3]], ",") {
		name = strings.TrimSpace(name)
		bare := strings.Trim(name, `"'`)
		if bare != rule && !strings.HasSuffix(bare, "/"+rule) && bare != "" {
			rest = append(rest, name)
		}
	}
	if len(rest) == 0 {
		return withoutKey(withoutKey(entry, "shadow"), "until")
	}
	return entry[:at[2]] + strings.Join(rest, ", ") + entry[at[3]:]
}

// withEnforce returns entry, a hook of a file in shadow mode, with mode: enforce.
func withEnforce(entry string) string {
	dash := strings.Index(entry, "- ")
	if dash < 0 {
		return entry
	}
	head, rest := entry[:dash+2], entry[dash+2:]
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		return head + "{mode: enforce, " + inner
	}
	return head + "mode: enforce\n" + strings.Repeat(" ", dash+2) + rest
}
