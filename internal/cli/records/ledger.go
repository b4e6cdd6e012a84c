// Package records selects and reads the records of a ledger for commands.
package records

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/secret/strict"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A LedgerFlag is the ledger that a command line names; "" = the person's own.
type LedgerFlag string

func (l *LedgerFlag) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(l), "ledger", "", "read the ledger in `DIR` instead of your own")
}

// Dir is the ledger's directory.
func (l LedgerFlag) Dir(env *console.Env) (string, error) {
	if l != "" {
		dir := env.Path(string(l))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", &base.Exit{Code: console.Usage, Err: fmt.Errorf("--ledger: %s is not a directory", dir)}
		}
		if filepath.Base(dir) == ledger.Folder && l.Own(env) { // as the upkeep names it
			return dir, placed(state.At(filepath.Dir(dir)))
		}
		return dir, nil
	}
	home, err := base.StateDir(env)
	if err != nil {
		return "", err
	}
	return home.Path(ledger.Folder), placed(home)
}

// placed refuses a ledger in whose place something else lies, such as a link: what that
// leads to is no ledger of ours, unless the person names it.
func placed(home state.Dir) error {
	if err := home.Folder(ledger.Folder); errors.Is(err, state.ErrPlace) {
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

// errNoLedger says that nothing was recorded yet.
var errNoLedger = errors.New("no ledger")

// CheckBegun fails with an errNoLedger, after it has told the person, when there is
// nothing to read in a ledger's directory.
func CheckBegun(env *console.Env, dir string) error {
	segments, err := ledger.Segments(dir)
	if lost := ledger.Lost(dir); lost != nil {
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
	return base.Failed(err)
}

// IgnoreEmpty is begun for commands for which an empty ledger is none the worse.
func IgnoreEmpty(err error) error {
	if errors.Is(err, errNoLedger) {
		return nil
	}
	return err
}

// RecordRebuilt puts on record what became of a store, in the ledger that the store goes
// with.
func RecordRebuilt(env *console.Env, dir, store, text string) {
	book := ledger.Open(ledger.Options{Dir: state.At(filepath.Dir(dir)), Now: env.Now})
	if err := book.AppendDerived(store, text); err != nil {
		Log(env, dir, text)
	}
}

// Log adds a line, masked, to the log of the state directory that a ledger lies
// in.
func Log(env *console.Env, dir, text string) {
	line := env.Now().UTC().Format(time.RFC3339) + " " + visible.Line(strict.Redactor{}.Text(text))
	_ = state.At(filepath.Dir(dir)).Log(state.LogFile).Append([]byte(line)) // there is nowhere else to say it
}
