package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Folds reports whether events in which nothing was decided are left out: the command
// line asks for none of them.
func (s *Selection) Folds() bool {
	return s.Kind == "" && len(s.Events)+len(s.Decisions)+len(s.Effects)+len(s.Outcomes)+len(s.Hooks) == 0
}

// OpenIndex opens a ledger's index, which may take a while.
func OpenIndex(ctx context.Context, env *console.Env, dir string) (*index.Index, error) {
	progress := base.NewProgress(env, "indexing")
	defer progress.End()
	return index.Open(ctx, dir, index.Options{Progress: progress.Show, Renewed: func(why error) { renewed(env, dir, why) }})
}

// renewed tells that the index was made anew, since somebody changed or damaged it.
func renewed(env *console.Env, dir string, why error) {
	text := fmt.Sprintf("the query index was damaged, or another program changed it. checkrein now rebuilds it from the ledger, which still has every record; you need not do anything (%v)", why)
	fmt.Fprintf(env.Stderr, "checkrein: %s\n", visible.Line(text))
	if LedgerFlag(dir).Own(env) { // a copy stays as it is
		RecordRebuilt(env, dir, "index", text)
	}
}

// WarnMissed tells of lines that no answer can have in it: those that were no
// records when they were indexed, and some that are none any more.
func WarnMissed(ctx context.Context, env *console.Env, ix *index.Index, more int) error {
	n, err := ix.Damaged(ctx)
	WarnDamaged(env, n+more)
	return err
}

// Filter is the selection as the index understands it.
func (s *Selection) Filter(oldest bool) index.Filter {
	f := index.Filter{
		Since: s.Since, Until: s.Until, Host: s.Hosts, Event: s.Events, Tool: s.Tools,
		Decision: s.Decisions, Hook: s.Hooks, Effect: s.Effects, Outcome: s.Outcomes, Kind: cmp.Or(s.Kind, ledger.KindEvent),
		Limit: s.Limit, Oldest: oldest,
	}
	for _, id := range s.Sessions {
		f.Session = append(f.Session, SessionGlobs(id)...)
	}
	return f
}

// SessionGlobs are what the beginning or the end of a session's id finds.
func SessionGlobs(id string) []string { return []string{id + "*", "*" + id} }

// Hits calls fn for the lines that the index finds, and says how many lines were
// not as they had been when they were indexed.
func Hits(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte)) (damaged int, err error) {
	return HitsUntil(ctx, ix, dir, filter, func(raw []byte) bool { fn(raw); return true })
}

// HitsUntil is hits until fn has enough.
func HitsUntil(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte) bool) (damaged int, err error) {
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

// WarnDamaged tells of lines that are no records any more.
func WarnDamaged(env *console.Env, n int) {
	if n > 0 {
		fmt.Fprintf(env.Stderr, "%s changed, damaged or forged. For details, run checkrein audit verify\n", base.Amount(n, "line"))
	}
}
