package health

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// proveFlags holds the flags of the prove command.
type proveFlags struct {
	all, json, show bool
	keep            string
	check           certificateFlags
}

// ProveCommand returns the prove command.
func ProveCommand(env *console.Env) *cobra.Command {
	var f proveFlags
	cmd := &cobra.Command{
		Use: "prove AGENT", Short: "Show what the agent on this machine does with verdicts",
		Long: `prove runs the agent that is installed on this machine, against a scripted model and in
a temporary home, and shows what it does with checkrein's verdicts: whether a denied call
runs, whether a rewritten one does, what reaches the model, and what happens when checkrein
is missing or killed. It needs no account and no network, does not read your settings, and
takes up to 90 seconds per agent. Ctrl-C ends it and leaves nothing behind.

The evidence is kept, and --show prints it: what the model was sent, what ran, and what
checkrein recorded. status, doctor and verdicts use the proof until the agent is updated.

Exit code 0: every row is as it should be; 1: a row is not honoured, or the agent did not
finish, or, with --verify, the certificate is not valid.

Agents: ` + strings.Join(setups.Labs().Hosts(), ", "),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if done, err := f.check.runIfSet(env, args); done {
				return err
			}
			if f.show {
				return showProofs(env, &f, args)
			}
			return runProve(cmd.Context(), env, &f, args)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "test every agent found on this machine")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the proofs as JSON")
	cmd.Flags().BoolVar(&f.show, "show", false, "show saved proofs of all agents or of AGENT, or one piece of evidence by its digest")
	cmd.Flags().StringVar(&f.keep, "keep", "", "keep the temporary home in `DIR`")
	f.check.register(cmd)
	return cmd
}

// runProve proves the agent that args names or, with --all, every agent that prove can run. It is
// refused to agents.
func runProve(ctx context.Context, env *console.Env, f *proveFlags, args []string) error {
	if f.all == (len(args) == 1) {
		return fmt.Errorf("name an agent, or use --all. checkrein prove supports these agents: %s", strings.Join(setups.Labs().Hosts(), ", "))
	}
	names := setups.Labs().Hosts()
	if !f.all {
		names = args
		if err := checkProvable(args[0]); err != nil {
			return err
		}
	}
	if err := base.RequirePerson(env, base.ByHand); err != nil { // because prove runs agents
		return err
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	// Also clean up when the terminal is closed.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	root, end, err := makeProveRoot(env, f.keep)
	if err != nil {
		return base.AsRefusal(err)
	}
	r := prover{env: env, flags: f, root: root, store: prove.Store{Dir: dir}, book: base.Capabilities(env, dir)}
	return errors.Join(r.proveAll(ctx, names), end())
}

// checkProvable returns an error if prove cannot run the host name.
func checkProvable(name string) error {
	if slices.Contains(setups.Labs().Hosts(), name) {
		return nil
	}
	if h, ok := host.Find(name); ok {
		return &base.Exit{Code: console.Usage, Err: fmt.Errorf("prove cannot run %s, because it does not know how to run it unattended against a scripted model. It can run %s", h.Title, strings.Join(setups.Labs().Hosts(), ", "))}
	}
	return fmt.Errorf("unknown agent %q. checkrein prove supports these agents: %s", name, strings.Join(setups.Labs().Hosts(), ", "))
}

// proveFolderPrefix begins the names of the directories for temporary homes.
const proveFolderPrefix = "checkrein-prove-"

// makeProveRoot creates the directory for temporary homes, and returns a function that removes it
// unless the directory is keep. The directory is not below the user's home directory, because some
// hosts read files in all parent directories of a project. makeProveRoot first removes the directories
// that killed runs left behind.
func makeProveRoot(env *console.Env, keep string) (root string, end func() error, err error) {
	if keep != "" {
		root = env.Path(keep)
		if err := os.MkdirAll(root, 0o700); err != nil {
			return "", nil, err
		}
		if names, err := os.ReadDir(root); err != nil || len(names) > 0 {
			return "", nil, errors.Join(err, fmt.Errorf("--keep: %s is not empty: name a new folder", root))
		}
		return root, func() error { return nil }, nil
	}
	tmp := os.TempDir()
	if dir := base.Getenv(env)("TMPDIR"); filepath.IsAbs(dir) {
		tmp = dir
	}
	old, err := filepath.Glob(filepath.Join(tmp, proveFolderPrefix+"*"))
	if err == nil {
		for _, dir := range old {
			if isAbandoned(dir) {
				_ = hostlab.RemoveSpaces(dir) // fails for those of other users, which stay
			}
		}
	}
	root, err = os.MkdirTemp(tmp, proveFolderPrefix+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return "", nil, fmt.Errorf("there is no place for a temporary home: %w. Set TMPDIR to a directory that you can write to", err)
	}
	if err := userdirs.CheckDir(root); err != nil { // checkrein would not trust files in there
		return "", nil, errors.Join(fmt.Errorf("there is no safe place for a temporary home: %w, or set TMPDIR to a folder of your own", err), os.RemoveAll(root))
	}
	return root, func() error { return os.RemoveAll(root) }, nil
}

// isAbandoned reports whether the process that created dir has ended. The name of dir contains its
// process id.
func isAbandoned(dir string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), proveFolderPrefix), "-")
	pid, err := strconv.Atoi(name)
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// A prover proves hosts one after another.
type prover struct {
	env   *console.Env
	flags *proveFlags
	root  string
	store prove.Store
	book  capability.Book
}

