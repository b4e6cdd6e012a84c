package audit

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/moment"
	"github.com/spf13/cobra"
)

// checkpointCommand returns the audit checkpoint command.
func checkpointCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	cmd := &cobra.Command{
		Use: "checkpoint", Short: "Sign the current end of the ledger and send it to the witnesses",
		Example: `  checkrein audit checkpoint`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.BegunDir(env)
			if err != nil {
				return err
			}
			k := NewMaintainer(env, dir, base.Places(env).Config)
			own := at.IsOwn(env)
			if !own {
				k.settings.Witness, k.settings.WitnessCommand = "", nil
			}
			done, err := k.Checkpoint(cmd.Context(), true)
			done.print(env, own)
			return base.AsFailure(err)
		},
	}
	at.Register(cmd)
	return cmd
}

// keyCommand returns the audit key command.
func keyCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var pem bool
	cmd := &cobra.Command{
		Use: "key", Short: "Print the public key that checks the ledger's signatures",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := at.BegunDir(env)
			if err != nil {
				return err
			}
			key, err := seal.ReadKey(dir)
			if err != nil {
				return base.AsFailure(err)
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

// pruneCommand returns the audit prune command.
func pruneCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var dry, accept bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove records beyond the ledger's limits of age and size",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			if !dry {
				if err := base.RequirePerson(env, base.BySwitch, state.NewDir(filepath.Dir(dir))); err != nil {
					return err
				}
			}
			if err := records.CheckBegun(env, dir); err != nil {
				return records.IgnoreEmpty(err)
			}
			bar := base.NewProgress(env, "pruning")
			gone, err := NewMaintainer(env, dir, base.Places(env).Config).Prune(cmd.Context(), seal.PruneOptions{AcceptDamage: accept}, dry)
			bar.End()
			if len(gone) > 0 || err == nil {
				printPruned(env, gone, dry)
			}
			return base.AsFailure(err)
		},
	}
	at.Register(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be removed")
	cmd.Flags().BoolVar(&accept, "accept-damage", false, "also remove segments that fail verification")
	return cmd
}

