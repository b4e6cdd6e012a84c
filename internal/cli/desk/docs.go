package desk

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/manual"
	"github.com/spf13/cobra"
)

func docsCommand(env *console.Env) *cobra.Command {
	var word string
	cmd := &cobra.Command{
		Use: "docs [TOPIC]", Short: "Show the documentation of this build",
		Long: `docs shows the pages that belong to this build: guides, topics, reference, and what is
known about each agent. Without a topic it lists all of them.`,
		Example: `  checkrein docs                 # all topics, one line each
  checkrein docs approvals       # one of them
  checkrein docs -s 'force push' # search all pages`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, t := range manual.Topics() {
				names = append(names, t.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			s := base.Screen(env, env.Stdout)
			switch {
			case word != "" && len(args) > 0:
				return &base.Exit{Code: console.Usage, Err: fmt.Errorf("give a topic or --search, not both")}
			case word != "":
				if manual.Search(s, word) == 0 {
					return &base.Exit{Code: console.Finding, Err: fmt.Errorf("no page contains %q. To list the topics, run 'checkrein docs'", word)}
				}
			case len(args) == 0:
				manual.List(s)
			default:
				topic, err := manual.Named(args[0])
				if err != nil {
					return &base.Exit{Code: console.Usage, Err: err}
				}
				manual.Show(s, topic)
			}
			return s.Err()
		},
	}
	cmd.Flags().StringVarP(&word, "search", "s", "", "search all pages for `TEXT`")
	return cmd
}
