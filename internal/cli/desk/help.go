package desk

import (
	"fmt"
	"regexp"
	"strings"

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
