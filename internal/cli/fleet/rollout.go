package fleet

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/spf13/cobra"
)

// keyring is the directory with the keys of a fleet's administrator and the repository of its bundles.
type keyring string

func (k keyring) root() string       { return filepath.Join(string(k), "root.pem") }
func (k keyring) release() string    { return filepath.Join(string(k), "release.pem") }
func (k keyring) repository() string { return filepath.Join(string(k), "repository") }
func (k keyring) open() bundle.Repository {
	return bundle.Repository{Store: bundle.Dir(k.repository())}
}
func (k *keyring) register(env *console.Env, cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(k), "keys", filepath.Join(base.Places(env).Config, "fleet-keys"), "`DIR` with the fleet's keys and the repository of its bundles (default fleet-keys in ~/.config/checkrein)")
	cmd.Flags().Lookup("keys").DefValue = "" // help and manual pages are the same on all machines
}

// upload sends what is signed in the repository to the hub.
func (k keyring) upload(ctx context.Context, l *login) error {
	var state protocol.RolloutState
	if err := l.call(ctx, http.MethodGet, protocol.PathRollout, nil, &state); err != nil {
		return err
	}
	var body bytes.Buffer
	archive := tar.NewWriter(&body)
	err := filepath.WalkDir(k.repository(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(k.repository(), path)
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = archive.Write(data)
		return err
	})
	if err := errors.Join(err, archive.Close()); err != nil {
		return base.AsFailure(err)
	}
	answer, err := l.send(ctx, http.MethodPost, protocol.PathBundles, body.Bytes())
	if err != nil {
		return err
	}
	return answer.Close()
}

// keysCommand returns the fleet keys command.
func keysCommand(env *console.Env) *cobra.Command {
	var k keyring
	var rotate bool
	cmd := &cobra.Command{
		Use: "keys", Short: "Create or rotate the keys that sign the fleet's bundles",
		Long: `Create the two keys of a fleet's administrator and a repository of bundles, and make them known to the hub.
root.pem signs which keys count; keep it offline. release.pem signs which bundles may run. The hub signs with
its own key which of these bundles run where, so someone who steals the hub cannot write a policy.

--rotate replaces both keys; the old root key signs the new one. Machines follow by themselves. It also
renews signatures before they expire: of the root after a year, of the list of bundles after 90 days.`,
		Example: `  checkrein fleet keys
  checkrein fleet keys --rotate --keys /media/usb/fleet-keys`,
		Args: cobra.NoArgs,
		RunE: withLogin(env, func(ctx context.Context, l *login, _ []string) error {
			var me protocol.Me
			if err := l.call(ctx, http.MethodGet, protocol.PathMe, nil, &me); err != nil {
				return err
			}
			create := k.create
			if rotate {
				create = k.rotate
			}
			if err := create(ctx, me.Hub); err != nil {
				return base.AsFailure(err)
			}
			if err := k.upload(ctx, l); err != nil {
				return err
			}
			fmt.Fprintf(env.Stdout, "The keys are in %s. Keep %s offline, and a copy of both elsewhere.\n", string(k), k.root())
			return nil
		}),
	}
	k.register(env, cmd)
	cmd.Flags().BoolVar(&rotate, "rotate", false, "replace the keys, and sign again the metadata that expires")
	return cmd
}

// create creates the keys and the repository. What an attempt that failed has created is used again.
func (k keyring) create(ctx context.Context, hub []byte) error {
	if err := os.MkdirAll(string(k), 0o700); err != nil {
		return err
	}
	root, err := loadOrCreate(k.root())
	if err != nil {
		return err
	}
	release, err := loadOrCreate(k.release())
	if err != nil {
		return err
	}
	repo := k.open()
	if _, _, err := repo.Expires(ctx); err == nil {
		return nil
	}
	return repo.Create(ctx, bundle.Keys{Root: root, Release: release, Hub: hub})
}

// rotate replaces the keys. The old ones are kept beside them, with the time in their names.
func (k keyring) rotate(ctx context.Context, hub []byte) error {
	old, err := bundle.LoadKey(k.root())
	if err != nil {
		return err
	}
	next := map[string]string{k.root(): k.root() + ".new", k.release(): k.release() + ".new"}
	root, err := loadOrCreate(next[k.root()])
	if err != nil {
		return err
	}
	release, err := loadOrCreate(next[k.release()])
	if err != nil {
		return err
	}
	repo := k.open()
	if err := repo.Rotate(ctx, old, bundle.Keys{Root: root, Release: release, Hub: hub}); err != nil {
		return err
	}
	for name, new := range next {
		if err := errors.Join(os.Rename(name, name+time.Now().Format(".20060102T150405")), os.Rename(new, name)); err != nil {
			return err
		}
	}
	return nil
}

// loadOrCreate returns the key in the file path, which it creates if there is none.
func loadOrCreate(path string) (ed25519.PrivateKey, error) {
	key, err := bundle.LoadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return bundle.NewKey(path)
	}
	return key, err
}

