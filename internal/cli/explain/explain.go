// Package explain implements the explain command, which shows why a call was denied, asked about or
// changed.
package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/spf13/cobra"
)

// Command returns the explain command.
func Command(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var f explainForm
	var last bool
	var filter records.FilterFlags
	cmd := &cobra.Command{
		Use: "explain [HANDLE | ID | --last]", Short: "Explain why a call was denied, asked about or changed",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			choose, err := filter.Selection(env.Now())
			switch {
			case err != nil:
				return err
			case last && len(args) == 1:
				return errors.New("name one record, or use --last")
			case len(args) == 1 && !choose.MatchesAny():
				return errors.New("--host, --session and --decision select the newest record. To name one, leave them out")
			}
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			var raw []byte
			if len(args) == 1 {
				raw, err = records.FindRecord(cmd.Context(), env, dir, args[0])
			} else {
				choose.Decided = !last && len(choose.Decisions) == 0
				raw, err = lastRecord(cmd.Context(), env, dir, choose)
				if err == nil && last {
					raw, err = decisionBefore(cmd.Context(), env, dir, choose, raw, f.json)
				}
			}
			if err != nil {
				return err
			}
			return printExplanation(cmd.Context(), env, at, raw, f)
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&last, "last", false, "explain the newest event; if it is not about a call, the decision made in its session up to a minute earlier")
	cmd.Flags().StringArrayVar(&filter.Hosts, "host", nil, "explain the newest event from this `AGENT`; repeatable, like --session and --decision")
	cmd.Flags().StringArrayVar(&filter.Sessions, "session", nil, "explain the newest event of the session whose ID equals, begins with or ends with `ID`")
	cmd.Flags().StringArrayVar(&filter.Decisions, "decision", nil, "explain the newest event with this decision: `none|allow|ask|deny`")
	cmd.Flags().StringVar(&f.policy, "policy", "", "also show what this policy decides about the call: a checkrein.yaml, or a directory with one, `FILE`")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show how the engine decided, and everything in the record")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object with {answer, record, merge, person, change, policy}")
	return cmd
}

// lastRecord returns the newest record that choose selects. It returns an error if there is none.
func lastRecord(ctx context.Context, env *console.Env, dir string, choose *records.Selection) ([]byte, error) {
	if err := records.CheckBegun(env, dir); err != nil {
		return nil, err
	}
	line, err := records.NewestOne(ctx, dir, choose)
	if err == nil && line == nil {
		err = errors.New("no record matches these options. To list the records, run checkrein audit query")
		if choose.Decided {
			err = errors.New("no recorded event was denied, asked about, changed or allowed by a grant. To explain the newest event, run checkrein explain --last; to see whether agents call checkrein, run checkrein status")
		}
	}
	if err != nil {
		return nil, base.AsFailure(err)
	}
	return line, nil
}

// relatedWithin is how long after a decision an event can still be related to it. Shortly after a
// decision, hosts report a question or end the turn.
const relatedWithin = time.Minute

// decisionBefore returns the record of the decision that preceded raw, the newest event. It returns raw
// if there is none, if raw itself is about a call, or if a call that passed came in between. Unless
// quiet is set, it prints a notice that a different record is explained.
func decisionBefore(ctx context.Context, env *console.Env, dir string, choose *records.Selection, raw []byte, quiet bool) ([]byte, error) {
	r, err := record.Decode(raw)
	if err != nil || records.IsNotable(r) || r.Session == "" {
		return raw, nil
	}
	near := *choose
	near.Since, near.Sessions = r.Time.Add(-relatedWithin), []string{r.Session}
	list, _, _, err := records.Newest(ctx, dir, &near, 0)
	if err != nil {
		return nil, base.AsFailure(err)
	}
	for _, line := range slices.Backward(list) {
		earlier, err := record.Decode(line)
		switch {
		case err != nil || earlier.Host != r.Host || earlier.Session != r.Session || earlier.Seq >= r.Seq:
		case r.Tool != nil && !sameResult(earlier, r):
			return raw, nil
		case records.IsNotable(earlier):
			if !quiet { // JSON output has the record's number
				fmt.Fprintf(env.Stderr, "nothing was decided about the newest event (%s). This is the decision before it. To see the newest event, run checkrein explain %d\n", r.Event, r.Seq)
			}
			return line, nil
		case earlier.Tool != nil:
			return raw, nil
		}
	}
	return raw, nil
}

// sameResult reports whether a and b are about the same result of a call. A result is judged once for
// the model and once for the user.
func sameResult(a, b *record.Record) bool {
	return a.Event == checkrein.ToolResponseTransform.String() && b.Event == checkrein.PostToolUse.String() &&
		a.Tool != nil && b.Tool != nil && a.Tool.CallID == b.Tool.CallID && a.Seq+1 == b.Seq
}

// An explainForm has the flags that choose how an explanation is printed.
type explainForm struct {
	json, verbose bool
	policy        string // a policy that decides the call again; "" = none
}

// printExplanation prints the explanation of the record raw. If the record was changed, it first
// prints a warning that it is not reliable.
func printExplanation(ctx context.Context, env *console.Env, at records.LedgerFlag, raw []byte, form explainForm) error {
	_, damage := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("this line of the ledger is no longer a valid record: %w. For details, run checkrein audit verify", err)}
	}
	if damage != nil {
		fmt.Fprintln(env.Stderr, "this record was changed or damaged, so do not rely on it. For details, run checkrein audit verify")
	}
	if r.Kind == ledger.KindPerson {
		return explainAct(env, raw, r, form.json)
	}
	if r.Kind != ledger.KindEvent {
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("record %d is about the ledger itself (%s) and contains no decision. To see it, run checkrein audit show %d", r.Seq, r.Kind, r.Seq)}
	}
	now, err := loadCurrentState(ctx, env, at, r)
	if err != nil {
		return err
	}
	story := newExplanation(raw, r, now)
	if form.policy != "" {
		dir, err := at.Dir(env)
		if err != nil {
			return err
		}
		if story.Policy, err = decideAgain(ctx, env, dir, form.policy, raw); err != nil {
			return err
		}
	}
	out := report.New(env)
	story.print(out, r)
	if form.verbose {
		PrintRecord(out, raw, base.Zone(env))
	}
	return out.Print(env, form.json, story)
}
