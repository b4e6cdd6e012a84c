package desk

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

// TestUsageWords gives command lines with mistakes to the library itself, so that other
// words in a newer one are seen here.
func TestUsageWords(t *testing.T) {
	t.Parallel()
	tree := func() *cobra.Command {
		root := &cobra.Command{Use: "checkrein", SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return nil }}
		with := func(use string, args cobra.PositionalArgs) *cobra.Command {
			c := &cobra.Command{Use: use, Args: args, RunE: func(*cobra.Command, []string) error { return nil }}
			root.AddCommand(c)
			return c
		}
		flags := with("flags", cobra.NoArgs)
		flags.Flags().Bool("a", false, "")
		flags.Flags().Bool("b", false, "")
		flags.Flags().IntP("max", "m", 0, "")
		flags.Flags().Duration("for", 0, "")
		flags.MarkFlagsMutuallyExclusive("a", "b")
		need := with("need", cobra.NoArgs)
		need.Flags().Bool("c", false, "")
		need.Flags().Bool("d", false, "")
		need.MarkFlagsOneRequired("c", "d")
		pair := with("pair", cobra.NoArgs)
		pair.Flags().Bool("e", false, "")
		pair.Flags().Bool("f", false, "")
		pair.MarkFlagsRequiredTogether("e", "f")
		with("one RECORD", cobra.ExactArgs(1))
		with("most [NAME]", cobra.MaximumNArgs(1))
		with("least FILE…", cobra.MinimumNArgs(1))
		with("range A [B]", cobra.RangeArgs(1, 2))
		return root
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"flags", "--a", "--b"}, "use only one of --a and --b (you gave --a and --b)"},
		{[]string{"flags", "--max", "x"}, `--max: "x" is not valid: write a number`},
		{[]string{"flags", "-m", "x"}, `--max: "x" is not valid: write a number`},
		{[]string{"flags", "--for", "x"}, `--for: "x" is not valid: write a duration, such as 30s or 10m`},
		{[]string{"flags", "more"}, `no argument is allowed, but "more" was given: checkrein flags`},
		{[]string{"need"}, "give one of --c or --d"},
		{[]string{"pair", "--e"}, "--e and --f go together: add --f"},
		{[]string{"one"}, "1 argument is needed, but 0 were given: checkrein one RECORD"},
		{[]string{"one", "a", "b"}, "1 argument is needed, but 2 were given: checkrein one RECORD"},
		{[]string{"most", "a", "b"}, "at most 1 argument is allowed, but 2 were given: checkrein most [NAME]"},
		{[]string{"least"}, "at least 1 argument is needed, but 0 were given: checkrein least FILE…"},
		{[]string{"range"}, "1 to 2 arguments are needed, but 0 were given: checkrein range A [B]"},
		{[]string{"flgs"}, `unknown command "flgs" of checkrein, did you mean "flags"?`},
		{[]string{"nonsense"}, `unknown command "nonsense" of checkrein`},
	} {
		root := tree()
		root.SetArgs(tt.args)
		ran, err := root.ExecuteC()
		if err == nil {
			t.Errorf("%q: no error", tt.args)
		} else if got := wording(ran, err); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
	own := &base.Exit{Code: console.Finding, Err: fmt.Errorf("reading: %w", &os.PathError{Op: "open", Path: "/x", Err: os.ErrNotExist})}
	if got := wording(tree(), own); got != "reading: /x does not exist" {
		t.Errorf("%q", got)
	}
	if got := wording(tree(), errors.New("anything else")); got != "anything else" {
		t.Errorf("%q", got)
	}
}
