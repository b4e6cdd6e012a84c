package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/spf13/cobra"
)

func auditCommand(env *console.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "audit", Short: "Look at the ledger: what happened and what was decided",
		Long: `Every event that an agent sends is recorded in a ledger, with the hooks that were asked,
what they answered and what the agent was told. Its records are chained by their
hashes, so no one can change or remove one unnoticed.`,
		Example: `  checkrein audit tail -f                         # follow new records
  checkrein audit query --denied --since 7d
  checkrein audit summary                         # the newest session
  checkrein audit show 1042                       # one record in full
  checkrein explain 1042                          # why it was decided
  checkrein audit verify                          # is the ledger intact?
  checkrein audit export --format parquet -o ledger.parquet`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tailCommand(env), queryCommand(env), summaryCommand(env), showCommand(env), verifyCommand(env), exportCommand(env),
		checkpointCommand(env), keyCommand(env), pruneCommand(env), base.HelpCommand())
	return cmd
}

// A ledgerFlag is the ledger that a command line names; "" = the person's own.
type ledgerFlag string

func (l *ledgerFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(l), "ledger", "", "read the ledger in `DIR` instead of your own")
}

// dir is the ledger's directory.
func (l ledgerFlag) dir(env *console.Env) (string, error) {
	if l != "" {
		dir := env.Path(string(l))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", &base.Exit{Code: console.Usage, Err: fmt.Errorf("--ledger: %s is not a directory", dir)}
		}
		if filepath.Base(dir) == ledger.Folder && l.own(env) { // as the upkeep names it
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

// own reports whether the person's own ledger is meant, however it is named.
func (l ledgerFlag) own(env *console.Env) bool {
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

// begun fails with an errNoLedger, after it has told the person, when there is
// nothing to read in a ledger's directory.
func begun(env *console.Env, dir string) error {
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

// orNothing is begun for commands for which an empty ledger is none the worse.
func orNothing(err error) error {
	if errors.Is(err, errNoLedger) {
		return nil
	}
	return err
}
