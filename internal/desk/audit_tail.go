package desk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/spf13/cobra"
)

func tailCommand(env *console.Env) *cobra.Command {
	var at ledgerFlag
	var follow, asJSON bool
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "tail", Short: "Show the newest records, and those that come",
		Example: `  checkrein audit tail                # the newest 20, oldest first
  checkrein audit tail -f             # and then what happens, until Ctrl-C
  checkrein audit tail -f --denied --asked
  checkrein audit tail -n 1 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choose, err := filter.selection(env.Now())
			if err != nil {
				return err
			}
			dir, err := at.dir(env)
			if err != nil {
				return err
			}
			err = tail(cmd.Context(), env, dir, choose, follow, newPrinter(env, asJSON))
			if errors.Is(err, context.Canceled) {
				return nil // Ctrl-C is how it ends
			}
			return failed(err)
		},
	}
	at.register(cmd)
	filter.register(cmd, 20)
	filter.registerKind(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is recorded from now on")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the lines as they stand in the ledger")
	return cmd
}

func tail(ctx context.Context, env *console.Env, dir string, choose *selection, follow bool, out *printer) error {
	var end ledger.Position
	err := begun(env, dir)
	if err == nil {
		var list [][]byte
		var damaged int
		if list, end, damaged, err = newest(ctx, dir, choose, choose.limit); err != nil {
			return err
		}
		out.print(list)
		sayDamaged(env, damaged)
	}
	if !follow || orNothing(err) != nil {
		return orNothing(err)
	}
	return watch(ctx, env, dir, choose, end, out)
}

// sayDamaged tells of lines that are no records any more.
func sayDamaged(env *console.Env, n int) {
	if n > 0 {
		fmt.Fprintf(env.Stderr, "%s not as written: checkrein audit verify says more\n", amount(n, "line"))
	}
}

// lookAgain is how long to wait for more.
const lookAgain = 200 * time.Millisecond

// watch prints what is added to a ledger, until ctx ends.
func watch(ctx context.Context, env *console.Env, dir string, choose *selection, from ledger.Position, out *printer) error {
	r := ledger.NewReader(dir, from)
	defer r.Close()
	for ctx.Err() == nil {
		e, err := r.Next()
		switch {
		case err == nil && e.Damaged:
			sayDamaged(env, 1)
		case err == nil:
			if fits, _ := choose.fitsLine(&e.Line); fits {
				out.print([][]byte{e.Line.Raw})
			}
		case errors.Is(err, io.EOF), errors.Is(err, fs.ErrNotExist):
			select {
			case <-ctx.Done():
			case <-time.After(lookAgain):
			}
		default:
			return fmt.Errorf("%w: checkrein audit verify says more", err)
		}
	}
	return nil
}

// A printer shows records as they come: as rows of a table, or as they are.
type printer struct {
	env   *console.Env
	table *table // nil = as they are
	begun bool
}

func newPrinter(env *console.Env, raw bool) *printer {
	if raw {
		return &printer{env: env}
	}
	return &printer{env: env, table: newTable(env)}
}

// print shows lines, all of which are whole.
func (p *printer) print(lines [][]byte) {
	if len(lines) == 0 {
		return
	}
	w := bufio.NewWriter(p.env.Stdout)
	defer w.Flush()
	if p.table == nil {
		for _, raw := range lines {
			fmt.Fprintf(w, "%s\n", raw)
		}
		return
	}
	var rows []row
	if !p.begun {
		rows, p.begun = append(rows, header()), true
	}
	for _, raw := range lines {
		if r, err := record.Decode(raw); err == nil { // what is whole was written by us
			rows = append(rows, rowOf(r, zone(p.env)))
			if r.Kind == ledger.KindPerson {
				rows[len(rows)-1][len(row{})-1] = personWords(raw)
			}
		}
	}
	p.table.fit(rows)
	for _, r := range rows {
		fmt.Fprintln(w, p.table.line(r))
	}
}
