package audit

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/spf13/cobra"
)

func showCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show one record in full",
		Example: `  checkrein audit show 1042        # by its number
  checkrein audit show 3fa9c1      # by the beginning of its hash
  checkrein audit show last --json # the newest, unchanged from the ledger`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			raw, err := records.FindRecord(cmd.Context(), env, dir, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				_, err = fmt.Fprintf(env.Stdout, "%s\n", raw)
				return err
			}
			out := report.New(env)
			explain.PrintRecord(out, raw, base.Zone(env))
			return out.Show()
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the ledger's line unchanged")
	return cmd
}
