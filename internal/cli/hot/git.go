package hot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/scan/report"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

const gitHookHelp = `Check a commit or a push for git.

The scripts that 'checkrein git install' writes call this.

Examples:
  checkrein git pre-commit
  checkrein git pre-push origin https://example.com/project.git < refs

Usage: checkrein git pre-commit [--private]
       checkrein git pre-push [--private] REMOTE URL

Flags:
  --private            without a policy file, block only secrets in lines that
                       the commits add (the policy private-repo)

pre-commit scans what is staged, from the index. pre-push reads the
pushed refs from stdin and scans every commit that the remote does not have,
including its message. The policy is your own checkrein-policy.yaml, or
public-repo without one, plus what the project's policy adds. Hooks on the
events pre_commit and pre_push run too, and everything is recorded in the
ledger.

The exit code is 1 if git must stop.
`

// runGit runs the commands that git's hooks call, git pre-commit and git pre-push. The companion runs
// the other subcommands of git.
func runGit(ctx context.Context, env console.Env) int {
	g := gitGate{env: env, base: policy.Default, began: env.Now()}
	if len(env.Args) > 0 {
		switch env.Args[0] {
		case "pre-commit":
			g.kind, g.what = checkrein.PreCommit, "the commit"
			return g.run(ctx, g.scanCommit)
		case "pre-push":
			g.kind, g.what = checkrein.PrePush, "the push"
			return g.run(ctx, g.scanPush)
		}
	}
	env.Args = append([]string{"git"}, env.Args...)
	return runCompanion(env)
}

// A gitGate decides for git whether a commit or a push may go on.
type gitGate struct {
	env   console.Env
	kind  checkrein.Kind
	what  string
	words []string // arguments of the command line
	base  string   // the bundled policy to use if there is no policy file
	began time.Time

	repo    *git.Repo
	scan    scan.Scan
	shown   bytes.Buffer // the text for the user
	counts  report.Counts
	list    findingList     // findings, for hooks
	entries []string        // policy entries, each of which would allow a finding; at most maxEntriesShown
	noted   map[string]bool // all such entries
	details []checkrein.Detail
}

// run parses the command line, scans with look, and writes the reply for git. If anything fails, the
// reply makes git stop.
func (g *gitGate) run(ctx context.Context, look func(context.Context) error) int {
	args := args{list: g.env.Args[1:], words: &g.words}
	for args.next() {
		if args.name == "h" || args.name == "help" {
			io.WriteString(g.env.Stdout, gitHookHelp)
			return console.Done
		}
		if args.name == "private" {
			g.base = policy.Private
			continue
		}
		args.failUnknown("private", "help")
	}
	if args.err != nil {
		return printError(g.env, console.Usage, "git: %v\nRun 'checkrein git pre-commit --help' for usage.", args.err)
	}
	if g.env.Interrupts != nil {
		ctx = g.env.Interrupts(ctx)
	}
	err := g.open(ctx)
	if err == nil {
		err = look(ctx)
	}
	g.list.close()
	g.details = append(g.details, checkrein.Detail{Name: "findings", Value: g.list.raw})
	return writeReply(g.env, g.answer(ctx, err))
}

// open finds the repository and loads its policy.
func (g *gitGate) open(ctx context.Context) (err error) {
	if g.repo, err = git.OpenRepo(ctx, g.env.Dir, g.env.Environ); err != nil {
		return err
	}
	if g.repo.Top != "" {
		g.env.Dir = g.repo.Top
	}
	if g.scan.Policy, err = policy.Discover(g.env.Dir, userPlaces(g.env).Config, g.base, g.env.Now()); err != nil {
		return err
	}
	g.scan.Added, g.scan.Digests = g.scan.Policy.Base == policy.Private, true
	for _, note := range g.scan.Policy.Notes {
		fmt.Fprintf(&g.shown, "checkrein: %s\n", visible.EscapeLine(note))
	}
	return nil
}

// scanSource scans a source, adds the findings to the text for the user and to the list for hooks, and
// returns what was scanned.
func (g *gitGate) scanSource(ctx context.Context, git *scan.Git, source scan.Source) (scan.Totals, error) {
	rep, err := report.New(&g.shown, "human", report.Options{Git: true})
	if err != nil {
		return scan.Totals{}, err
	}
	origins := reportOrigins(g.env, &g.scan, func(f *scan.Finding) {
		rep.Add(f)
		if f.Counts() {
			g.list.add(f)
			g.addAllowEntry(f)
		}
	})
	totals, err := g.scan.Run(ctx, source)
	git.AddCounts(&totals)
	if why := origins.Flush(ctx); why != nil {
		fmt.Fprintf(&g.shown, "checkrein: cannot tell who wrote the findings' lines: %s\n", visible.EscapeText(why.Error()))
	}
	g.counts = rep.Counts
	err = errors.Join(err, rep.Flush())
	g.printAllowEntries()
	return totals, err
}

const maxEntriesShown = 100 // maxEntriesShown is how many policy entries are shown at once.

