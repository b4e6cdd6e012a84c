package desk

import (
	"cmp"
	_ "embed" // for help.txt
	"io"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/manual"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// helpWidth is the width to which help texts are wrapped.
const helpWidth = 78

// helpText has the long help of the commands: a section for each, headed by "= NAME", with its
// examples after "- examples".
//
//go:embed help.txt
var helpText string

// A helpSection is a section of help.txt.
type helpSection struct{ long, example string }

// helpSections returns the sections of help.txt by the names of their commands.
var helpSections = sync.OnceValue(func() map[string]helpSection {
	out := map[string]helpSection{}
	for section := range strings.SplitSeq("\n"+helpText, "\n= ") {
		name, text, _ := strings.Cut(section, "\n")
		long, example, _ := strings.Cut("\n"+text, "\n- examples\n")
		out[name] = helpSection{strings.TrimSpace(long), strings.TrimRight(example, "\n")}
	}
	return out
})

// setHelp sets the help of root and of all commands below it from help.txt, wrapped for a terminal of
// 80 columns.
func setHelp(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 80"))
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		h := helpSections()[strings.TrimPrefix(c.CommandPath(), "checkrein ")]
		c.Long, c.Example = wrap(cmp.Or(h.long, c.Long), helpWidth), cmp.Or(h.example, c.Example)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// wrap wraps the paragraphs of text to width columns. Indented lines are tables and stay unchanged.
func wrap(text string, width int) string {
	var out []string
	at := 0 // the width of the current line; 0 = the next word begins a line
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			out, at = append(out, line), 0
			continue
		}
		for word := range strings.FieldsSeq(line) {
			n := term.Columns(word)
			if at > 0 && at+1+n <= width {
				out[len(out)-1] += " " + word
				at += 1 + n
				continue
			}
			out, at = append(out, word), n
		}
	}
	return strings.Join(out, "\n")
}

// docsCommand returns the docs command.
func docsCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "docs [TOPIC]", Short: "Show the documentation of this build",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				s := base.Screen(env, env.Stdout)
				manual.PrintTopics(s)
				return s.Err()
			}
			topic, err := manual.Find(args[0])
			if err != nil {
				return &base.Exit{Code: console.Usage, Err: err}
			}
			_, err = io.WriteString(env.Stdout, topic.Text())
			return err
		},
	}
}
