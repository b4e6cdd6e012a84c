// Package repo holds the commands scrub and pr-check, which remove or find secrets in files and pull
// requests.
package repo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/scan/scrub"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// scrubFlags holds the flags of the scrub command.
type scrubFlags struct {
	apply, check, force bool
	rules, policy, undo string
}

// ScrubCommand returns the scrub command.
func ScrubCommand(env *console.Env) *cobra.Command {
	var f scrubFlags
	cmd := &cobra.Command{
		Use: "scrub [PATH… | -]", Short: "Remove secrets, private addresses and similar data from files",
		RunE: func(cmd *cobra.Command, args []string) error { return runScrub(cmd.Context(), env, &f, args) },
	}
	cmd.Flags().BoolVar(&f.apply, "apply", false, "write the changes to the files")
	cmd.Flags().BoolVar(&f.check, "check", false, "exit with code 1 if something would change")
	cmd.Flags().StringVar(&f.rules, "rules", "", "a `FILE` with replacements")
	cmd.Flags().StringVar(&f.policy, "policy", "", "a policy `FILE`, or "+policyNames())
	cmd.Flags().StringVar(&f.undo, "undo", "", "restore the files that the run with this `ID` changed")
	cmd.Flags().BoolVar(&f.force, "force", false, "with --undo: also restore files that have changed since")
	return cmd
}

