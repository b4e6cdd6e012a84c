package desk

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/manual"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// helpWidth is what help texts are wrapped to, whatever the source breaks them at.
const helpWidth = 78

// fitHelp makes the help of a tree of commands fit a terminal of 80 columns.
func fitHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("mayHaveValue", mayHaveValue)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 80 | mayHaveValue"))
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Long = filled(c.Long, helpWidth)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// withDefault is a flag that may come without its value, as pflag shows it: --key PUB[="x"].
var withDefault = regexp.MustCompile(`--\S+ \S+\[="[^"]*"\]|--\S+ \S+\[=\S+\]`)

// mayHaveValue shows such flags as people type them: --key[=PUB].
func mayHaveValue(usages string) string {
	return withDefault.ReplaceAllStringFunc(usages, func(flag string) string {
		name, value, _ := strings.Cut(flag, " ")
		value, _, _ = strings.Cut(value, "[=")
		return fmt.Sprintf("%-*s", len(flag), name+"[="+value+"]")
	})
}

// filled wraps the paragraphs of a text anew. Indented lines are tables and stay.
func filled(text string, width int) string {
	var out []string
	at := 0 // columns of the line that is being filled; 0 = the next word begins one
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

// What the library for command lines says of mistakes.
var (
	flagsClash   = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set none of the others can be; \[(.*)\] were all set$`)
	flagsLack    = regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required$`)
	flagsPart    = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set they must all be set; missing \[(.*)\]$`)
	argsCount    = regexp.MustCompile(`^(?:accepts|requires) (at most |at least |between )?([0-9]+)(?: and ([0-9]+))? arg\(s\), (?:only )?received ([0-9]+)$`)
	wordUnknown  = regexp.MustCompile(`^unknown command "(.*)" for "(.*)"`)
	valueInvalid = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-., )?(.*)" flag: (.*)$`)
)

// wording is an error for the person, in place of the words of the library or the system.
// ran is the command that was given.
func wording(ran *cobra.Command, err error) string {
	text := console.Plain(err)
	var known *base.Exit
	if errors.As(err, &known) {
		return text
	}
	if m := flagsClash.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("use only one of %s (you gave %s)", flagList(m[1], "and"), flagList(m[2], "and"))
	}
	if m := flagsLack.FindStringSubmatch(text); m != nil {
		return "give one of " + flagList(m[1], "or")
	}
	if m := flagsPart.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s go together: add %s", flagList(m[1], "and"), flagList(m[2], "and"))
	}
	if m := argsCount.FindStringSubmatch(text); m != nil {
		return argsText(ran, m)
	}
	if m := wordUnknown.FindStringSubmatch(text); m != nil {
		names := base.CommandNames(ran)
		if len(names) == 0 {
			return fmt.Sprintf("no argument is allowed, but %q was given: %s", m[1], m[2])
		}
		return fmt.Sprintf("unknown command %q of %s%s", m[1], m[2], suggest.Hint(m[1], names))
	}
	if m := valueInvalid.FindStringSubmatch(text); m != nil {
		why := m[3]
		if strings.HasPrefix(why, "strconv.") {
			why = "write a number"
		} else if strings.HasPrefix(why, "time: ") {
			why = "write a duration, such as 30s or 10m"
		}
		return fmt.Sprintf("%s: %q is not valid: %s", m[2], m[1], why)
	}
	return text
}

// flagList names flags as people type them.
func flagList(names, last string) string {
	list := strings.Fields(names)
	for i := range list {
		list[i] = "--" + list[i]
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + last + " " + list[len(list)-1]
}

// argsText says how many arguments a command takes, by what argsCount found.
func argsText(ran *cobra.Command, m []string) string {
	limit, n, most, got := m[1], m[2], m[3], m[4]
	verb := "needed"
	switch limit {
	case "between ":
		limit, n = "", n+" to "+most
	case "at most ":
		verb = "allowed"
	}
	noun := "arguments are"
	if n == "1" {
		noun = "argument is"
	}
	given := "were"
	if got == "1" {
		given = "was"
	}
	return fmt.Sprintf("%s%s %s %s, but %s %s given: %s", limit, n, noun, verb, got, given, strings.TrimSuffix(ran.UseLine(), " [flags]"))
}

func docsCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "docs [TOPIC]", Short: "Show the documentation of this build",
		Long: `docs shows the pages that belong to this build: guides, topics, reference, and what is
known about each agent, as Markdown. Without a topic it lists all of them.`,
		Example: `  checkrein docs                 # all topics, one line each
  checkrein docs approvals       # one of them`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				s := base.Screen(env, env.Stdout)
				manual.List(s)
				return s.Err()
			}
			topic, err := manual.Named(args[0])
			if err != nil {
				return &base.Exit{Code: console.Usage, Err: err}
			}
			_, err = io.WriteString(env.Stdout, topic.Text())
			return err
		},
	}
}
