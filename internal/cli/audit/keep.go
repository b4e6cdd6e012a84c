package audit

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/spf13/cobra"
)

func checkpointCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	cmd := &cobra.Command{
		Use: "checkpoint", Short: "Sign the current end of the ledger and send it to the witnesses",
		Long: `Sign the current end of the ledger and hand this checkpoint to the witnesses in your
configuration (ledger: witness, witness_command), if it is your own ledger. checkrein also
does this by itself from time to time; this command does it now and shows the result.`,
		Example: `  checkrein audit checkpoint`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if err := records.CheckBegun(env, dir); err != nil {
				return err
			}
			k := NewKeeper(env, dir, base.Places(env).Config)
			own := at.Own(env)
			if !own {
				k.settings.Witness, k.settings.WitnessCommand = "", nil
			}
			done, err := k.Checkpoint(cmd.Context(), true)
			done.say(env, own)
			return base.Failed(err)
		},
	}
	at.Register(cmd)
	return cmd
}

func keyCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var pem bool
	cmd := &cobra.Command{
		Use: "key", Short: "Print the public key that checks the ledger's signatures",
		Example: `  checkrein audit key
  checkrein audit key --pem > ledger.pem   # for audit verify --key on another machine`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if err := records.CheckBegun(env, dir); err != nil {
				return err
			}
			key, err := seal.ReadKey(dir)
			if err != nil {
				return base.Failed(err)
			}
			signer := seal.NewSigner(key)
			public := signer.Public()
			if pem {
				_, err := env.Stdout.Write(public.PEM())
				return err
			}
			fmt.Fprintf(env.Stdout, "ledger  %s\nkey     %s\npublic  %s\n", signer.Ledger(), public.ID(), hex.EncodeToString(public[:]))
			return nil
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&pem, "pem", false, "print PEM")
	return cmd
}

func pruneCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var dry, accept bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove records beyond the ledger's limits of age and size",
		Long: `Remove the oldest segments of the ledger: those older than ledger: keep_days in your
configuration (default: 90 days), and more while the ledger takes over keep_mib (default:
2048 MiB). A signed record of what was removed stays. checkrein also does this by itself
from time to time.

If anything to be removed fails verification, nothing is removed, because the evidence
would be lost. --accept-damage removes it anyway. It also accepts a ledger whose beginning
is missing without a record, for example after segments were moved away by hand. The
signed record says what was damaged.`,
		Example: `  checkrein audit prune --dry-run
  checkrein audit prune --accept-damage   # after you reviewed checkrein audit verify`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if !dry {
				if err := base.RequirePerson(env, base.BySwitch, state.At(filepath.Dir(dir))); err != nil {
					return err
				}
			}
			if err := records.CheckBegun(env, dir); err != nil {
				return records.IgnoreEmpty(err)
			}
			bar := base.NewProgress(env, "pruning")
			gone, err := NewKeeper(env, dir, base.Places(env).Config).Prune(cmd.Context(), seal.PruneOptions{AcceptDamage: accept}, dry)
			bar.End()
			if len(gone) > 0 || err == nil {
				sayPruned(env, gone, dry)
			}
			return base.Failed(err)
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVar(&accept, "accept-damage", false, "also remove what fails verification")
	return cmd
}

func sayPruned(env *console.Env, gone []seal.SegmentSummary, dry bool) {
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	for _, s := range gone {
		if s.First == 0 {
			fmt.Fprintf(env.Stdout, "%s segment %d (missing or unreadable)\n", verb, s.Segment)
			continue
		}
		damage := ""
		if s.Damaged {
			damage = ", failed verification"
		}
		fmt.Fprintf(env.Stdout, "%s segment %d: records %d to %d, %s to %s, %s%s\n", verb, s.Segment, s.First, s.Last,
			s.From.In(base.Zone(env)).Format(time.DateTime), s.To.In(base.Zone(env)).Format(time.DateTime), base.Amount(s.Bytes, "byte"), damage)
	}
	if len(gone) == 0 {
		fmt.Fprintln(env.Stdout, "nothing to prune")
	}
}

// errRehearsal says that nothing was to happen.
var errRehearsal = errors.New("this was a rehearsal")

// A rehearsal takes the record of what would be removed and refuses to write
// it, so that nothing is.
type rehearsal struct{ segments []seal.SegmentSummary }

func (r *rehearsal) Append(_ string, members []byte, _ bool) (ledger.Receipt, error) {
	var said struct {
		Segments []seal.SegmentSummary `json:"segments"`
	}
	if err := json.Unmarshal([]byte("{"+string(members)+"}"), &said); err != nil {
		return ledger.Receipt{}, err
	}
	r.segments = said.Segments
	return ledger.Receipt{}, errRehearsal
}
