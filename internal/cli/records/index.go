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

// Folds reports whether a list leaves out events without a decision, because no flag asks for
// particular events, decisions, effects or hooks.
func (s *Selection) Folds() bool {
	return s.Kind == "" && len(s.Events)+len(s.Decisions)+len(s.Effects)+len(s.Outcomes)+len(s.Hooks) == 0
}

// OpenIndex opens the index of the ledger in dir. It first adds new records to the index, which may
// take a while.
func OpenIndex(ctx context.Context, env *console.Env, dir string) (*index.Index, error) {
	progress := base.NewProgress(env, "indexing")
	defer progress.End()
	return index.Open(ctx, dir, index.Options{Progress: progress.Set, Renewed: func(why error) { reportRebuilt(env, dir, why) }})
}

// reportRebuilt prints that the index is rebuilt because it was changed or damaged and, for the user's
// own ledger, records that.
func reportRebuilt(env *console.Env, dir string, why error) {
	text := fmt.Sprintf("the query index was damaged, or another program changed it. checkrein now rebuilds it from the ledger, which still has every record; you need not do anything (%v)", why)
	fmt.Fprintf(env.Stderr, "checkrein: %s\n", visible.EscapeLine(text))
	if LedgerFlag(dir).IsOwn(env) { // do not change a copy of a ledger
		RecordRebuilt(env, dir, "index", text)
	}
}

// WarnMissed prints a warning about lines that no query can return: those that were damaged when they
// were indexed, and alsoMissed others that were damaged since.
func WarnMissed(ctx context.Context, env *console.Env, ix *index.Index, alsoMissed int) error {
	n, err := ix.CountDamagedLines(ctx)
	WarnDamaged(env, n+alsoMissed)
	return err
}

// Filter returns the selection as a filter of the index. Hits are ordered newest first, unless oldest
// is set.
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

// SessionGlobs returns patterns that match sessions whose id begins or ends with id.
func SessionGlobs(id string) []string { return []string{id + "*", "*" + id} }

// EachHit calls fn with each line that the index finds, and returns how many lines have changed since
// they were indexed.
func EachHit(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte)) (damaged int, err error) {
	return EachHitUntil(ctx, ix, dir, filter, func(raw []byte) bool { fn(raw); return true })
}

// EachHitUntil is EachHit, but stops when fn returns false.
func EachHitUntil(ctx context.Context, ix *index.Index, dir string, filter index.Filter, fn func(raw []byte) bool) (damaged int, err error) {
	lines := lineFile{dir: dir}
	defer lines.close()
	for at, err := range ix.Query(ctx, filter) {
		if err != nil {
			return damaged, err
		}
		raw, err := lines.read(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the segment was pruned after it was indexed
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

// A lineFile reads single lines of a ledger. It keeps the last segment open.
type lineFile struct {
	dir     string
	segment int
	file    *os.File // nil = the segment could not be opened
	err     error
	voucher ledger.Voucher
}

// close closes the segment that is open, if any.
func (l *lineFile) close() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// read returns the line at a hit of the index. The error is fs.ErrNotExist if its segment is gone.
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

// WarnDamaged prints a warning if n, the number of damaged lines, is not 0.
func WarnDamaged(env *console.Env, n int) {
	if n > 0 {
		fmt.Fprintf(env.Stderr, "%s changed, damaged or forged. For details, run checkrein audit verify\n", base.Amount(n, "line"))
	}
}

// A LedgerFlag is the value of --ledger, the directory of a ledger. "" is the user's own ledger.
type LedgerFlag string

// Register adds the flag to cmd.
func (l *LedgerFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(l), "ledger", "", "read the ledger in `DIR` instead of your own")
}

// Dir returns the directory of the ledger. It returns an error if --ledger does not name a directory.
func (l LedgerFlag) Dir(env *console.Env) (string, error) {
	if l != "" {
		dir := env.Path(string(l))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", &base.Exit{Code: console.Usage, Err: fmt.Errorf("--ledger: %s is not a directory", dir)}
		}
		if filepath.Base(dir) == ledger.Folder && l.IsOwn(env) { // upkeep passes the user's own ledger like this
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

// BegunDir is Dir for commands that need records. If there are none, it returns the error of
// CheckBegun.
func (l LedgerFlag) BegunDir(env *console.Env) (string, error) {
	dir, err := l.Dir(env)
	if err == nil {
		err = CheckBegun(env, dir)
	}
	return dir, err
}

// checkPlace returns an error if the ledger in the state directory home is not a directory but, for
// example, a symlink. The target of a symlink is not the user's ledger, unless the user names it.
func checkPlace(home state.Dir) error {
	if err := home.CheckDir(ledger.Folder); errors.Is(err, state.ErrNotDir) {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	return nil
}

// IsOwn reports whether the flag means the user's own ledger, however it is named.
func (l LedgerFlag) IsOwn(env *console.Env) bool {
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

// errNoLedger means that nothing is recorded yet.
var errNoLedger = errors.New("no ledger")

// CheckBegun returns an error if the ledger in dir has nothing to read, after printing why. It also
// prints a message if part of the ledger cannot be read.
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
		fmt.Fprintf(env.Stderr, "no ledger at %s yet: it begins with the first event that an agent sends. To connect agents, run checkrein install --all\n", dir)
		return &base.Exit{Code: console.Finding, Err: errNoLedger, Quiet: true}
	}
	return base.AsFailure(err)
}

// IgnoreEmpty returns err, or nil if it is the error of CheckBegun for an empty ledger.
func IgnoreEmpty(err error) error {
	if errors.Is(err, errNoLedger) {
		return nil
	}
	return err
}

// RecordRebuilt records in the ledger in dir that store, which is derived from it, is rebuilt. If that
// fails, it logs text instead.
func RecordRebuilt(env *console.Env, dir, store, text string) {
	book := ledger.Open(ledger.Options{Dir: state.NewDir(filepath.Dir(dir)), Now: env.Now})
	if err := book.AppendDerived(store, text); err != nil {
		Log(env, dir, text)
	}
}

// Log appends a line, without secrets, to the log of the state directory that contains the ledger in
// dir.
func Log(env *console.Env, dir, text string) {
	line := env.Now().UTC().Format(time.RFC3339) + " " + visible.EscapeLine(secret.Redactor{}.MaskText(text))
	_ = state.NewDir(filepath.Dir(dir)).OpenLog(state.LogFile).Append([]byte(line)) // there is nowhere to report a failure
}