// policyNames returns the names of the bundled policies, joined with commas.
func policyNames() string {
	text := ""
	for i, name := range policy.BundledNames() {
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text
}

// runScrub scrubs files or stdin, or undoes an earlier run with --undo.
func runScrub(ctx context.Context, env *console.Env, f *scrubFlags, args []string) error {
	stdin := slices.Contains(args, "-")
	switch {
	case f.undo != "" && (len(args) > 0 || f.apply || f.check):
		return errors.New("--undo takes no file names: it restores all files that the run changed")
	case f.undo != "":
		return runScrubUndo(env, f)
	case len(args) == 0:
		return errors.New("name files or directories, or - for stdin")
	case stdin && (len(args) > 1 || f.apply):
		return errors.New("- reads stdin and writes to stdout: leave out --apply and other files")
	case f.apply && f.check:
		return errors.New("--check writes nothing: leave out --apply")
	}
	s := scrub.Scrubber{}
	var err error
	if s.Policy, err = loadPolicy(env, f.policy); err != nil {
		return err
	}
	if s.Rules, err = readRules(env, f.rules); err != nil {
		return err
	}
	asker, err := newHookRunner(env, s.Policy, f.apply)
	if err != nil {
		return err
	}
	s.Ask = asker.run
	if stdin {
		return scrubText(ctx, env, f, &s)
	}
	return scrubFiles(ctx, env, f, s, args)
}

// loadPolicy returns the policy called name or in the file name. If name is "", it returns the user's
// policy with what the project's adds. It prints notes about the policy.
func loadPolicy(env *console.Env, name string) (*policy.Policy, error) {
	var p *policy.Policy
	var err error
	if name != "" {
		p, err = policy.LoadNamed(env.Dir, name, env.Now())
	} else {
		p, err = policy.Discover(env.Dir, base.Places(env).Config, policy.Default, env.Now())
	}
	if err == nil {
		for _, note := range p.Notes {
			fmt.Fprintln(env.Stderr, visible.EscapeLine(note))
		}
	}
	var wrong *policy.Error
	if errors.As(err, &wrong) {
		return nil, &base.Exit{Code: console.Config, Err: errors.New(visible.EscapeText(err.Error()))}
	}
	return p, err
}

// readRules reads the replacement rules in the file name. It returns nil if name is empty.
func readRules(env *console.Env, name string) (*scrub.Rules, error) {
	if name == "" {
		return nil, nil
	}
	src, err := os.ReadFile(env.Path(name))
	if err != nil {
		return nil, err
	}
	rules, err := scrub.ParseRules(name, src)
	if err != nil {
		return nil, &base.Exit{Code: console.Config, Err: errors.New(visible.EscapeText(err.Error()))}
	}
	if rules.Len() == 0 {
		return nil, &base.Exit{Code: console.Config, Err: fmt.Errorf("%s has no rules: write s/pattern/replacement/g, one per line", visible.EscapeLine(name))}
	}
	return rules, nil
}

// scrubText copies stdin to stdout without what the policy forbids, or only checks it with --check.
func scrubText(ctx context.Context, env *console.Env, f *scrubFlags, s *scrub.Scrubber) error {
	text, err := io.ReadAll(io.LimitReader(base.Stdin(env), scrub.MaxFile+1))
	switch {
	case err != nil:
		return err
	case len(text) > scrub.MaxFile:
		return fmt.Errorf("the text is larger than %d MiB", scrub.MaxFile>>20)
	}
	r, isText, err := s.Scrub(ctx, "", text)
	if err != nil {
		return scrubError(err)
	}
	if !isText {
		return &base.Exit{Code: console.Finding, Err: errors.New("stdin is not text, so nothing was scrubbed or written")}
	}
	if !f.check {
		if _, err := env.Stdout.Write(r.After); err != nil {
			return err
		}
	}
	fmt.Fprintf(env.Stderr, "%s; %s\n", base.Amount(r.Masked, "finding")+" removed", base.Amount(r.Replaced, "replacement"))
	return base.OrFinding(nil, f.check && r.HasChanges(), "the text contains something to scrub")
}

// scrubFiles scrubs the files and directories in args or, without --apply, shows what would change.
func scrubFiles(ctx context.Context, env *console.Env, f *scrubFlags, s scrub.Scrubber, args []string) error {
	files := scrub.FileScrubber{Scrubber: s, Dir: env.Dir, Environ: env.Environ}
	bar := base.NewProgress(env, "scrubbing")
	defer bar.End()
	files.Changed = func(name string, r *scrub.Result) error {
		bar.Clear()
		if f.apply {
			fmt.Fprintf(env.Stdout, "%s: %s removed, %s\n", visible.EscapeLine(name), base.Amount(r.Masked, "finding"), base.Amount(r.Replaced, "replacement"))
			return nil
		}
		out := base.Screen(env, env.Stdout)
		out.Diff("", bytes.ToValidUTF8(r.Diff(s.Policy, visible.EscapeLine(name)), []byte("�")))
		return out.Err()
	}
	if f.apply {
		dir, err := base.StateDir(env)
		if err != nil {
			return err
		}
		if files.Undo, err = scrub.NewUndo(dir, env.Now()); err != nil {
			return base.AsRefusal(fmt.Errorf("the originals could not be saved, so nothing was written: %w", err))
		}
	}
	err := files.Run(ctx, args)
	bar.End()
	printTotals(env, f, &files)
	if err != nil {
		return scrubError(err)
	}
	return base.OrFinding(nil, f.check && files.Totals.Changed > 0, "some files contain something to scrub")
}

// scrubError returns err with exit code 1, because something was not scrubbed.
func scrubError(err error) error {
	return &base.Exit{Code: console.Finding, Err: errors.New(visible.EscapeText(err.Error()))}
}

// printTotals prints how many files were changed or, without --apply, would be, and what to do next.
func printTotals(env *console.Env, f *scrubFlags, files *scrub.FileScrubber) {
	t := &files.Totals
	would := ""
	if !f.apply {
		would = " would be"
	}
	fmt.Fprintf(env.Stdout, "%s of %s%s changed: %s removed, %s", base.Amount(t.Changed, "file"), fmt.Sprint(t.Files), would, base.Amount(t.Masked, "finding"), base.Amount(t.Replaced, "replacement"))
	if t.Binary > 0 {
		fmt.Fprintf(env.Stdout, "; binary or excluded by the policy: %d", t.Binary)
	}
	if t.Skipped > 0 {
		fmt.Fprintf(env.Stdout, "; not followed: %d symbolic links or special files", t.Skipped)
	}
	fmt.Fprintln(env.Stdout)
	switch {
	case t.Files+t.Binary == 0:
		fmt.Fprintln(env.Stderr, "checkrein: there was nothing to scrub: no files, or ignore files exclude all of them")
	case !f.apply && t.Changed > 0:
		fmt.Fprintln(env.Stdout, "nothing was written: to write the changes, add --apply")
	case f.apply && files.Undo.Count() > 0:
		fmt.Fprintf(env.Stdout, "to undo this: checkrein scrub --undo %s\n", files.Undo.ID)
	}
}

// runScrubUndo restores the files that the run of --undo changed.
func runScrubUndo(env *console.Env, f *scrubFlags) error {
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	n := 0
	err = scrub.RestoreRun(dir, f.undo, f.force, func(path string) {
		n++
		fmt.Fprintf(env.Stdout, "restored %s\n", visible.EscapeLine(path))
	})
	if err != nil {
		return scrubError(err)
	}
	fmt.Fprintf(env.Stdout, "%s restored\n", base.Amount(n, "file"))
	return nil
}

// A hookRunner runs the hooks on the event scrub for each scrubbed text.
type hookRunner struct {
	env      *console.Env
	kit      *app.Kit
	hasHooks bool // there are hooks on the event scrub
	record   bool // record the outcomes
	policy   *policy.Policy
}

// findingsJSON returns the findings in list as JSON for hooks.
func findingsJSON(list []policy.Finding) []byte {
	o := rawjson.Object{'{'}
	o.List("list", len(list), func(o *rawjson.Object, i int) {
		*o = append(*o, '{')
		o.Int("line", list[i].Line)
		o.Int("column", list[i].Column)
		o.Text("rule", list[i].Rule)
		o.Text("kind", list[i].Kind)
		o.Text("severity", list[i].Severity.String())
		o.Close()
	})
	o.Close()
	if val, ok := rawjson.Get(o, "list"); ok {
		return val
	}
	return []byte("[]")
}

// newHookRunner returns a hookRunner for the hooks of the current directory. If record is set, it
// records outcomes in the ledger.
func newHookRunner(env *console.Env, p *policy.Policy, record bool) (*hookRunner, error) {
	k, err := app.Open(app.Options{Dir: env.Dir, Environ: env.Environ, Managed: env.Managed, Now: env.Now, Companion: env.Program})
	if err != nil {
		return nil, &base.Exit{Code: console.Finding, Err: err}
	}
	a := &hookRunner{env: env, kit: k, record: record, policy: p}
	for _, h := range k.Hooks() {
		a.hasHooks = a.hasHooks || h.On == checkrein.Scrub
	}
	return a, nil
}

// run runs the hooks on the text of r, and returns the text that they leave. It does nothing if there
// are no hooks and nothing to record. It returns an error if a hook denies.
func (a *hookRunner) run(ctx context.Context, r *scrub.Result) ([]byte, error) {
	text := r.ScrubbedText()
	if !a.hasHooks && (r.Masked+r.Replaced == 0 || !a.record) {
		return text, nil
	}
	ev := checkrein.Event{Kind: checkrein.Scrub, Text: string(text), Session: checkrein.Session{Dir: a.env.Dir},
		Details: []checkrein.Detail{{Name: "path", Value: rawjson.Quote(r.Path)}, {Name: "findings", Value: findingsJSON(r.MaskedFindings(a.policy))}}}
	var out engine.Outcome
	if a.record {
		out = a.kit.Serve(ctx, ev)
	} else {
		out = a.kit.Decide(ctx, ev)
	}
	for _, n := range out.Verdict.Notice {
		fmt.Fprintln(a.env.Stderr, "checkrein:", visible.EscapeLine(n))
	}
	if out.Verdict.Decision == checkrein.Deny {
		return nil, fmt.Errorf("a hook blocked the scrub: %w", errors.New(out.Verdict.Reason))
	}
	if out.Verdict.Output == nil {
		return text, nil
	}
	var said string
	if err := json.Unmarshal(out.Verdict.Output, &said); err != nil {
		return nil, fmt.Errorf("a hook's output is not a JSON string: %w", err)
	}
	return []byte(said), nil
}
