package blocked

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// ReportCommand returns the report command.
func ReportCommand(env *console.Env) *cobra.Command {
	var why string
	cmd := &cobra.Command{
		Use: "report HANDLE", Short: "Report that a block was a false alarm",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := base.PersonKit(env, base.ByHand)
			if err != nil {
				return err
			}
			handle := strings.ToLower(args[0])
			b, err := k.MarkFalseAlarm(handle, why, base.PersonName())
			if errors.Is(err, grant.ErrUnknown) {
				return base.AsRefusal(fmt.Errorf("no block in the last day has the handle %s. To list the newest blocks, run checkrein allow", visible.EscapeLine(handle)))
			}
			if err != nil {
				return base.AsFailure(err)
			}
			fmt.Fprintf(env.Stdout, "recorded as a false alarm: %s\nTo allow it: checkrein allow %s\n", visible.EscapeLine(b.Shown), b.Handle)
			return nil
		},
	}
	cmd.Flags().StringVar(&why, "why", "", "record this `TEXT` as the reason why the block is wrong")
	return cmd
}
