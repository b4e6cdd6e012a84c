package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/spf13/cobra"
)

func explainCommand(env *console.Env) *cobra.Command {
	var at ledgerFlag
	var last, asJSON bool
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "explain (ID | --last)", Short: "Say step by step why a recorded event was decided so, and how to change it",
		Example: `  checkrein explain --last                  # the newest
  checkrein explain --last --decision deny  # the newest denial
  checkrein explain 1042                    # by its number, from audit query or the log
  checkrein explain 3fa9c1 --json           # by the beginning of its hash`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if last == (len(args) == 1) {
				return errors.New("name one record, or say --last")
			}
			choose, err := filter.selection(env.Now())
			if err != nil {
				return err
			}
			if !last && !choose.anything() {
				return errors.New("--host, --session and --decision go with --last")
			}
			dir, err := at.dir(env)
			if err != nil {
				return err
			}
			var raw []byte
			if last {
				raw, err = lastRecord(cmd.Context(), env, dir, choose)
			} else {
				raw, err = findRecord(cmd.Context(), env, dir, args[0])
			}
			if err != nil {
				return err
			}
			return explain(env, raw, asJSON)
		},
	}
	at.register(cmd)
	cmd.Flags().BoolVar(&last, "last", false, "the newest event")
	cmd.Flags().StringArrayVar(&filter.hosts, "host", nil, "with --last: of this `HOST`; repeatable, as are the next two")
	cmd.Flags().StringArrayVar(&filter.sessions, "session", nil, "with --last: of the session with this `ID`, or whose id begins so")
	cmd.Flags().StringArrayVar(&filter.decisions, "decision", nil, "with --last: that ended so: `none|allow|ask|deny`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print {record, stages, merge, clamp, told, change}")
	return cmd
}

// lastRecord is the newest event that fits.
func lastRecord(ctx context.Context, env *console.Env, dir string, choose *selection) ([]byte, error) {
	if err := begun(env, dir); err != nil {
		return nil, err
	}
	list, _, _, err := newest(ctx, dir, choose, 1)
	if err == nil && len(list) == 0 {
		err = errors.New("no such event is recorded: checkrein audit query lists what there is")
	}
	if err != nil {
		return nil, failed(err)
	}
	return list[0], nil
}

// explain tells a record's story. One that is not as it was written is no
// evidence, and that is said first.
func explain(env *console.Env, raw []byte, asJSON bool) error {
	_, damage := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		return &exit{code: console.Finding, err: fmt.Errorf("the line is no record any more: %w; checkrein audit verify says more", err)}
	}
	if damage != nil {
		fmt.Fprintln(env.Stderr, "this record is not as it was written, so nothing of it is sure: checkrein audit verify says more")
	}
	if r.Kind != ledger.KindEvent {
		return &exit{code: console.Finding, err: fmt.Errorf("record %d is about the ledger itself (%s), and nothing was decided: checkrein audit show %d shows it", r.Seq, r.Kind, r.Seq)}
	}
	story := tell(raw, r)
	if asJSON {
		return printJSON(env, story)
	}
	_, err = fmt.Fprint(env.Stdout, story.text(r, zone(env)))
	return err
}
