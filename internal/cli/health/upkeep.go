package health

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/spf13/cobra"
)

// UpkeepCommand returns the upkeep command, which the hot program starts when a checkpoint is due. The
// command has no terminal, so it logs its errors.
func UpkeepCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	user := ""
	cmd := &cobra.Command{
		Use: "upkeep", Short: "Sign a checkpoint, send it to the witnesses and remove old records", Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := env.TakeTicket(env.Args...); err != nil {
				return &base.Exit{Code: console.Refused, Err: err}
			}
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("config") {
				user = base.Places(env).Config
			}
			if err := MaintainLedger(cmd.Context(), audit.NewMaintainer(env, dir, user)); err != nil {
				if base.FileExists(dir) { // logging would create a removed directory again
					records.Log(env, dir, "ledger maintenance: "+err.Error())
				}
				return &base.Exit{Code: console.Finding, Err: err, Quiet: true}
			}
			return nil
		},
	}
	at.Register(cmd)
	cmd.Flags().StringVar(&user, "config", "", "your configuration directory")
	return cmd
}

// maxUpkeepLedger is how many bytes of the ledger upkeep reads to rebuild the index. The rest is
// compared by digest.
const maxUpkeepLedger = 1 << 20

// repairStores discards derived files that were changed, so that they are rebuilt, and records and
// logs each of them.
func repairStores(ctx context.Context, k *audit.Maintainer) error {
	p := audit.RebuildPlace(k.Env, k.Dir, filepath.Base(k.Dir) == ledger.Folder)
	p.Most = maxUpkeepLedger
	found, err := p.Repair(ctx)
	for _, f := range found {
		text := f.String() + ": it is rebuilt"
		records.RecordRebuilt(k.Env, k.Dir, f.Store, text)
		records.Log(k.Env, k.Dir, text)
	}
	return err
}

// MaintainLedger signs a checkpoint, removes old records, repairs derived files, and checks whether
// hosts honoured rewrites. It returns at once if another process does so. A refusal to prune is
// reported only the first time.
func MaintainLedger(ctx context.Context, k *audit.Maintainer) error {
	unlock, err := k.Lock()
	if errors.Is(err, state.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = k.Checkpoint(ctx, false)
	unlock() // pruning may take long, and has its own lock
	_, pruneErr := k.Prune(ctx, seal.PruneOptions{Remember: true}, false)
	var refusal *seal.Refusal
	if errors.As(pruneErr, &refusal) && refusal.Before || errors.Is(pruneErr, state.ErrBusy) {
		pruneErr = nil
	}
	return errors.Join(err, pruneErr, repairStores(ctx, k), verifyHosts(ctx, k))
}

// verifyHosts checks whether hosts used replaced results and rewritten calls as hooks left them, and
// logs what it finds. It checks only this machine's own ledger.
func verifyHosts(ctx context.Context, k *audit.Maintainer) error {
	if dir, err := records.LedgerFlag("").Dir(k.Env); err != nil || dir != k.Dir {
		return nil
	}
	said, err := verifyHonoured(ctx, k.Env)
	more, err2 := verifyReplaced(ctx, k.Env)
	err = errors.Join(err, err2)
	said = append(said, more...)
	for _, text := range said {
		records.Log(k.Env, k.Dir, text)
	}
	return err
}
