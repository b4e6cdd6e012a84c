// Package records selects and reads the records of a ledger for commands.
package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// Folds reports whether events without a decision are left out, because the command line does not ask
// for them.
func (s *Selection) Folds() bool {
	return s.Kind == "" && len(s.Events)+len(s.Decisions)+len(s.Effects)+len(s.Outcomes)+len(s.Hooks) == 0
}

// OpenIndex opens a ledger's index, which may take a while.
func OpenIndex(ctx context.Context, env *console.Env, dir string) (*index.Index, error) {
	progress := base.NewProgress(env, "indexing")
	defer progress.End()
	return index.Open(ctx, dir, index.Options{Progress: progress.Set, Renewed: func(why error) { reportRebuilt(env, dir, why) }})
}

// reportRebuilt prints and records that the index is rebuilt because it was changed or damaged.
func reportRebuilt(env *console.Env, dir string, why error) {
	text := fmt.Sprintf("the query index was damaged, or another program changed it. checkrein now rebuilds it from the ledger, which still has every record; you need not do anything (%v)", why)
	fmt.Fprintf(env.Stderr, "checkrein: %s\n", visible.EscapeLine(text))
	if LedgerFlag(dir).Own(env) { // do not change a copy
		RecordRebuilt(env, dir, "index", text)
	}
}

// WarnMissed warns about lines that no result can contain: those that were damaged when they were
// indexed, and more that are now.
func WarnMissed(ctx context.Context, env *console.Env, ix *index.Index, more int) error {
	n, err := ix.CountDamaged(ctx)
	WarnDamaged(env, n+more)
	return err
}

// Filter returns the selection as a filter of the index.
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

// SessionGlobs returns the patterns that match sessions by the beginning or the end of their id.
func SessionGlobs(id string) []string { return []string{id + "*", "*" + id} }

// Hits calls fn for the lines that the index finds, and returns how many lines have changed since they
// were indexed.
func Hits(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte)) (damaged int, err error) {
	return HitsUntil(ctx, ix, dir, filter, func(raw []byte) bool { fn(raw); return true })
}

// HitsUntil is Hits until fn returns false.
func HitsUntil(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte) bool) (damaged int, err error) {
	lines := lineFile{dir: dir}
	defer lines.close()
	for at, err := range ix.Query(ctx, filter) {
		if err != nil {
			return damaged, err
		}
		raw, err := lines.read(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was pruned after it was indexed
		}
		if err != nil {
			return damaged, err
		}
		if line, err := ledger.ParseLine(raw); err != nil || line.Seq != at.Seq || lines.voucher.IsForged(&line) {
			damaged++
			continue
		}
		if !fn(raw) {
			break
		}
	}
	return damaged, nil
}

// A lineFile reads single lines, and keeps the last segment open.
type lineFile struct {
	dir     string
	segment int
	file    *os.File // nil = the segment could not be opened
	err     error
	voucher ledger.Voucher
}

// close closes the segment.
func (l *lineFile) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// read returns a line. The error is fs.ErrNotExist if its segment is gone.
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

// WarnDamaged warns about damaged lines.
func WarnDamaged(env *console.Env, n int) {
	if n > 0 {
		fmt.Fprintf(env.Stderr, "%s changed, damaged or forged. For details, run checkrein audit verify\n", base.Amount(n, "line"))
	}
}

// A LedgerFlag is the ledger that a command line names; "" = the person's own.
type LedgerFlag string

// Register adds the flag to a command.
func (l *LedgerFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(l), "ledger", "", "read the ledger in `DIR` instead of your own")
}

// Dir returns the ledger's directory.
func (l LedgerFlag) Dir(env *console.Env) (string, error) {
	if l != "" {
		dir := env.Path(string(l))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", &base.Exit{Code: console.Usage, Err: fmt.Errorf("--ledger: %s is not a directory", dir)}
		}
		if filepath.Base(dir) == ledger.Folder && l.Own(env) { // upkeep names it like this
			return dir, checkPlace(state.NewDir(filepath.Dir(dir)))
		}
		return dir, nil
	}
	home, err := base.StateDir(env)
	if err != nil {
		return "", err
	}
	return home.Path(ledger.Folder), checkPlace(home)
}

// BegunDir is Dir for commands that read records: it fails, as CheckBegun does, if there are none.
func (l LedgerFlag) BegunDir(env *console.Env) (string, error) {
	dir, err := l.Dir(env)
	if err == nil {
		err = CheckBegun(env, dir)
	}
	return dir, err
}

// checkPlace returns an error if something else lies in place of a ledger, such as a symlink: its
// target is not the person's ledger, unless they name it.
func checkPlace(home state.Dir) error {
	if err := home.CheckDir(ledger.Folder); errors.Is(err, state.ErrNotDir) {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	return nil
}

// Own reports whether the person's own ledger is meant, however it is named.
func (l LedgerFlag) Own(env *console.Env) bool {
	if l == "" {
		return true
	}
	home, err := base.StateDir(env)
	if err != nil {
		return false
	}
	mine, err := os.Stat(home.Path(ledger.Folder))
	if err != nil {
		return false
	}
	named, err := os.Stat(env.Path(string(l)))
	return err == nil && os.SameFile(mine, named)
}

// errNoLedger reports that nothing is recorded yet.
var errNoLedger = errors.New("no ledger")

// CheckBegun returns an error, after printing a message, if a ledger's directory has nothing to read.
func CheckBegun(env *console.Env, dir string) error {
	segments, err := ledger.Segments(dir)
	if lost := ledger.CheckCurrent(dir); lost != nil {
		fmt.Fprintf(env.Stderr, "part of the ledger cannot be read: %v (for details, run checkrein audit verify)\n", lost)
		if err != nil || len(segments) == 0 {
			return &base.Exit{Code: console.Finding, Err: errNoLedger, Quiet: true}
		}
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0 {
		fmt.Fprintf(env.Stderr, "no ledger at %s yet: it begins with the first event that an agent sends. To connect agents, run checkrein install\n", dir)
		return &base.Exit{Code: console.Finding, Err: errNoLedger, Quiet: true}
	}
	return base.AsFailure(err)
}

// IgnoreEmpty returns nil for the error of an empty ledger, and err otherwise.
func IgnoreEmpty(err error) error {
	if errors.Is(err, errNoLedger) {
		return nil
	}
	return err
}

// RecordRebuilt records what happened to a store, in the ledger that it belongs to.
func RecordRebuilt(env *console.Env, dir, store, text string) {
	book := ledger.Open(ledger.Options{Dir: state.NewDir(filepath.Dir(dir)), Now: env.Now})
	if err := book.AppendDerived(store, text); err != nil {
		Log(env, dir, text)
	}
}

// Log adds a redacted line to the log of the state directory that a ledger lies in.
func Log(env *console.Env, dir, text string) {
	line := env.Now().UTC().Format(time.RFC3339) + " " + visible.EscapeLine(secret.Redactor{}.Text(text))
	_ = state.NewDir(filepath.Dir(dir)).OpenLog(state.LogFile).Append([]byte(line)) // there is nowhere else to report it
}