// printPruned prints the segments that were removed or, if dry is set, would be.
func printPruned(env *console.Env, gone []seal.SegmentSummary, dry bool) {
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

// errDryRun is returned by pruneDryRun.Append, which writes nothing.
var errDryRun = errors.New("dry run: nothing was removed")

// A pruneDryRun takes the place of a ledger for [seal.Prune]. It stores which segments would be
// removed, and refuses to record that, so that nothing is removed.
type pruneDryRun struct{ segments []seal.SegmentSummary }

// Append stores the segments that the record lists, and returns errDryRun.
func (r *pruneDryRun) Append(_ string, members []byte, _ bool) (ledger.Receipt, error) {
	var said struct {
		Segments []seal.SegmentSummary `json:"segments"`
	}
	if err := json.Unmarshal([]byte("{"+string(members)+"}"), &said); err != nil {
		return ledger.Receipt{}, err
	}
	r.segments = said.Segments
	return ledger.Receipt{}, errDryRun
}

// print prints what was signed, and which witnesses have it. own means that the ledger is the user's
// own.
func (s *checkpointResult) print(env *console.Env, own bool) {
	if s.Checkpoint == nil {
		return
	}
	how := "signed"
	if !s.fresh {
		how = "signed before"
	}
	fmt.Fprintf(env.Stdout, "%s: record %d, hash %s, with key %s\n", how, s.Seq, s.Hash, s.Key)
	for _, w := range s.witnesses {
		fmt.Fprintf(env.Stdout, "witness: %s has this checkpoint\n", w)
	}
	switch {
	case !own:
		fmt.Fprintln(env.Stdout, "not sent to any witness: the witnesses in your configuration are only for your own ledger")
	case len(s.witnesses) == 0:
		fmt.Fprintln(env.Stdout, "not sent to any witness, so a removal of the newest records would go unnoticed. To add a witness, set ledger: {witness: FILE} in your checkrein.yaml")
	}
}

// Prune removes segments beyond the limits in the settings and returns them. If dry is set, it only
// returns them. It fails if the settings could not be read completely, since a removal cannot be
// undone.
func (k *Maintainer) Prune(ctx context.Context, opts seal.PruneOptions, dry bool) ([]seal.SegmentSummary, error) {
	if k.settingsErr != nil {
		return nil, fmt.Errorf("nothing was pruned: %w", k.settingsErr)
	}
	opts.Keep, opts.KeepBytes, opts.Now = time.Duration(k.settings.KeepDays)*moment.Day, int64(k.settings.KeepMiB)<<20, k.Env.Now()
	if dry {
		var rehearsal pruneDryRun
		_, err := seal.Prune(ctx, k.Dir, &rehearsal, opts)
		if errors.Is(err, errDryRun) {
			err = nil
		}
		return rehearsal.segments, err
	}
	if filepath.Base(k.Dir) != ledger.Folder {
		return nil, fmt.Errorf("%s is a copy. Only the original ledger can be pruned: its directory is named %s", k.Dir, ledger.Folder)
	}
	book := ledger.Open(ledger.Options{Dir: state.NewDir(filepath.Dir(k.Dir)), Now: k.Env.Now})
	return seal.Prune(ctx, k.Dir, book, opts)
}

// A Maintainer maintains a ledger: it signs its end, sends checkpoints to witnesses, and removes old
// records.
type Maintainer struct {
	Env         *console.Env
	Dir         string // the directory of the ledger
	settings    setting.Ledger
	settingsErr error         // why the settings may be incomplete
	Patience    time.Duration // how long to wait for another maintainer
}

// upkeepWait is how long a maintainer waits for another one. It waits because records that were added
// after the other one began must reach the witnesses too.
const upkeepWait = 10 * time.Second

// NewMaintainer returns a maintainer of the ledger in dir, with the settings in user, the user's
// configuration directory, and in the administrator's.
func NewMaintainer(env *console.Env, dir, user string) *Maintainer {
	k := &Maintainer{Env: env, Dir: dir, Patience: upkeepWait}
	k.settings, k.settingsErr = LedgerSettings(env, user)
	return k
}

// LedgerSettings returns the ledger's settings in the administrator's files and in user, the user's
// configuration directory. Those of projects never count. With an error, it returns the settings that
// could be read.
func LedgerSettings(env *console.Env, user string) (setting.Ledger, error) {
	opts := config.Options{Managed: env.Managed, User: user, Dialect: dialect.Detect}
	switch opts.Managed {
	case "":
		opts.Managed = config.ManagedDir()
	case app.NoManaged:
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

// A checkpointResult is a signed checkpoint with the witnesses that have it.
type checkpointResult struct {
	*seal.Checkpoint          // nil = there is nothing to sign yet
	fresh            bool     // the checkpoint was signed just now
	witnesses        []string // the witnesses that have the checkpoint
}

// Checkpoint signs the end of the ledger and sends it to the witnesses. If repeat is set, the
// witness command gets a checkpoint even if it was signed before. A witness file always gets a
// checkpoint that it lacks.
func (k *Maintainer) Checkpoint(ctx context.Context, repeat bool) (checkpointResult, error) {
	c, fresh, err := seal.TakeCheckpoint(k.Dir, k.Env.Now())
	if err != nil || c == nil {
		return checkpointResult{}, err
	}
	out := checkpointResult{Checkpoint: c, fresh: fresh}
	var errs []error
	if file := k.settings.Witness; file != "" {
		if err := addToWitness(file, c); err != nil {
			errs = append(errs, err)
		} else {
			out.witnesses = append(out.witnesses, file)
		}
	}
	if argv := k.settings.WitnessCommand; len(argv) > 0 && (fresh || repeat) {
		if err := k.runWitness(ctx, argv, c); err != nil {
			errs = append(errs, err)
		} else {
			out.witnesses = append(out.witnesses, "the command "+argv[0])
		}
	}
	return out, errors.Join(errs...)
}

// addToWitness appends a checkpoint to the witness file at path, unless the file contains it.
func addToWitness(path string, c *seal.Checkpoint) error {
	if w, err := seal.ReadWitness(path); err == nil && bytes.Contains(w.Data, c.Line()) {
		return nil
	}
	return seal.AppendWitness(path, c)
}

// witnessTimeout is how long a witness command may take.
const witnessTimeout = 30 * time.Second

// runWitness runs the witness command with a checkpoint on its standard input.
func (k *Maintainer) runWitness(ctx context.Context, argv []string, c *seal.Checkpoint) error {
	ctx, cancel := context.WithTimeout(ctx, witnessTimeout)
	defer cancel()
	res, err := process.Run(ctx, process.Spec{Argv: argv, Dir: k.Dir, Env: k.Env.Environ, Stdin: c.Line()})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("exit code %d: %s", res.Exit, base.OneLine(string(res.Stderr)))
	}
	if err != nil {
		return fmt.Errorf("calling the witness command %s: %w", argv[0], err)
	}
	return nil
}

// Lock takes the lock of maintainers. It waits up to k.Patience for it.
func (k *Maintainer) Lock() (unlock func(), err error) {
	for end := time.Now().Add(k.Patience); ; {
		unlock, err = state.NewDir(k.Dir).Lock("upkeep") // Lock itself waits for a while
		if !errors.Is(err, state.ErrBusy) || time.Now().After(end) {
			return unlock, err
		}
	}
}