// addAllowEntry adds the policy entry that would allow f, if the policy can have one.
func (g *gitGate) addAllowEntry(f *scan.Finding) {
	if !f.Blocks() || f.Digest == "" || !g.scan.Policy.CanAllow() {
		return
	}
	o := rawjson.Object{'{'}
	o.Text("rule", f.Rule)
	if !strings.ContainsAny(f.Path, "*?[]{}\\!") { // these would make the path a pattern
		o.Text("path", f.Path)
	}
	o.Text("digest", "sha256:"+f.Digest)
	o.Text("reason", "say why")
	o.Close()
	entry := visible.EscapeLine(strings.ReplaceAll(string(o), `","`, `", "`))
	if g.noted[entry] {
		return
	}
	if g.noted == nil {
		g.noted = map[string]bool{}
	}
	g.noted[entry] = true
	if len(g.entries) < maxEntriesShown {
		g.entries = append(g.entries, entry)
	}
}

// printAllowEntries prints which entries would allow the findings, and the file to add them to.
func (g *gitGate) printAllowEntries() {
	if len(g.entries) == 0 {
		return
	}
	file := g.scan.Policy.File
	text, where := g.scan.Policy.AllowText(g.entries)
	if file == "" {
		file = filepath.Join(g.env.Dir, policy.FileNames[0])
		if g.scan.Added {
			text = "extends: " + policy.Private + "\n" + text
		}
		fmt.Fprintf(&g.shown, "checkrein: to allow it, put this into a new file %s:\n%s", visible.EscapeLine(file), text)
	} else {
		fmt.Fprintf(&g.shown, "checkrein: to allow it, add this to %s, %s:\n%s", visible.EscapeLine(file), where, text)
	}
	if more := len(g.noted) - len(g.entries); more > 0 {
		again := "git commit"
		if g.kind == checkrein.PrePush {
			again = "git push"
		}
		fmt.Fprintf(&g.shown, "checkrein: %d more can be allowed in the same way: add these, then run %s again to see the rest\n", more, again)
	}
}

// scanStep stands for the scan in the ledger. It is not a configured hook, so switching hooks off does
// not switch it off.
var scanStep = checkrein.Hook{ID: "scan", Name: "scan", Run: "scan", From: checkrein.Origin{Scope: checkrein.ScopeFlag}}

// answer runs the hooks on the event, records the outcome and returns the reply for git. If fault is
// not nil, it denies instead.
func (g *gitGate) answer(ctx context.Context, fault error) wire.Reply {
	ev := checkrein.Event{Kind: g.kind, Details: g.details, Session: checkrein.Session{Dir: g.env.Dir}}
	call := app.Call{Events: []checkrein.Event{ev}, Began: g.began}
	k, err := openKit(g.env, setup{}, &ev)
	if err != nil {
		return g.encode([]engine.Outcome{faultOutcome(ev, true, fmt.Errorf("%w; nothing was recorded", errors.Join(fault, err)))})
	}
	if fault != nil {
		call.Fault = fault.Error()
		return k.Record(call, []engine.Outcome{faultOutcome(ev, true, fault)}, g.encode)
	}
	out := k.Decide(ctx, ev)
	hook := scanStep
	hook.On = g.kind
	verdict := g.scanVerdict()
	step := engine.Step{Result: engine.Result{Hook: &hook, Stage: 1, Took: g.env.Now().Sub(g.began), Answer: &checkrein.Answer{Verdict: verdict}, Verdict: &verdict}}
	out.Steps = append([]engine.Step{step}, out.Steps...)
	out.Verdict = checkrein.Merge([]checkrein.Verdict{verdict, out.Verdict})
	return k.Record(call, []engine.Outcome{out}, g.encode)
}

// scanVerdict returns the verdict of the scan: a denial if a finding blocks.
func (g *gitGate) scanVerdict() checkrein.Verdict {
	if g.counts.Block == 0 {
		return checkrein.Verdict{}
	}
	remedy := "remove the text and stage the file again"
	if g.kind == checkrein.PrePush {
		remedy = "make the commit or tag again without the text (git commit --amend, git rebase -i, git tag -f)"
	}
	if len(g.entries) > 0 {
		remedy += ", or allow it as shown above"
	}
	reason := fmt.Sprintf("the policy blocks %s: %s", countText(g.counts.Block, "finding"), remedy)
	return checkrein.Verdict{Decision: checkrein.Deny, Reason: reason}
}

// encode returns the text that git shows to the user, and an exit code that stops git if the verdict
// is a denial.
func (g *gitGate) encode(outs []engine.Outcome) wire.Reply {
	b := bytes.NewBuffer(bytes.Clone(g.shown.Bytes()))
	v := &outs[0].Verdict
	for _, n := range v.Notice {
		fmt.Fprintf(b, "checkrein: %s\n", visible.EscapeText(n))
	}
	if v.Decision != checkrein.Deny {
		return wire.Reply{Stderr: b.Bytes()}
	}
	fmt.Fprintf(b, "checkrein refuses %s: %s\n", g.what, visible.EscapeText(v.Reason))
	return wire.Reply{Stderr: b.Bytes(), Exit: console.Finding}
}

// countText returns n followed by the noun what, in the plural unless n is 1.
func countText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
