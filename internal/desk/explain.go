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
		Use: "explain [HANDLE | ID | --last]", Short: "Say why something was denied, asked or changed, and how to change that",
		Long: `The first line is the answer: what was decided about which call, by whom, why, and what
lets it pass. Then comes the story step by step, and how to change it.

Without a name it is about the newest event in which anything was decided, changed or
lifted by a grant; most events are none of these. A record can be named by the handle that
a block names, by its number or by the beginning of its hash.`,
		Example: `  checkrein explain                         # the newest decision
  checkrein explain 4f2a                    # a block, by its handle
  checkrein explain --decision deny         # the newest denial
  checkrein explain --last                  # the newest event of all
  checkrein explain 1042                    # by its number, from audit query or the log
  checkrein explain 3fa9c1 --json           # by the beginning of its hash`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			choose, err := filter.selection(env.Now())
			switch {
			case err != nil:
				return err
			case last && len(args) == 1:
				return errors.New("name one record, or say --last")
			case len(args) == 1 && !choose.anything():
				return errors.New("--host, --session and --decision look for the newest record: leave them out to name one")
			}
			dir, err := at.dir(env)
			if err != nil {
				return err
			}
			var raw []byte
			if len(args) == 1 {
				raw, err = findRecord(cmd.Context(), env, dir, args[0])
			} else {
				choose.decided = !last && len(choose.decisions) == 0
				raw, err = lastRecord(cmd.Context(), env, dir, choose)
			}
			if err != nil {
				return err
			}
			return explain(cmd.Context(), env, at, raw, asJSON)
		},
	}
	at.register(cmd)
	cmd.Flags().BoolVar(&last, "last", false, "the newest event of all, whether or not anything was decided")
	cmd.Flags().StringArrayVar(&filter.hosts, "host", nil, "the newest of this `HOST`; repeatable, as are the next two")
	cmd.Flags().StringArrayVar(&filter.sessions, "session", nil, "the newest of the session with this `ID`, or whose id begins so")
	cmd.Flags().StringArrayVar(&filter.decisions, "decision", nil, "the newest that ended so: `none|allow|ask|deny`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print {answer, record, stages, merge, clamp, told, person, change}")
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
		if choose.decided {
			err = errors.New("no such event was denied, asked about, changed or allowed by a grant: checkrein explain --last explains the newest of all, checkrein status says whether hosts call checkrein")
		}
	}
	if err != nil {
		return nil, failed(err)
	}
	return list[0], nil
}

// explain tells a record's story. One that is not as it was written is no
// evidence, and that is said first.
func explain(ctx context.Context, env *console.Env, at ledgerFlag, raw []byte, asJSON bool) error {
	_, damage := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		return &exit{code: console.Finding, err: fmt.Errorf("the line is no record any more: %w; checkrein audit verify says more", err)}
	}
	if damage != nil {
		fmt.Fprintln(env.Stderr, "this record is not as it was written, so nothing of it is sure: checkrein audit verify says more")
	}
	if r.Kind == ledger.KindPerson {
		return explainPerson(env, raw, r, asJSON)
	}
	if r.Kind != ledger.KindEvent {
		return &exit{code: console.Finding, err: fmt.Errorf("record %d is about the ledger itself (%s), and nothing was decided: checkrein audit show %d shows it", r.Seq, r.Kind, r.Seq)}
	}
	now, err := look(ctx, env, at, r)
	if err != nil {
		return err
	}
	story := tell(raw, r, now)
	if asJSON {
		return printJSON(env, story)
	}
	_, err = fmt.Fprint(env.Stdout, story.text(r, zone(env)))
	return err
}
