package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// gitFlags holds the flags of the subcommands of git.
type gitFlags struct {
	dir, program    string
	dryRun, asJSON  bool
	public, private bool
}

// GitCommand returns the git command.
func GitCommand(env *console.Env) *cobra.Command {
	root := &cobra.Command{
		Use: "git", Short: "Scan commits and pushes, using git's own hooks",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(gitInstallCommand(env), gitUninstallCommand(env), gitStatusCommand(env),
		gitHookCommand("pre-commit", "Scan what is staged: git's hook calls this"), gitHookCommand("pre-push", "Scan what is pushed: git's hook calls this"))
	return root
}

// gitHookCommand returns a stub for a git subcommand that the hot program runs.
func gitHookCommand(name, short string) *cobra.Command {
	cmd := base.HotCommand("git "+name, short)
	cmd.Use = name
	return cmd
}

// gitInstallCommand returns the git install command.
func gitInstallCommand(env *console.Env) *cobra.Command {
	var f gitFlags
	cmd := &cobra.Command{
		Use: "install", Short: "Make git run checkrein before every commit and push",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !f.dryRun { // because an agent could name a program that lets everything pass
				if err := base.RequirePerson(env, base.ByHand); err != nil {
					return err
				}
			}
			return runGitInstall(cmd.Context(), env, &f)
		},
	}
	cmd.Flags().StringVar(&f.dir, "dir", "", "write the scripts into this `DIR`, inside the repository (default .githooks)")
	cmd.Flags().BoolVar(&f.public, "public", false, "the repository is public: block everything that the policy public-repo blocks")
	cmd.Flags().BoolVar(&f.private, "private", false, "the repository is private: block secrets in added lines")
	cmd.MarkFlagsMutuallyExclusive("public", "private")
	cmd.Flags().StringVar(&f.program, "program", "", "the `PATH` of the checkrein program that git's hooks run, in all your repositories")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, write nothing")
	return cmd
}

// gitUninstallCommand returns the git uninstall command.
func gitUninstallCommand(env *console.Env) *cobra.Command {
	var f gitFlags
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Undo 'git install'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGitUninstall(cmd.Context(), env, &f) },
	}
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change, write nothing")
	return cmd
}

