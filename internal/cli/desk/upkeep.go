package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

// A keeper does what a ledger needs now and then: it signs where the ledger
// ends, tells the witnesses, and removes what is too old.
type keeper struct {
	env      *console.Env
	dir      string // the ledger's
	settings checkrein.LedgerSettings
	unsure   error         // why the settings may not be what the person wants
	patience time.Duration // with another one that does the same
}

// upkeepWait is how long an upkeep waits for another: what was recorded after
// that one had looked must come to the witnesses too.
const upkeepWait = 10 * time.Second

// newKeeper keeps a ledger by the settings in the person's configuration directory.
func newKeeper(env *console.Env, dir, user string) *keeper {
	k := &keeper{env: env, dir: dir, patience: upkeepWait}
	k.settings, k.unsure = ledgerSettings(env, user)
	return k
}

// ledgerSettings are what the person's and the administrator's files say. What
// a project says of the ledger never counts, so none is looked for. Beside an
// error they are what could be read.
func ledgerSettings(env *console.Env, user string) (checkrein.LedgerSettings, error) {
	opts := config.Options{Managed: env.Managed, User: user, Dialect: dialect.Of}
	switch opts.Managed {
	case "":
		opts.Managed = config.ManagedDir()
	case kit.NoManaged:
		opts.Managed = ""
	}
	read := config.Load(opts)
	set := read.Settings.Ledger
	if rest, ok := strings.CutPrefix(set.Witness, "~/"); ok {
		set.Witness = filepath.Join(environ.Home(env.Environ), rest)
	}
	if read.Err() != nil {
		return set, errors.New("the configuration has errors (to see them, run checkrein validate)")
	}
	return set, nil
}

// A signed is what a checkpoint came to.
type signed struct {
	*seal.Checkpoint          // nil = there is nothing to sign yet
	fresh            bool     // it was signed just now
	told             []string // the witnesses that have it
}

// checkpoint signs where the ledger ends and tells the witnesses. Again tells
// the command also of a checkpoint that was signed before; a file is always
// told what it lacks.
func (k *keeper) checkpoint(ctx context.Context, again bool) (signed, error) {
	c, fresh, err := seal.TakeCheckpoint(k.dir, k.env.Now())
	if err != nil || c == nil {
		return signed{}, err
	}
	out := signed{Checkpoint: c, fresh: fresh}
	var errs []error
	if file := k.settings.Witness; file != "" {
		if err := tellFile(file, c); err != nil {
			errs = append(errs, err)
		} else {
			out.told = append(out.told, file)
		}
	}
	if argv := k.settings.WitnessCommand; len(argv) > 0 && (fresh || again) {
		if err := k.tellCommand(ctx, argv, c); err != nil {
			errs = append(errs, err)
		} else {
			out.told = append(out.told, "the command "+argv[0])
		}
	}
	return out, errors.Join(errs...)
}

// tellFile adds a checkpoint to a witness file, unless that has it.
func tellFile(path string, c *seal.Checkpoint) error {
	if w, err := seal.ReadWitness(path); err == nil && bytes.Contains(w.Data, c.Line()) {
		return nil
	}
	return seal.AppendWitness(path, c)
}

// witnessTime is how long a witness command may take.
const witnessTime = 30 * time.Second

func (k *keeper) tellCommand(ctx context.Context, argv []string, c *seal.Checkpoint) error {
	ctx, cancel := context.WithTimeout(ctx, witnessTime)
	defer cancel()
	res, err := process.Run(ctx, process.Spec{Argv: argv, Dir: k.dir, Env: k.env.Environ, Stdin: c.Line()})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("exit code %d: %s", res.Exit, base.OneLine(string(res.Stderr)))
	}
	if err != nil {
		return fmt.Errorf("calling the witness command %s: %w", argv[0], err)
	}
	return nil
}

// upkeepCommand is what the hot program starts when a checkpoint is due. Nobody
// looks at it, so what goes wrong is logged.
func upkeepCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	user := ""
	cmd := &cobra.Command{
		Use: "upkeep", Short: "Sign a checkpoint, send it to the witnesses and remove old records", Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := env.Admitted(env.Args...); err != nil {
				return &base.Exit{Code: console.Refused, Err: err}
			}
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("config") {
				user = base.Places(env).Config
			}
			if err := keep(cmd.Context(), newKeeper(env, dir, user)); err != nil {
				records.Log(env, dir, "ledger maintenance: "+err.Error())
				return &base.Exit{Code: console.Finding, Err: err, Quiet: true}
			}
			return nil
		},
	}
	at.Register(cmd)
	cmd.Flags().StringVar(&user, "config", "", "your configuration directory")
	return cmd
}

// upkeepMost is how much of the ledger an upkeep reads to make the index again: nobody
// waits for it, and the rest has its sums.
const upkeepMost = 1 << 20

// repairStores discards derived files that are not as they were written, and records that.
func repairStores(ctx context.Context, k *keeper) error {
	p := derivedAt(k.env, k.dir, filepath.Base(k.dir) == ledger.Folder)
	p.Most = upkeepMost
	found, err := p.Repair(ctx)
	for _, f := range found {
		text := f.String() + ": it is rebuilt"
		records.RecordRebuilt(k.env, k.dir, f.Store, text)
		records.Log(k.env, k.dir, text)
	}
	return err
}

// keep maintains a ledger, unless another process does so for too long. A refused prune is
// reported once.
func keep(ctx context.Context, k *keeper) error {
	unlock, err := k.lock()
	if errors.Is(err, state.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = k.checkpoint(ctx, false)
	unlock() // pruning may take long, and excludes others itself
	_, pruneErr := k.prune(ctx, seal.PruneOptions{Remember: true}, false)
	var refusal *seal.Refusal
	if errors.As(pruneErr, &refusal) && refusal.Before || errors.Is(pruneErr, state.ErrBusy) {
		pruneErr = nil
	}
	return errors.Join(err, pruneErr, repairStores(ctx, k), verifyHosts(ctx, k))
}

// verifyHosts checks whether hosts used replaced results and rewritten calls as hooks left
// them. A ledger elsewhere is not about the hosts here.
func verifyHosts(ctx context.Context, k *keeper) error {
	if dir, err := records.LedgerFlag("").Dir(k.env); err != nil || dir != k.dir {
		return nil
	}
	said, err := verifyHeard(ctx, k.env)
	more, err2 := verifyReplaced(ctx, k.env)
	err = errors.Join(err, err2)
	said = append(said, more...)
	for _, text := range said {
		records.Log(k.env, k.dir, text)
	}
	return err
}

// lock waits for its turn.
func (k *keeper) lock() (unlock func(), err error) {
	for end := time.Now().Add(k.patience); ; {
		unlock, err = state.At(k.dir).Lock("upkeep") // which waits for a while itself
		if !errors.Is(err, state.ErrBusy) || time.Now().After(end) {
			return unlock, err
		}
	}
}
