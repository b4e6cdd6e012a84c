package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/policy"
	"github.com/checkrein/checkrein/internal/scrub"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/spf13/cobra"
)

// scrubFlags are what the command line asks for.
type scrubFlags struct {
	apply, check, force bool
	rules, policy, undo string
}

func scrubCommand(env *console.Env) *cobra.Command {
	var f scrubFlags
	cmd := &cobra.Command{
		Use: "scrub [PATH… | -]", Short: "Take secrets, private addresses and the like out of files",
		Long: `scrub shows what it would take out of files, as a diff that shows no whole secret, and
writes nothing. With --apply it writes, each file whole or not at all, and keeps what
it was, for you alone, for a week. What was scrubbed scans clean, and scrubbing it
again changes nothing. Links are not followed and files without text are left alone.

What is taken out is what the policy blocks or warns of. A file of rules adds
replacements, one a line, as sed writes them:

  s/build-[0-9]+\.corp/build.example.org/g
  s|/home/[a-z]+|/home/user|g

Patterns are Go's regular expressions, & is the match and \1 a group of it; flags are
g, which a rule must have, and i.`,
		Example: `  checkrein scrub staging/
  checkrein scrub --apply staging/
  checkrein scrub --check --rules scrub.rules docs README.md
  checkrein scrub - < draft.md > clean.md
  checkrein scrub --undo 20260102-150405`,
		RunE: func(cmd *cobra.Command, args []string) error { return runScrub(cmd.Context(), env, &f, args) },
	}
	cmd.Flags().BoolVar(&f.apply, "apply", false, "write the files")
	cmd.Flags().BoolVar(&f.check, "check", false, "exit with 1 when something would change")
	cmd.Flags().StringVar(&f.rules, "rules", "", "a `FILE` of replacements")
	cmd.Flags().StringVar(&f.policy, "policy", "", "a policy `FILE`, or "+policyNames())
	cmd.Flags().StringVar(&f.undo, "undo", "", "make the files of the run with this `ID` what they were")
	cmd.Flags().BoolVar(&f.force, "force", false, "with --undo: also files that were changed since")
	return cmd
}

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

func runScrub(ctx context.Context, env *console.Env, f *scrubFlags, args []string) error {
	stdin := slices.Contains(args, "-")
	switch {
	case f.undo != "" && (len(args) > 0 || f.apply || f.check):
		return errors.New("--undo stands alone: it knows its files")
	case f.undo != "":
		return runScrubUndo(env, f)
	case len(args) == 0:
		return errors.New("name files or directories, or - for stdin")
	case stdin && (len(args) > 1 || f.apply):
		return errors.New("- is stdin and stands alone: the scrubbed text is written to stdout")
	case f.apply && f.check:
		return errors.New("--check writes nothing: leave out --apply")
	}
	s := scrub.Scrubber{}
	var err error
	if s.Policy, err = policyOf(env, f.policy); err != nil {
		return err
	}
	if s.Rules, err = rulesOf(env, f.rules); err != nil {
		return err
	}
	asker, err := newAsker(env, s.Policy, f.apply)
	if err != nil {
		return err
	}
	s.Ask = asker.ask
	if stdin {
		return scrubText(ctx, env, f, &s)
	}
	return scrubFiles(ctx, env, f, s, args)
}

// policyOf is the policy that was asked for, else the person's and the project's.
func policyOf(env *console.Env, name string) (*policy.Policy, error) {
	var p *policy.Policy
	var err error
	if name != "" {
		p, err = policy.Named(env.Dir, name, env.Now())
	} else {
		p, err = policy.Discover(env.Dir, placesOf(env).Config, env.Now())
	}
	if err == nil {
		for _, note := range p.Notes {
			fmt.Fprintln(env.Stderr, trust.VisibleLine(note))
		}
	}
	var wrong *policy.Error
	if errors.As(err, &wrong) {
		return nil, &exit{code: console.Config, err: errors.New(trust.Visible(err.Error()))}
	}
	return p, err
}

func rulesOf(env *console.Env, name string) (*scrub.Rules, error) {
	if name == "" {
		return nil, nil
	}
	src, err := os.ReadFile(env.Path(name))
	if err != nil {
		return nil, err
	}
	rules, err := scrub.ParseRules(name, src)
	if err != nil {
		return nil, &exit{code: console.Config, err: errors.New(trust.Visible(err.Error()))}
	}
	if rules.Len() == 0 {
		return nil, &exit{code: console.Config, err: fmt.Errorf("%s has no rules: write s/pattern/replacement/g, one a line", trust.VisibleLine(name))}
	}
	return rules, nil
}