// gitStatusCommand returns the git status command.
func gitStatusCommand(env *console.Env) *cobra.Command {
	var f gitFlags
	cmd := &cobra.Command{
		Use: "status", Short: "Show whether git runs checkrein in this repository",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGitStatus(cmd.Context(), env, &f) },
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// openSite opens the git hooks of the current repository for changes.
func openSite(ctx context.Context, env *console.Env) (*githook.Site, error) {
	r, err := git.OpenRepo(ctx, env.Dir, env.Environ)
	if err != nil {
		return nil, &base.Exit{Code: console.Finding, Err: err}
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return nil, err
	}
	states := []state.Dir{dir}
	home, _ := environ.Lookup(env.Environ, "HOME")
	if beside, ok := userdirs.NoteDir(home); ok && beside.Path() != dir.Path() {
		states = []state.Dir{beside, dir}
	}
	s, err := githook.OpenSite(ctx, r, states...)
	if err != nil {
		return nil, &base.Exit{Code: console.Refused, Err: err}
	}
	return s, nil
}

// runGitInstall makes git run checkrein in the current repository.
func runGitInstall(ctx context.Context, env *console.Env, f *gitFlags) error {
	if f.dir != "" {
		dir, err := githook.CheckDir(f.dir)
		if err != nil {
			return err
		}
		f.dir = dir
	}
	s, err := openSite(ctx, env)
	if err != nil {
		return err
	}
	dir, private, installed, err := s.HookDir(ctx)
	if err != nil {
		return base.AsRefusal(err)
	}
	if f.dir != "" {
		dir = f.dir
	}
	switch {
	case f.public || f.private:
		private = f.private
	case !installed:
		ask := base.Asker(env)
		private = f.dryRun || ask == nil || !ask("Is this repository public, or will it be?")
		if base.IsInterrupted(env) {
			return base.AsRefusal(errors.New("nothing was changed"))
		}
	}
	p, err := s.PlanInstall(ctx, dir, gitProgram(env, f.program), private)
	if err != nil {
		return base.AsRefusal(err)
	}
	if err := applyPlan(ctx, env, f, p); err != nil {
		return err
	}
	if len(p.Steps) == 0 {
		fmt.Fprintf(env.Stdout, "git already runs checkrein, from %s\n", visible.EscapeLine(p.Dir))
	} else if f.dryRun {
		printBlockingPlan(env, p.Private, !installed && !f.public && !f.private)
	} else {
		fmt.Fprintf(env.Stdout, `git now runs checkrein before every commit and push.
%[2]s
  git add %[1]s && git commit     gives the scripts to everyone
  checkrein git status            shows what is covered
  checkrein git uninstall         undoes this
`, visible.EscapeLine(p.Dir), strings.Join(blockingText(p.Private), "\n"))
	}
	return nil
}

// printBlockingPlan prints what the planned hooks would block. open means that install has yet to ask
// whether the repository is public.
func printBlockingPlan(env *console.Env, private, open bool) {
	kind := "public"
	if private {
		kind = "private"
	}
	if open {
		kind += ", unless you answer in a terminal that it is public"
	}
	fmt.Fprintf(env.Stdout, "The repository counts as %s. Before every commit and push:\n%s\n", kind, strings.Join(blockingText(private), "\n"))
	if open {
		fmt.Fprintf(env.Stdout, "  %s\n", blockingText(false)[0])
	}
}

// blockingText returns what the hooks block in a private or public repository, and the command for the
// other kind.
func blockingText(private bool) []string {
	if private {
		return []string{"A secret in an added line blocks them; with a policy file, so does anything that the policy blocks.", "For a public repository: checkrein git install --public"}
	}
	return []string{"Anything that the policy blocks stops them. Without a policy file, the policy is public-repo.", "For a private repository: checkrein git install --private"}
}

// gitProgram returns the path of the checkrein program that git's hooks run, or "" if they search
// PATH. It does not return a program in a temporary directory, since git would block everything once
// that is removed.
func gitProgram(env *console.Env, given string) string {
	m, err := base.Machine(env)
	if err != nil {
		return ""
	}
	if given != "" {
		given = env.Path(given)
	}
	warning, err := m.FindProgram(env.Program, given)
	if err != nil {
		fmt.Fprintf(env.Stderr, "note: git's hooks will run the checkrein in PATH, and not this one. %v\n", err)
		return ""
	}
	if warning != "" {
		fmt.Fprintln(env.Stderr, "warning:", warning)
	}
	return m.Program
}

// runGitUninstall removes checkrein from git's hooks in the current repository.
func runGitUninstall(ctx context.Context, env *console.Env, f *gitFlags) error {
	if !f.dryRun {
		if err := base.RequirePerson(env, base.BySwitch); err != nil {
			return err
		}
	}
	s, err := openSite(ctx, env)
	if err != nil {
		return err
	}
	p, err := s.PlanUninstall(ctx)
	if err != nil {
		return base.AsRefusal(err)
	}
	if len(p.Steps) == 0 {
		fmt.Fprintln(env.Stdout, "nothing is installed in this repository")
	}
	return applyPlan(ctx, env, f, p)
}

// applyPlan applies a plan, unless --dry-run is set, and prints its steps.
func applyPlan(ctx context.Context, env *console.Env, f *gitFlags, p *githook.Plan) error {
	for _, path := range p.Chained {
		fmt.Fprintf(env.Stdout, "this hook existed before, and still runs: %s\n", visible.EscapeLine(path))
	}
	if !f.dryRun {
		if err := p.Apply(ctx); err != nil {
			return base.AsRefusal(err)
		}
	}
	for _, step := range p.Steps {
		if step.Does != "" {
			fmt.Fprintln(env.Stdout, visible.EscapeLine(stepDone(step.Does, f.dryRun)))
		}
	}
	for _, w := range p.Warnings {
		fmt.Fprintln(env.Stderr, "warning:", visible.EscapeLine(w))
	}
	if f.dryRun {
		fmt.Fprintln(env.Stdout, "nothing was written (--dry-run)")
	}
	return nil
}

// stepDone returns what a step did, in the past tense, or what it would do.
func stepDone(does string, dryRun bool) string {
	if dryRun {
		return "would " + does
	}
	verb, what, _ := strings.Cut(does, " ")
	past := map[string]string{"write": "wrote", "set": "set"}[verb]
	if past == "" {
		past = strings.TrimSuffix(verb, "e") + "ed"
	}
	return past + " " + what
}

// runGitStatus prints whether git runs checkrein in the current repository.
func runGitStatus(ctx context.Context, env *console.Env, f *gitFlags) error {
	s, err := openSite(ctx, env)
	if err != nil {
		return err
	}
	st, err := s.Status(ctx)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	out := report.New(env)
	lines := func(label string, list ...string) {
		for _, text := range list {
			out.Line(term.P(label + text))
		}
	}
	if st.Installed {
		lines("", "git runs checkrein, from "+st.Dir)
		lines("", blockingText(st.Private)...)
	} else {
		lines("", "git does not run checkrein: run 'checkrein git install'")
	}
	lines("this hook existed before, and still runs: ", st.Chained...)
	lines("problem: ", st.Problems...)
	lines("note: ", st.Notes...)
	return base.OrFinding(out.Print(env, f.asJSON, st), !st.Installed || len(st.Problems) > 0, "git does not ask checkrein")
}
