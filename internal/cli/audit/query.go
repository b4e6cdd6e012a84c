package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// queryFlags holds the flags of audit query other than those that select records.
type queryFlags struct{ all, oldest, count, json bool }

// queryCommand returns the audit query command.
func queryCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var filter records.FilterFlags
	var f queryFlags
	cmd := &cobra.Command{
		Use: "query", Short: "List decisions, newest first",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choose, err := filter.Selection(env.Now())
			if err != nil {
				return err
			}
			if f.all && !cmd.Flags().Changed("limit") {
				choose.Limit = 0
			}
			dir, err := at.BegunDir(env)
			if err != nil {
				return records.IgnoreEmpty(err)
			}
			return base.AsFailure(runQuery(cmd.Context(), env, dir, choose, &f))
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

// rowsAtOnce is how many rows are laid out as one table.
const rowsAtOnce = 256

// runQuery prints the selected records, or their number with --count.
func runQuery(ctx context.Context, env *console.Env, dir string, choose *records.Selection, f *queryFlags) error {
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
		filter.Limit = 0 // the limit applies to the rows that are shown
	}
	out := newPrinter(env, f.json)
	var lines [][]byte
	shown, folded := 0, 0
	damaged, err := records.EachHitUntil(ctx, ix, dir, filter, func(raw []byte) bool {
		if fold && !deservesRow(raw) {
			folded++
			return true
		}
		shown++
		if lines = append(lines, raw); len(lines) == rowsAtOnce {
			out.print(lines)
			lines = lines[:0]
		}
		return choose.Limit == 0 || shown < choose.Limit
	})
	out.print(lines)
	printFolded(env, shown, folded)
	return errors.Join(err, records.WarnMissed(ctx, env, ix, damaged), records.WarnUnrecorded(ctx, env, ix, dir, choose))
}

// deservesRow reports whether the record raw has a decision or another notable effect, or is of a
// foreign event.
func deservesRow(raw []byte) bool {
	if records.IsIdle(raw) && !bytes.Contains(raw, []byte(`"foreign":true`)) {
		return false
	}
	r, err := record.Decode(raw)
	return err == nil && (records.IsNotable(r) || r.Foreign)
}

// printFolded prints how many events were left out of the list, if any.
func printFolded(env *console.Env, shown, folded int) {
	if folded == 0 {
		return
	}
	text := term.FormatCount(folded, "more event") + " without a decision. To list them, run "
	if shown == 0 {
		text = "no decision in " + term.FormatCount(folded, "event") + ". To list them, run "
	}
	base.Screen(env, env.Stderr).Text(0, 0, term.T(term.Faint, text), term.Command("checkrein audit query -a"))
}

// showCommand returns the audit show command.
func showCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show one record in full",
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

// tailCommand returns the audit tail command.
func tailCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var follow, asJSON bool
	var filter records.FilterFlags
	cmd := &cobra.Command{
		Use: "tail", Short: "Show the newest records, and follow new ones",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choose, err := filter.Selection(env.Now())
			if err != nil {
				return err
			}
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			err = runTail(cmd.Context(), env, dir, choose, follow, newPrinter(env, asJSON))
			if errors.Is(err, context.Canceled) {
				return nil // Ctrl-C is how users end it
			}
			return base.AsFailure(err)
		},
	}
	at.Register(cmd)
	filter.Register(cmd, 20)
	filter.RegisterKind(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep running and show new records")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the ledger's lines unchanged")
	return cmd
}

// runTail prints the newest records and, if follow is set, new ones as they are added.
func runTail(ctx context.Context, env *console.Env, dir string, choose *records.Selection, follow bool, out *printer) error {
	var end ledger.Position
	err := records.CheckBegun(env, dir)
	if err == nil {
		var list [][]byte
		var damaged int
		if list, end, damaged, err = records.Newest(ctx, dir, choose, choose.Limit); err != nil {
			return err
		}
		out.print(list)
		records.WarnDamaged(env, damaged)
	}
	if !follow || records.IgnoreEmpty(err) != nil {
		return records.IgnoreEmpty(err)
	}
	return printNewRecords(ctx, env, dir, choose, end, out)
}

// pollInterval is how long watch waits before it checks again for new records.
const pollInterval = 200 * time.Millisecond

// printNewRecords prints the selected records after from as they are added to the ledger, until ctx
// ends.
func printNewRecords(ctx context.Context, env *console.Env, dir string, choose *records.Selection, from ledger.Position, out *printer) error {
	r := ledger.NewReader(dir, from)
	defer r.Close()
	for ctx.Err() == nil {
		e, err := r.Next()
		switch {
		case err == nil && e.Damaged:
			records.WarnDamaged(env, 1)
		case err == nil:
			if fits, _ := choose.FitsLine(&e.Line); fits {
				out.print([][]byte{e.Line.Raw})
			}
		case errors.Is(err, io.EOF), errors.Is(err, fs.ErrNotExist):
			select {
			case <-ctx.Done():
			case <-time.After(pollInterval):
			}
		default:
			return fmt.Errorf("%w. For details, run checkrein audit verify", err)
		}
	}
	return nil
}

// A printer prints records as rows of a table, or as the ledger has them.
type printer struct {
	env  *console.Env
	list *listing // nil = print the lines of the ledger
}

// newPrinter returns a printer of the ledger's lines if raw is set, and of a table otherwise.
func newPrinter(env *console.Env, raw bool) *printer {
	if raw {
		return &printer{env: env}
	}
	return &printer{env: env, list: newListing(env)}
}

// print prints lines of the ledger.
func (p *printer) print(lines [][]byte) {
	if p.list != nil {
		p.list.print(lines)
		return
	}
	w := bufio.NewWriter(p.env.Stdout)
	defer w.Flush()
	for _, raw := range lines {
		fmt.Fprintf(w, "%s\n", raw)
	}
}
