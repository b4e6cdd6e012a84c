package audit

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
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/spf13/cobra"
)

func tailCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var follow, asJSON bool
	var filter records.FilterFlags
	cmd := &cobra.Command{
		Use: "tail", Short: "Show the newest records, and follow new ones",
		Example: `  checkrein audit tail                # the newest 20, oldest first
  checkrein audit tail -f             # then follow new records until Ctrl-C
  checkrein audit tail -f --denied --asked
  checkrein audit tail -n 1 --json`,
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
			err = tail(cmd.Context(), env, dir, choose, follow, newPrinter(env, asJSON))
			if errors.Is(err, context.Canceled) {
				return nil // Ctrl-C is how it ends
			}
			return base.Failed(err)
		},
	}
	at.Register(cmd)
	filter.Register(cmd, 20)
	filter.RegisterKind(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep running and show new records")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the ledger's lines unchanged")
	return cmd
}

func tail(ctx context.Context, env *console.Env, dir string, choose *records.Selection, follow bool, out *printer) error {
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
	return watch(ctx, env, dir, choose, end, out)
}

// lookAgain is how long to wait for more.
const lookAgain = 200 * time.Millisecond

// watch prints what is added to a ledger, until ctx ends.
func watch(ctx context.Context, env *console.Env, dir string, choose *records.Selection, from ledger.Position, out *printer) error {
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
