package desk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// queryFlags are what a query's command line asks for beside its records.
type queryFlags struct{ all, oldest, count, json bool }

func queryCommand(env *console.Env) *cobra.Command {
	var at ledgerFlag
	var filter filterFlags
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
			choose, err := filter.selection(env.Now())
			if err != nil {
				return err
			}
			if f.all && !cmd.Flags().Changed("limit") {
				choose.limit = 0
			}
			dir, err := at.dir(env)
			if err != nil {
				return err
			}
			if err := begun(env, dir); err != nil {
				return orNothing(err)
			}
			return base.Failed(query(cmd.Context(), env, dir, choose, &f))
		},
	}
	at.register(cmd)
	filter.register(cmd, 50)
	flags := cmd.Flags()
	filter.registerKind(cmd)
	flags.BoolVarP(&f.all, "all", "a", false, "include events without a decision, and list all of them unless -n is given")
	flags.BoolVar(&f.oldest, "oldest", false, "list the oldest first")
	flags.BoolVar(&f.count, "count", false, "print only the number of matching records")
	flags.BoolVar(&f.json, "json", false, "print the ledger's lines unchanged")
	return cmd
}

// atOnce is how many rows are laid out together.
const atOnce = 256

func query(ctx context.Context, env *console.Env, dir string, choose *selection, f *queryFlags) error {
	ix, err := openIndex(ctx, env, dir)
	if err != nil {
		return err
	}
	defer ix.Close()
	filter := choose.filter(f.oldest)
	if f.count {
		n, err := ix.Count(ctx, filter)
		if err == nil {
			fmt.Fprintln(env.Stdout, n)
		}
		return errors.Join(err, sayMissed(ctx, env, ix, 0), sayUnrecorded(ctx, env, ix, dir, choose))
	}
	fold := !f.all && !f.json && choose.folds()
	if fold {
		filter.Limit = 0 // of those that are shown
	}
	out := newPrinter(env, f.json)
	var lines [][]byte
	shown, folded := 0, 0
	damaged, err := hitsUntil(ctx, ix, dir, filter, func(raw []byte) bool {
		if fold && !worthARow(raw) {
			folded++
			return true
		}
		shown++
		if lines = append(lines, raw); len(lines) == atOnce {
			out.print(lines)
			lines = lines[:0]
		}
		return choose.limit == 0 || shown < choose.limit
	})
	out.print(lines)
	sayFolded(env, shown, folded)
	return errors.Join(err, sayMissed(ctx, env, ix, damaged), sayUnrecorded(ctx, env, ix, dir, choose))
}

// folds reports whether events in which nothing was decided are left out: the command
// line asks for none of them.
func (s *selection) folds() bool {
	return s.kind == "" && len(s.events)+len(s.decisions)+len(s.effects)+len(s.outcomes)+len(s.hooks) == 0
}

// worthARow reports whether something was decided in an event, or is odd about it.
func worthARow(raw []byte) bool {
	if idle(raw) && !bytes.Contains(raw, []byte(`"foreign":true`)) {
		return false
	}
	r, err := record.Decode(raw)
	return err == nil && (notable(r) || r.Foreign)
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

// openIndex opens a ledger's index, which may take a while.
func openIndex(ctx context.Context, env *console.Env, dir string) (*index.Index, error) {
	progress := base.NewProgress(env, "indexing")
	defer progress.End()
	return index.Open(ctx, dir, index.Options{Progress: progress.Show, Renewed: func(why error) { renewed(env, dir, why) }})
}

// renewed tells that the index was made anew, since somebody changed or damaged it.
func renewed(env *console.Env, dir string, why error) {
	text := fmt.Sprintf("the query index was damaged, or another program changed it. checkrein now rebuilds it from the ledger, which still has every record; you need not do anything (%v)", why)
	fmt.Fprintf(env.Stderr, "checkrein: %s\n", visible.Line(text))
	if ledgerFlag(dir).own(env) { // a copy stays as it is
		recordDerived(env, dir, "index", text)
	}
}

// recordDerived puts on record what became of a store, in the ledger that the store goes
// with.
func recordDerived(env *console.Env, dir, store, text string) {
	book := ledger.Open(ledger.Options{Dir: state.At(filepath.Dir(dir)), Now: env.Now})
	if err := book.AppendDerived(store, text); err != nil {
		logTo(env, dir, text)
	}
}

// sayMissed tells of lines that no answer can have in it: those that were no
// records when they were indexed, and some that are none any more.
func sayMissed(ctx context.Context, env *console.Env, ix *index.Index, more int) error {
	n, err := ix.Damaged(ctx)
	sayDamaged(env, n+more)
	return err
}

// filter is the selection as the index understands it.
func (s *selection) filter(oldest bool) index.Filter {
	f := index.Filter{
		Since: s.since, Until: s.until, Host: s.hosts, Event: s.events, Tool: s.tools,
		Decision: s.decisions, Hook: s.hooks, Effect: s.effects, Outcome: s.outcomes, Kind: cmp.Or(s.kind, ledger.KindEvent),
		Limit: s.limit, Oldest: oldest,
	}
	for _, id := range s.sessions {
		f.Session = append(f.Session, sessionGlobs(id)...)
	}
	return f
}

// sessionGlobs are what the beginning or the end of a session's id finds.
func sessionGlobs(id string) []string { return []string{id + "*", "*" + id} }

// hits calls fn for the lines that the index finds, and says how many lines were
// not as they had been when they were indexed.
func hits(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte)) (damaged int, err error) {
	return hitsUntil(ctx, ix, dir, filter, func(raw []byte) bool { fn(raw); return true })
}

// hitsUntil is hits until fn has enough.
func hitsUntil(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte) bool) (damaged int, err error) {
	lines := lineFile{dir: dir}
	defer lines.close()
	for at, err := range ix.Query(ctx, filter) {
		if err != nil {
			return damaged, err
		}
		raw, err := lines.read(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was pruned since the index looked
		}
		if err != nil {
			return damaged, err
		}
		if line, err := ledger.ParseLine(raw); err != nil || line.Seq != at.Seq || lines.voucher.Forged(&line) {
			damaged++
			continue
		}
		if !fn(raw) {
			break
		}
	}
	return damaged, nil
}

// A lineFile reads lines here and there, and keeps the segment open that it
// read last.
type lineFile struct {
	dir     string
	segment int
	file    *os.File // nil = the segment could not be opened
	err     error
	voucher ledger.Voucher
}

func (l *lineFile) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// read returns a line. One in a segment that is gone is an fs.ErrNotExist.
func (l *lineFile) read(at index.Hit) ([]byte, error) {
	if l.segment != at.Segment {
		l.close()
		l.segment = at.Segment
		if l.file, l.err = ledger.OpenSegment(l.dir, at.Segment); l.err == nil {
			l.voucher = ledger.NewVoucher(ledger.ReadSeals(l.dir), l.file)
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	raw := make([]byte, at.Len)
	if _, err := l.file.ReadAt(raw, at.Offset); err != nil {
		return nil, fmt.Errorf("record %d: segment %d, offset %d: %w. For details, run checkrein audit verify", at.Seq, at.Segment, at.Offset, err)
	}
	return raw, nil
}
