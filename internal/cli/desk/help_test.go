package desk

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

// The help of every command fits 80 columns, except for examples, which are for copying.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		var out strings.Builder
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if c.Example != "" {
			text = strings.Replace(text, c.Example, "", 1)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s --help has a line of more than 80 columns:\n%s", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&console.Env{}))
}
