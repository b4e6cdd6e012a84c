package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// queryFlags are what a query's command line asks for beside its records.
type queryFlags struct{ all, oldest, count, json bool }

func queryCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var filter records.FilterFlags
	var f queryFlags
	cmd := &cobra.Command{
		Use: "query", Short: "List decisions, newest first",
		Long: `The list shows calls that were denied, asked about, allowed or changed. Events without a
decision are only counted, unless you ask for them with --all, or filter by event,
decision, effect or hook. --json and --count include all events.`,
		Example: `  checkrein audit query                                  # the newest 50
  checkrein audit query -a                               # all events, even without a decision
  checkrein audit query --denied --asked --since 7d       # what was denied or asked about
  checkrein audit query --tool shell --hook no-force-push --all
  checkrein audit query --kind person                    # what the user allowed, revoked, paused or reported as wrong
  checkrein audit query --event PreToolUse --since yesterday --count
  checkrein audit query --session 0f3a --oldest --json | jq .reason`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choose, err := filter.Selection(env.Now())
			if err != nil {
				return err
			}
			if f.all && !cmd.Flags().Changed("limit") {
				choose.Limit = 0
			}
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if err := records.CheckBegun(env, dir); err != nil {
				return records.IgnoreEmpty(err)
			}
			return base.Failed(query(cmd.Context(), env, dir, choose, &f))
		},
	}
	at.Register(cmd)
	filter.Register(cmd, 50)
	flags := cmd.Flags()
	filter.RegisterKind(cmd)
	flags.BoolVarP(&f.all, "all", "a", false, "include events without a decision, and list all of them unless -n is given")
	flags.BoolVar(&f.oldest, "oldest", false, "list the oldest first")
	flags.BoolVar(&f.count, "count", false, "print only the number of matching records")
	flags.BoolVar(&f.json, "json", false, "print the ledger's lines unchanged")
	return cmd
}

// atOnce is how many rows are laid out together.
const atOnce = 256

func query(ctx context.Context, env *console.Env, dir string, choose *records.Selection, f *queryFlags) error {
	ix, err := records.OpenIndex(ctx, env, dir)
	if err != nil {
		return err
	}
	defer ix.Close()
	filter := choose.Filter(f.oldest)
	if f.count {
		n, err := ix.Count(ctx, filter)
		if err == nil {
			fmt.Fprintln(env.Stdout, n)
		}
		return errors.Join(err, records.WarnMissed(ctx, env, ix, 0), records.WarnUnrecorded(ctx, env, ix, dir, choose))
	}
	fold := !f.all && !f.json && choose.Folds()
	if fold {
		filter.Limit = 0 // of those that are shown
	}
	out := newPrinter(env, f.json)
	var lines [][]byte
	shown, folded := 0, 0
	damaged, err := records.HitsUntil(ctx, ix, dir, filter, func(raw []byte) bool {
		if fold && !worthARow(raw) {
			folded++
			return true
		}
		shown++
		if lines = append(lines, raw); len(lines) == atOnce {
			out.print(lines)
			lines = lines[:0]
		}
		return choose.Limit == 0 || shown < choose.Limit
	})
	out.print(lines)
	sayFolded(env, shown, folded)
	return errors.Join(err, records.WarnMissed(ctx, env, ix, damaged), records.WarnUnrecorded(ctx, env, ix, dir, choose))
}

// worthARow reports whether something was decided in an event, or is odd about it.
func worthARow(raw []byte) bool {
	if records.IsIdle(raw) && !bytes.Contains(raw, []byte(`"foreign":true`)) {
		return false
	}
	r, err := record.Decode(raw)
	return err == nil && (records.IsNotable(r) || r.Foreign)
}

// sayFolded tells how many events are not in the list.
func sayFolded(env *console.Env, shown, folded int) {
	if folded == 0 {
		return
	}
	text := term.Count(folded, "more event") + " without a decision. To list them, run "
	if shown == 0 {
		text = "no decision in " + term.Count(folded, "event") + ". To list them, run "
	}
	base.Screen(env, env.Stderr).Text(0, 0, term.T(term.Faint, text), term.Command("checkrein audit query -a"))
}
