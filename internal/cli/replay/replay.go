// Package replay implements the replay command, which decides recorded calls again under a policy and
// shows what changed.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/spf13/cobra"
)

// recordedWord is the value of --against for what was recorded.
const recordedWord = "recorded"

// flags holds the flags of replay.
type flags struct {
	policy, against, key, junit string
	noManaged, full             bool
	json, markdown              bool
	examples                    int
	failOn                      []string
	filter                      records.FilterFlags

	badLedger bool // a ledger of the sources was tampered with
}

// Command returns the replay command.
func Command(env *console.Env) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "replay [SOURCE…]", Short: "Decide recorded calls again under another policy",
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args) },
	}
	set := cmd.Flags()
	set.StringVar(&f.policy, "policy", "", "the new policy: a checkrein.yaml, or a directory with one, `FILE`, in place of your own (default: the current policy)")
	set.StringVar(&f.against, "against", recordedWord, "compare with this policy, a `FILE` or directory, or with what was recorded")
	set.BoolVar(&f.noManaged, "no-managed", false, "leave out the administrator's files of this machine")
	set.BoolVar(&f.full, "full", false, "also decide calls again that this build decided under the same policy, or by unchanged hooks")
	set.StringVar(&f.filter.Since, "since", "", "only calls since `TIME`: an age (90m, 2h, 7d), a day or RFC 3339")
	set.StringArrayVar(&f.filter.Sessions, "session", nil, "only from the session whose ID equals, begins with or ends with `ID`; repeatable")
	set.StringArrayVar(&f.filter.Hosts, "host", nil, "only from this `AGENT`; repeatable")
	f.registerOutput(cmd)
	set.StringVar(&f.key, "key", "", "`FILE|HEX` is the public key of a ledger that has no key of its own, as in audit verify")
	return cmd
}

// registerOutput adds the flags about the report.
func (f *flags) registerOutput(cmd *cobra.Command) {
	set := cmd.Flags()
	set.IntVar(&f.examples, "examples", 3, "show up to `N` calls for each rule")
	set.StringSliceVar(&f.failOn, "fail-on", nil, "exit with 1 if there are changes in this `DIRECTION`: "+strings.Join(failWords(), ", "))
	set.BoolVar(&f.json, "json", false, "print JSON")
	set.BoolVar(&f.markdown, "markdown", false, "print Markdown, for pull requests")
	set.StringVar(&f.junit, "junit", "", "also write the results as JUnit XML to `FILE`")
}

// An Output is the report of another command that decides recorded calls again.
type Output struct{ flags flags }

// Register adds the flags about the report to cmd.
func (o *Output) Register(cmd *cobra.Command) { o.flags.registerOutput(cmd) }

// Check returns an error about these flags.
func (o *Output) Check() error { return o.flags.check() }

// Run decides the calls of the sources in list again and prints the report.
func (o *Output) Run(ctx context.Context, env *console.Env, list []replay.Source, opts replay.Options) error {
	opts.Examples = o.flags.examples
	return o.flags.decide(ctx, env, list, opts)
}

// The words of --fail-on for all directions, and for calls that cannot be replayed.
const (
	anyChange   = "any"
	notReplayed = "not-replayed"
)

// failWords returns the words that --fail-on takes.
func failWords() []string {
	var out []string
	for _, d := range replay.Directions {
		out = append(out, d.Name)
	}
	return append(out, anyChange, notReplayed)
}

// check returns an error about the command line.
func (f *flags) check() error {
	for _, word := range f.failOn {
		if !slices.Contains(failWords(), word) {
			return fmt.Errorf("--fail-on %q: must be one of %s", word, strings.Join(failWords(), ", "))
		}
	}
	switch {
	case f.json && f.markdown:
		return errors.New("--json and --markdown exclude each other")
	case f.examples < 0:
		return fmt.Errorf("--examples %d: must not be negative", f.examples)
	}
	return nil
}

// run replays the sources and prints the report.
func (f *flags) run(ctx context.Context, env *console.Env, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	choose, err := f.filter.Selection(env.Now())
	if err != nil {
		return err
	}
	list, err := findSources(env, args)
	if err != nil {
		return err
	}
	o := replay.Options{Examples: f.examples, Full: f.full, Recorded: f.against == recordedWord}
	if o.Policy, err = findPolicy(env, "--policy", f.policy); err != nil {
		return err
	}
	if !o.Recorded {
		if o.Against, err = findPolicy(env, "--against", f.against); err != nil {
			return err
		}
	}
	o.Unrelated = slices.ContainsFunc(list, func(s replay.Source) bool { return s.Ledger == "" })
	if o.Recorded && o.Policy == "" && slices.ContainsFunc(list, func(s replay.Source) bool { return s.Transcript != nil }) {
		return &base.Exit{Code: console.Usage, Err: errors.New("transcripts do not have decisions to compare with: give --policy or --against")}
	}
	o.Open = opener(env, f.noManaged)
	if err := checkPolicies(env, &o); err != nil {
		return err
	}
	if !choose.MatchesAny() || !choose.Since.IsZero() {
		o.Fits = func(line *ledger.Line) bool { fits, _ := choose.FitsLine(line); return fits } // what cannot be decoded is no call
		o.FitsCall = func(host, session string) bool { return fitsCall(choose, host, session) }
	}
	return f.decide(ctx, env, list, o)
}