// A proofJSON is a proof as prove --json prints it.
type proofJSON struct {
	*prove.Proof
	Certificate string           `json:"certificate,omitempty"` // the path of its certificate
	Messages    []report.Message `json:"messages"`
}

// proveAll proves the named hosts, prints the proofs and returns the error that sets the exit code.
func (r *prover) proveAll(ctx context.Context, names []string) error {
	done := []proofJSON{}
	var absent []string
	failed := 0
	for _, name := range names {
		p, file, err := r.proveOne(ctx, name)
		switch {
		case ctx.Err() != nil:
			return &base.Exit{Code: console.Finding, Err: errors.New("interrupted: nothing was saved, and the temporary home was removed")}
		case errors.Is(err, hostlab.ErrNotFound) && r.flags.all:
			absent = append(absent, name)
			continue
		case errors.Is(err, hostlab.ErrNotFound):
			return &base.Exit{Code: console.Finding, Err: fmt.Errorf("%w. Install it, or add its directory to PATH", err)}
		case err != nil && !r.flags.all:
			return &base.Exit{Code: console.Finding, Err: err}
		case err != nil:
			fmt.Fprintf(r.env.Stderr, "checkrein: %s: %v\n", name, err)
			failed++
			continue
		}
		shown := proofReport(r.env, p, false)
		if done = append(done, proofJSON{p, file, shown.Messages}); !r.flags.json {
			_ = shown.Show() // later output fails with the same error
		}
		if len(p.FailedOutcomes()) > 0 || !p.IsComplete() {
			failed++
		}
	}
	return base.OrFinding(r.printRest(done, absent), failed > 0, "some proofs failed or are incomplete")
}

// printRest prints what follows the proofs: the JSON, the hosts that were not found, and where the
// home was kept.
func (r *prover) printRest(done []proofJSON, absent []string) error {
	if r.flags.json {
		if err := base.PrintJSON(r.env, map[string]any{"proofs": done}); err != nil {
			return err
		}
	}
	if len(absent) > 0 {
		fmt.Fprintln(r.env.Stderr, "not found here:", strings.Join(absent, ", "))
	}
	if r.flags.all && len(done) == 0 && len(absent) == len(setups.Labs().Hosts()) {
		return &base.Exit{Code: console.Finding, Err: errors.New("no agent that prove can run was found on this machine. Install one, or add its directory to PATH")}
	}
	if r.flags.keep != "" && !r.flags.json {
		fmt.Fprintln(r.env.Stdout, "kept the temporary home:", r.root)
	}
	return nil
}

