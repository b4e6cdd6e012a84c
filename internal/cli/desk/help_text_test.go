package desk

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

// Every section of help.txt belongs to a command.
func TestHelpSectionsHaveCommands(t *testing.T) {
	t.Parallel()
	var paths []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		paths = append(paths, strings.TrimPrefix(c.CommandPath(), "checkrein "))
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&console.Env{}))
	for name := range helpSections() {
		if name != "" && !slices.Contains(paths, name) {
			t.Errorf("%q is no command", name)
		}
	}
}
