package docgen

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/desk"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandSections returns the visible commands by the groups of --help, each with its usage, flags and
// subcommands.
func commandSections() string {
	root := desk.Commands()
	var b strings.Builder
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "## %s\n\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				writeCommand(&b, c)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// writeCommand writes the section of c, and those of its subcommands.
func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n%s.\n\n", c.CommandPath(), escapeMarkdown(c.Short))
	switch {
	case c.DisableFlagParsing: // a command of the hot program, which prints its help itself
		fmt.Fprintf(b, "`%s --help` lists its flags.\n\n", c.CommandPath())
	case c.Runnable():
		fmt.Fprintf(b, "`%s`\n\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
	}
	if t := flagTable(c.NonInheritedFlags()); t != "" {
		b.WriteString(t + "\n\n")
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			writeCommand(b, sub)
		}
	}
}

// flagTable returns a table of visible flags, or "" if there are none.
func flagTable(flags *pflag.FlagSet) string {
	t, empty := newTable("flag", "what it does"), true
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		empty = false
		value, usage := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("--" + f.Name + " " + value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		t.row(code(name), escapeMarkdown(usage))
	})
	if empty {
		return ""
	}
	return t.String()
}