// proveOne proves the host name, saves the proof, and returns it with the path of its certificate. If
// the host did nothing, its earlier proof still counts.
func (r *prover) proveOne(ctx context.Context, name string) (*prove.Proof, string, error) {
	h, err := setups.Labs().Find(ctx, name, hostlab.Where{Path: base.Getenv(r.env)("PATH"), Home: environ.Home(r.env.Environ), Root: r.root})
	if err != nil {
		return nil, "", err
	}
	bar := base.NewProgress(r.env, name)
	defer bar.End()
	p, err := prove.Run(ctx, h, prove.Options{
		Programs: filepath.Dir(r.env.Program), Keep: r.flags.keep != "", Limit: prove.Limit, Now: r.env.Now,
		Progress: func(run, runs int, what string) {
			bar.Describe(fmt.Sprintf("%s %s: %d of %d: %s", name, h.Version, run, runs, what))
		},
	})
	if err != nil || ctx.Err() != nil {
		return nil, "", errors.Join(err, ctx.Err())
	}
	file, err := r.store.Save(p)
	if err == nil && p.HasResults() {
		err = r.book.Replace(name, func(l *capability.Ledger) { l.AddProof(p.Build()) })
	}
	return p, file, err
}

// showProofs prints saved proofs or, if args has a digest, that piece of evidence.
func showProofs(env *console.Env, f *proveFlags, args []string) error {
	if f.all || f.keep != "" {
		return errors.New("--show runs nothing: leave out --all and --keep")
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	store := prove.Store{Dir: dir}
	if len(args) == 1 && prove.IsDigest(args[0]) {
		return showEvidence(env, store, args[0])
	}
	if len(args) == 1 {
		if err := checkProvable(args[0]); err != nil {
			if prove.IsShortDigest(args[0]) {
				return fmt.Errorf("%s is too short for a digest: give at least %d digits, as checkrein prove --show AGENT lists them", args[0], prove.MinDigestLen)
			}
			return err
		}
	}
	all, wrong := store.All()
	list := []proofJSON{}
	for i := range all {
		k := &all[i]
		if len(args) == 1 && k.Host != args[0] || len(args) == 0 && i > 0 && all[i-1].Host == k.Host {
			continue
		}
		shown := proofReport(env, &k.Proof, len(list) == 0 && len(args) == 1)
		if len(args) == 1 {
			shown.Text(2, 4, term.T(term.Faint, "certificate: "+shown.ShortPath(k.File)))
		}
		if list = append(list, proofJSON{&k.Proof, k.File, shown.Messages}); !f.json {
			_ = shown.Show() // later output fails with the same error
		}
	}
	switch {
	case f.json:
		if err := base.PrintJSON(env, map[string]any{"proofs": list}); err != nil {
			return err
		}
	case len(list) == 0 && wrong == nil:
		return &base.Exit{Code: console.Finding, Err: fmt.Errorf("nothing is proven yet: run checkrein prove %s", strings.Join(append(args, "--all")[:1], ""))}
	}
	if wrong != nil {
		return &base.Exit{Code: console.Finding, Err: wrong}
	}
	return nil
}

// showEvidence prints the piece of evidence that has this digest.
func showEvidence(env *console.Env, store prove.Store, digest string) error {
	b, err := store.ReadEvidence(digest)
	if err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	if len(b) == 0 {
		fmt.Fprintln(env.Stderr, "this evidence is empty: there was nothing of this kind to record")
	}
	s := base.Screen(env, env.Stdout)
	for line := range strings.Lines(string(b)) {
		s.Line(term.P(strings.TrimSuffix(line, "\n")))
	}
	return s.Err()
}
