// Package audit is the command audit: what the ledger of events contains, and whether it is
// intact.
package audit

import (
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

func Command(env *console.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "audit", Short: "Look at the ledger: what happened and what was decided",
		Long: `Every event that an agent sends is recorded in a ledger, with the hooks that were asked,
what they answered and what the agent was told. Its records are chained by their
hashes, so no one can change or remove one unnoticed.`,
		Example: `  checkrein audit tail -f                         # follow new records
  checkrein audit query --denied --since 7d
  checkrein audit summary                         # the newest session
  checkrein audit show 1042                       # one record in full
  checkrein explain 1042                          # why it was decided
  checkrein audit verify                          # is the ledger intact?
  checkrein audit export --format csv -o ledger.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tailCommand(env), queryCommand(env), summaryCommand(env), showCommand(env), verifyCommand(env), exportCommand(env),
		checkpointCommand(env), keyCommand(env), pruneCommand(env), base.HelpCommand())
	return cmd
}