// pushCommand returns the fleet push command.
func pushCommand(env *console.Env) *cobra.Command {
	var k keyring
	var shadow, enforce, denials, faults string
	step := protocol.Step{}
	cmd := &cobra.Command{
		Use: "push BUNDLE", Short: "Sign a bundle of policies, and roll it out",
		Long: `Sign the bundle in the directory BUNDLE, and roll it out. A bundle has a file bundle.json, such as
{"name": "base", "version": 1}, and beside it checkrein.yaml, hooks.d, HOOK.md folders in hooks, and
models.yaml. What has changed gets a new version; to go back, push the earlier one again.

A step is --shadow to try the bundle beside the policy that is enforced, --enforce 5% on some of the machines,
--enforce 100% on all. The first machines are chosen at random, and remain included as the share grows.

The hub takes a step back by itself when the reports of these machines exceed a limit: --max-denials and
--max-faults in percent of the events, --max-p99, and --max-reports of false alarms.`,
		Example: `  checkrein fleet push policies --shadow
  checkrein fleet push policies --enforce 5% --max-denials 3% --max-faults 1%
  checkrein fleet push policies --enforce 100%`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			switch {
			case shadow != "" && enforce != "":
				return errors.New("--shadow and --enforce cannot be used together")
			case shadow == "" && enforce == "":
				return errors.New("say what to do with it: --shadow to try it, or --enforce 5% to enforce it on some machines")
			}
			step.Stage = string(bundle.Enforce)
			if shadow != "" {
				step.Stage = string(bundle.Shadow)
			}
			share, err := parsePercent(cmp.Or(shadow, enforce))
			if err != nil {
				return err
			}
			step.Percent = int(share)
			for text, to := range map[string]*float64{denials: &step.Limits.Denials, faults: &step.Limits.Faults} {
				if text != "" {
					if *to, err = parsePercent(text); err != nil {
						return err
					}
				}
			}
			l, err := readLogin(env)
			if err != nil {
				return err
			}
			info, err := k.sign(cmd.Context(), args[0])
			if err != nil {
				return base.AsFailure(err)
			}
			if err := k.upload(cmd.Context(), l); err != nil {
				return err
			}
			step.Bundle = info.Target()
			var begun protocol.Begun
			if err := l.call(cmd.Context(), http.MethodPost, protocol.PathRollout, step, &begun); err != nil {
				return err
			}
			verb := "enforced"
			if step.Stage == string(bundle.Shadow) {
				verb = "tried in shadow mode"
			}
			fmt.Fprintf(env.Stdout, "%s is %s on %d %% of the machines, which are %d of %d now. checkrein fleet rollout shows what they report.\n", info, verb, begun.Percent, begun.Chosen, begun.Active)
			if begun.Chosen == 0 && begun.Active > 0 {
				fmt.Fprintln(env.Stdout, "note: the share chooses none of them, so nothing changes yet. Push it again with a larger one.")
			}
			return nil
		},
	}
	k.register(env, cmd)
	f := cmd.Flags()
	f.StringVar(&shadow, "shadow", "", "try it in shadow mode on this `SHARE` of the machines")
	f.Lookup("shadow").NoOptDefVal = "100%"
	f.StringVar(&enforce, "enforce", "", "enforce it on this `SHARE` of the machines, such as 5%")
	f.StringVar(&denials, "max-denials", "", "take it back when more than this `SHARE` of the events is denied")
	f.StringVar(&faults, "max-faults", "", "take it back when hooks fail in more than this `SHARE` of the events")
	f.DurationVar(&step.Limits.P99, "max-p99", 0, "take it back when one percent of the events takes longer than this")
	f.IntVar(&step.Limits.Reports, "max-reports", 0, "take it back when people report more than `N` denials as false alarms")
	f.StringVar(&step.Why, "why", "", "the reason, which the list of steps shows")
	return cmd
}

// parsePercent parses a share such as 5%.
func parsePercent(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || n <= 0 || n > 100 {
		return 0, fmt.Errorf("%q is not a share: write a number with %%, such as 5%%", text)
	}
	return n, nil
}

// sign adds the bundle in dir to the repository, unless it has it.
func (k keyring) sign(ctx context.Context, dir string) (bundle.Info, error) {
	archive, b, err := bundle.Build(dir)
	if err != nil {
		return bundle.Info{}, err
	}
	repo := k.open()
	list, err := repo.Bundles(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return b.Info, fmt.Errorf("%s has no keys: run checkrein fleet keys first, or name their directory with --keys", string(k))
	}
	if err != nil {
		return b.Info, err
	}
	sum := sha256.Sum256(archive)
	if slices.ContainsFunc(list, func(e bundle.Entry) bool { return e.SHA256 == hex.EncodeToString(sum[:]) }) {
		return b.Info, nil
	}
	release, err := bundle.LoadKey(k.release())
	if err != nil {
		return b.Info, err
	}
	return repo.Add(ctx, release, archive)
}

