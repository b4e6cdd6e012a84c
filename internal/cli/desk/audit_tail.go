package desk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/spf13/cobra"
)

func tailCommand(env *console.Env) *cobra.Command {
	var at ledgerFlag
	var follow, asJSON bool
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "tail", Short: "Show the newest records, and follow new ones",
		Example: `  checkrein audit tail                # the newest 20, oldest first
  checkrein audit tail -f             # then follow new records until Ctrl-C
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
			return base.Failed(err)
		},
	}
	at.register(cmd)
	filter.register(cmd, 20)
	filter.registerKind(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep running and show new records")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the ledger's lines unchanged")
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
		fmt.Fprintf(env.Stderr, "%s changed, damaged or forged. For details, run checkrein audit verify\n", base.Amount(n, "line"))
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
			return fmt.Errorf("%w. For details, run checkrein audit verify", err)
		}
	}
	return nil
}

// A printer shows records as they come: as rows of a table, or as they are.
type printer struct {
	env  *console.Env
	list *listing // nil = as they are
}

func newPrinter(env *console.Env, raw bool) *printer {
	if raw {
		return &printer{env: env}
	}
	return &printer{env: env, list: newListing(env)}
}

// print shows lines, all of which are whole.
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
