package desk

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	own "github.com/checkrein/checkrein/internal/shell/files"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The list of commands that agents may run has all commands, including hidden ones. A new command or
// option must be added to it.
func TestAllCommandsAreListedForAgents(t *testing.T) {
	t.Parallel()
	rows := map[string]own.OwnCommand{}
	for _, row := range own.OwnCommands() {
		if _, twice := rows[row.Name]; twice {
			t.Errorf("%q is listed twice", row.Name)
		}
		rows[row.Name] = row
	}
	seen := map[string]bool{"help": true} // cobra adds help when the command runs
	// Former names still work but are not in help.
	former := []string{"wrong", "snapshots", "snapshots list", "snapshots reset", "undo list", "undo reset"}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "checkrein"), " ")
		row, ok := rows[name]
		seen[name] = true
		switch {
		case !ok:
			t.Errorf("%q is in no list: say in internal/shell/files/checkrein.go who may run it", name)
		case c.Hidden != (row.Audience == own.Internal || slices.Contains(former, name)):
			t.Errorf("%q: hidden %v, but listed as %d", name, c.Hidden, row.Audience)
		case len(c.Aliases) > 0:
			t.Errorf("%q has other names, which the list does not know: %v", name, c.Aliases)
		case row.Audience == own.Agents && !c.DisableFlagParsing:
			checkOptions(t, c, &row)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&console.Env{}))
	for name, row := range rows {
		if !seen[name] && !row.Planned && !strings.HasPrefix(name, "_") { // internal commands are tested in package hot
			t.Errorf("%q is listed, and there is no such command", name)
		}
		if row.Planned && seen[name] {
			t.Errorf("%q is here now: take Later from its row", name)
		}
	}
}

// checkOptions compares the options in row with those of its command.
func checkOptions(t *testing.T, c *cobra.Command, row *own.OwnCommand) {
	t.Helper()
	listed := map[string]bool{}
	for o := range strings.FieldsSeq(row.Allowed + " " + row.Denied + " " + own.CommonOptions) {
		if listed[o] {
			t.Errorf("%q: %s is listed twice", row.Name, o)
		}
		listed[o] = true
	}
	take := func(o string, value bool) {
		if value {
			o += "="
		}
		if !listed[o] {
			t.Errorf("%q: option %s is in no list: say in internal/shell/files/checkrein.go whether agents may give it", row.Name, o)
		}
		delete(listed, o)
	}
	flag := func(f *pflag.Flag) {
		take("--"+f.Name, f.NoOptDefVal == "")
		if f.Shorthand != "" {
			take("-"+f.Shorthand, f.NoOptDefVal == "")
		}
	}
	c.LocalFlags().VisitAll(flag)
	c.InheritedFlags().VisitAll(flag)
	delete(listed, "--version") // checkrein itself answers this flag of the program
	for o := range listed {
		t.Errorf("%q has no option %s", row.Name, o)
	}
}