// rolloutCommand returns the fleet rollout command.
func rolloutCommand(env *console.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rollout", Short: "Show the steps of the rollout, and what machines report",
		Args: cobra.NoArgs,
		RunE: withLogin(env, func(ctx context.Context, l *login, _ []string) error {
			var s protocol.RolloutState
			if err := l.call(ctx, http.MethodGet, protocol.PathRollout, nil, &s); err != nil {
				return err
			}
			if asJSON {
				return base.PrintJSON(env, s)
			}
			printRollout(env, &s)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printRollout(env *console.Env, s *protocol.RolloutState) {
	if env.Now().Before(s.Frozen) {
		fmt.Fprintf(env.Stdout, "FROZEN until %s: all tools are denied on all machines\n", s.Frozen.In(base.Zone(env)).Format(time.DateTime))
	}
	for _, step := range s.Steps {
		back := ""
		if step.Back {
			back = "  the step before it was TAKEN BACK"
		}
		why := ""
		if step.Why != "" {
			why = ": " + base.OneLine(step.Why)
		}
		fmt.Fprintf(env.Stdout, "%s  %s %d %%  %s  by %s%s%s\n", step.Began.In(base.Zone(env)).Format(time.DateTime), step.Stage, step.Percent, step.Bundle, step.By, back, why)
	}
	if len(s.Steps) == 0 {
		fmt.Fprintln(env.Stdout, "Nothing was rolled out: begin with checkrein fleet push BUNDLE --shadow.")
	}
	for _, name := range slices.Sorted(maps.Keys(s.On)) {
		fmt.Fprintf(env.Stdout, "enforced  %s on %s\n", name, base.Amount(s.On[name], "machine"))
	}
	if s.Events > 0 {
		fmt.Fprintf(env.Stdout, "since the last step, on machines where it has begun: %s, %d denied, %d would be denied, %d with faults, %d reported as false alarms, p99 %v\n", base.Amount(s.Events, "event"), s.Denied, s.Would, s.Faults, s.Reports, s.P99)
	}
	if !s.Expires.IsZero() && s.Expires.Sub(env.Now()) < 30*24*time.Hour {
		fmt.Fprintf(env.Stdout, "Your signatures expire on %s: run checkrein fleet keys --rotate.\n", s.Expires.In(base.Zone(env)).Format(time.DateOnly))
	}
}

// freezeCommand returns the fleet freeze command.
func freezeCommand(env *console.Env) *cobra.Command {
	var lift bool
	in := protocol.NewFreeze{}
	cmd := &cobra.Command{
		Use: "freeze", Short: "Deny all tools of all agents on all machines for a limited time",
		Long: `Deny all tools of all agents on all machines, within seconds if the machine is reachable. The freeze
ends by itself, even on a machine that cannot reach the hub, and survives restarts.`,
		Example: `  checkrein fleet freeze --for 2h --reason "incident 4711"
  checkrein fleet freeze --lift`,
		Args: cobra.NoArgs,
		RunE: withLogin(env, func(ctx context.Context, l *login, _ []string) error {
			if lift {
				var was protocol.Thawed
				if err := l.call(ctx, http.MethodDelete, protocol.PathFreeze, nil, &was); err != nil {
					return err
				}
				if !was.Lifted {
					fmt.Fprintln(env.Stdout, "Nothing was frozen.")
					return nil
				}
				fmt.Fprintln(env.Stdout, "The freeze is lifted.")
				return nil
			}
			if in.Reason == "" {
				return errors.New("give the reason with --reason: people whose tools are denied see it")
			}
			if err := l.call(ctx, http.MethodPost, protocol.PathFreeze, in, nil); err != nil {
				return err
			}
			fmt.Fprintf(env.Stdout, "All tools are denied until %s. checkrein fleet machines shows where it has arrived.\n", env.Now().Add(in.For).Format(time.DateTime))
			return nil
		}),
	}
	f := cmd.Flags()
	f.DurationVar(&in.For, "for", time.Hour, "how long")
	f.StringVar(&in.Reason, "reason", "", "why; people whose tools are denied see it")
	f.BoolVar(&lift, "lift", false, "allow tools again")
	return cmd
}

// files is the hub's repository, for an administrator. It is a bundle.Source.
type files struct{ *login }

func (f files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := f.send(ctx, http.MethodGet, protocol.PathFiles+name, nil)
	if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return r, err
}

// exportCommand returns the fleet export command.
func exportCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "export DIR", Short: "Write the rolled-out bundles to files, for MDM and the like",
		Long: `Write the rolled-out bundles and their metadata to the directory DIR, for MDM or configuration management.
Machines that get the files verify them with checkrein fleet apply DIR, like files from a hub. Export again
at least once a day, since the hub's signatures expire.`,
		Args: cobra.ExactArgs(1),
		RunE: withLogin(env, func(ctx context.Context, l *login, args []string) error {
			dir := env.Path(args[0])
			if err := bundle.Export(ctx, files{l}, bundle.Dir(dir), env.Now); err != nil {
				return base.AsFailure(err)
			}
			root, err := os.ReadFile(filepath.Join(dir, "1.root.json"))
			if err != nil {
				return base.AsFailure(err)
			}
			fmt.Fprintf(env.Stdout, "On each machine, as root: checkrein fleet apply DIR --root %x\n", sha256.Sum256(root))
			return nil
		}),
	}
}