// decide decides the calls of the sources in list again and prints the report.
func (f *flags) decide(ctx context.Context, env *console.Env, list []replay.Source, o replay.Options) error {
	progress := base.NewProgress(env, "deciding again")
	defer progress.End()
	o.Progress = progress.Set
	o.Verify = func(dir string) ([]string, error) {
		progress.Describe("verifying")
		damage, err := f.verify(ctx, env, dir, progress)
		f.badLedger = f.badLedger || len(damage) > 0
		progress.Describe("deciding again")
		return damage, err
	}
	r, err := replay.Run(ctx, list, o)
	progress.End()
	switch {
	case ctx.Err() != nil:
		return base.AsFailure(errors.New("interrupted: there is no report about only a part of the calls"))
	case err != nil:
		return base.AsFailure(err)
	}
	return f.print(env, r)
}

// fitsCall reports whether the selection has a call that was not recorded.
func fitsCall(choose *records.Selection, host, session string) bool {
	return (len(choose.Hosts) == 0 || slices.Contains(choose.Hosts, cmp.Or(host, "native"))) &&
		(len(choose.Sessions) == 0 || slices.ContainsFunc(choose.Sessions, func(id string) bool {
			return strings.HasPrefix(session, id) || strings.HasSuffix(session, id)
		}))
}

// verify returns how the ledger in dir was tampered with. A clock that was set back, and calls that were
// not recorded, are not tampering.
func (f *flags) verify(ctx context.Context, env *console.Env, dir string, progress *base.Progress) ([]string, error) {
	o := seal.VerifyOptions{AllowClock: true, AllowMissed: true, Progress: progress.Set}
	if f.key != "" {
		key, err := records.ReadPublicKey(env, f.key)
		if err != nil {
			return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("--key: %w", err)}
		}
		o.Public = &key
	}
	r, err := seal.Verify(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, one := range r.Findings {
		out = append(out, one.String())
	}
	if r.MoreFindings > 0 {
		out = append(out, base.Amount(r.MoreFindings, "more finding"))
	}
	return out, nil
}

// findPolicy returns the path of a policy that a flag names, or an error if there is none.
func findPolicy(env *console.Env, flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	path := env.Path(name)
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		_, err = os.Stat(filepath.Join(path, "checkrein.yaml"))
	}
	if err != nil {
		return "", &base.Exit{Code: console.Usage, Err: fmt.Errorf("%s: %w", flag, err)}
	}
	return path, nil
}

// opener returns the function that opens kits. Nothing that these decide is executed or saved.
func opener(env *console.Env, noManaged bool) func(root, agent, policy string) (*app.Kit, error) {
	managed := env.Managed
	if noManaged {
		managed = app.NoManaged
	}
	return func(root, agent, policy string) (*app.Kit, error) {
		return app.Open(app.Options{Dir: cmp.Or(root, env.Dir), Agent: agent, AgentIsGuess: true, Environ: env.Environ, Now: env.Now, Managed: managed,
			Program: base.HotProgram(env), Replay: &app.Replay{Policy: policy}})
	}
}

// checkPolicies returns an error if a policy that the command line names is not valid.
func checkPolicies(env *console.Env, o *replay.Options) error {
	for _, policy := range [...]string{o.Policy, o.Against} {
		if policy == "" {
			continue
		}
		k, err := o.Open(env.Dir, "", policy)
		if err != nil {
			return base.AsRefusal(err)
		}
		if err := k.Check(); err != nil {
			return &base.Exit{Code: console.Config, Err: fmt.Errorf("%s is not valid: %w", policy, err)}
		}
	}
	return nil
}

// Explain returns what the policy decides about the record line, what was decided, and why that is not
// known, if it is not. dir is the ledger of the record.
func Explain(ctx context.Context, env *console.Env, dir, policy string, line []byte) (was, is replay.Answer, why string, err error) {
	path, err := findPolicy(env, "--policy", policy)
	if err != nil {
		return was, is, "", err
	}
	o := replay.Options{Policy: path, Open: opener(env, false)}
	if err := checkPolicies(env, &o); err != nil {
		return was, is, "", err
	}
	root, agent := replay.PlaceOf(line)
	k, err := o.Open(root, agent, path)
	if err != nil {
		return was, is, "", base.AsRefusal(err)
	}
	var key *[32]byte
	if secret, err := ledger.ReadSecret(dir, ledger.LabelDigests); err == nil {
		key = (*[32]byte)(secret)
	}
	was, is, why = replay.Decide(ctx, k, line, key)
	return was, is, why, nil
}