// scrubText scrubs stdin to stdout.
func scrubText(ctx context.Context, env *console.Env, f *scrubFlags, s *scrub.Scrubber) error {
	text, err := io.ReadAll(io.LimitReader(env.Stdin, scrub.MaxFile+1))
	switch {
	case err != nil:
		return err
	case len(text) > scrub.MaxFile:
		return fmt.Errorf("the text is larger than %d MiB", scrub.MaxFile>>20)
	}
	r, isText, err := s.Scrub(ctx, "", text)
	if err != nil {
		return held(err)
	}
	if !isText {
		return &exit{code: console.Finding, err: errors.New("stdin holds no text, so nothing was scrubbed and nothing is written")}
	}
	if !f.check {
		if _, err := env.Stdout.Write(r.After); err != nil {
			return err
		}
	}
	fmt.Fprintf(env.Stderr, "%s; %s\n", amount(r.Masked, "finding")+" taken out", amount(r.Replaced, "replacement"))
	if f.check && r.Changed() {
		return &exit{code: console.Finding, err: errors.New("the text would change"), quiet: true}
	}
	return nil
}

func scrubFiles(ctx context.Context, env *console.Env, f *scrubFlags, s scrub.Scrubber, args []string) error {
	files := scrub.Files{Scrubber: s, Dir: env.Dir, Environ: env.Environ}
	files.Changed = func(name string, r *scrub.Result) error {
		if f.apply {
			fmt.Fprintf(env.Stdout, "%s: %s taken out, %s\n", trust.VisibleLine(name), amount(r.Masked, "finding"), amount(r.Replaced, "replacement"))
			return nil
		}
		_, err := io.WriteString(env.Stdout, trust.Visible(string(bytes.ToValidUTF8(r.Diff(s.Policy, trust.VisibleLine(name)), []byte("�")))))
		return err
	}
	if f.apply {
		dir, err := stateDir(env)
		if err != nil {
			return err
		}
		if files.Undo, err = scrub.NewUndo(dir, env.Now()); err != nil {
			return refused(fmt.Errorf("what is taken out could not be kept, so nothing was written: %w", err))
		}
	}
	err := files.Run(ctx, args)
	sayScrubbed(env, f, &files)
	switch {
	case err != nil:
		return held(err)
	case f.check && files.Totals.Changed > 0:
		return &exit{code: console.Finding, err: errors.New("files would change"), quiet: true}
	}
	return nil
}

// held is an error because of which something was not scrubbed.
func held(err error) error {
	return &exit{code: console.Finding, err: errors.New(trust.Visible(err.Error()))}
}

func sayScrubbed(env *console.Env, f *scrubFlags, files *scrub.Files) {
	t := &files.Totals
	would := ""
	if !f.apply {
		would = " would be"
	}
	fmt.Fprintf(env.Stdout, "%s of %s%s changed: %s taken out, %s", amount(t.Changed, "file"), fmt.Sprint(t.Files), would, amount(t.Masked, "finding"), amount(t.Replaced, "replacement"))
	if t.Binary > 0 {
		fmt.Fprintf(env.Stdout, "; without text or left out by the policy: %d", t.Binary)
	}
	if t.Skipped > 0 {
		fmt.Fprintf(env.Stdout, "; not followed: %d links and the like", t.Skipped)
	}
	fmt.Fprintln(env.Stdout)
	switch {
	case t.Files+t.Binary == 0:
		fmt.Fprintln(env.Stderr, "checkrein: there was nothing to scrub: no files, or ignore files leave all of them out")
	case !f.apply && t.Changed > 0:
		fmt.Fprintln(env.Stdout, "nothing was written: add --apply")
	case f.apply && files.Undo.Kept() > 0:
		fmt.Fprintf(env.Stdout, "undo with: checkrein scrub --undo %s\n", files.Undo.ID)
	}
}

func runScrubUndo(env *console.Env, f *scrubFlags) error {
	dir, err := stateDir(env)
	if err != nil {
		return err
	}
	n := 0
	err = scrub.Restore(dir, f.undo, f.force, func(path string) {
		n++
		fmt.Fprintf(env.Stdout, "restored %s\n", trust.VisibleLine(path))
	})
	if err != nil {
		return held(err)
	}
	fmt.Fprintf(env.Stdout, "%s restored\n", amount(n, "file"))
	return nil
}
