// Package audit implements the audit command, which shows what the ledger contains and checks that it
// is intact.
package audit

import (
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/spf13/cobra"
)

// Command returns the audit command.
func Command(env *console.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "audit", Short: "Look at the ledger: what happened and what was decided",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tailCommand(env), queryCommand(env), summaryCommand(env), showCommand(env), verifyCommand(env), exportCommand(env),
		checkpointCommand(env), keyCommand(env), pruneCommand(env), base.HelpCommand())
	return cmd
}
