// Package analyze implements the analyze command, which shows what a policy can do to any event.
package analyze

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/analysis"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// A query has the flags of the command.
type query struct {
	env    *console.Env
	files  []string
	diff   bool
	hosts  []string
	failOn []string
	asJSON bool

	wrong []problems.Problem // in files, which end the command
}

// failures lists the values of --fail-on.
var failures = append(slices.Clone(analysis.Checks), string(analysis.Weaker))

// Command returns the analyze command.
func Command(env *console.Env) *cobra.Command {
	q := query{env: env}
	cmd := &cobra.Command{
		Use: "analyze [FILE]...", Short: "Show what rules can do to any event, and compare policies",
		RunE: func(cmd *cobra.Command, args []string) error {
			q.files = append(q.files, args...)
			if err := q.check(); err != nil {
				return err
			}
			return q.run(cmd.Context())
		},
	}
	base.FileFlag(cmd, &q.files)
	f := cmd.Flags()
	f.BoolVar(&q.diff, "diff", false, "compare two policies: the files OLD and NEW")
	f.StringArrayVar(&q.hosts, "host", nil, "also show events and effects that no hook judges on this `AGENT`; repeatable")
	f.StringSliceVar(&q.failOn, "fail-on", nil, "exit with 1 on these findings: "+strings.Join(failures, ", "))
	f.BoolVar(&q.asJSON, "json", false, "print JSON")
	return cmd
}

// check returns an error if the command line is wrong.
func (q *query) check() error {
	if q.diff && len(q.files) != 2 {
		return fmt.Errorf("--diff compares two files, not %d: write checkrein analyze --diff OLD NEW", len(q.files))
	}
	for _, name := range q.failOn {
		if !slices.Contains(failures, name) {
			return fmt.Errorf("--fail-on %s is unknown: use %s", name, strings.Join(failures, ", "))
		}
	}
	if slices.Contains(q.failOn, string(analysis.Weaker)) && !q.diff {
		return errors.New("--fail-on weaker needs two policies: add --diff OLD NEW")
	}
	for _, name := range q.hosts {
		if _, ok := host.Find(name); !ok {
			return fmt.Errorf("unknown agent %q%s", name, suggest.Hint(name, host.Names()))
		}
	}
	return nil
}

// run analyzes the policy or compares two, and prints the result.
func (q *query) run(ctx context.Context) error {
	progress := base.NewProgress(q.env, "analyzing")
	defer progress.End()
	out := result{Version: 1, Findings: []finding{}, query: q}
	var err error
	if q.diff {
		err = q.compare(ctx, &out)
	} else {
		err = q.analyze(ctx, &out)
	}
	progress.End()
	if len(q.wrong) > 0 {
		return q.reportWrong()
	}
	if err != nil {
		return err
	}
	if err = ctx.Err(); err != nil {
		return base.AsFailure(err)
	}
	err = out.report().Print(q.env, q.asJSON, &out)
	return base.OrFinding(err, out.fails(), "the policy has findings")
}

// reportWrong prints the problems of the files.
func (q *query) reportWrong() error {
	show := problems.Printer{Screen: base.Screen(q.env, q.env.Stderr), Dir: q.env.Dir}
	for i := range q.wrong {
		show.Print(&q.wrong[i])
	}
	return &base.Exit{Code: console.Config, Err: errors.New("the configuration is not valid"), Quiet: true}
}

// A policy is a kit with the part of it that is analyzed.
type policy struct {
	*analysis.Policy
	kit        *app.Kit
	unapproved []*checkrein.Hook
	shadow     []*checkrein.Hook
}

// open opens the policy of the files, or of the project if there are none.
func (q *query) open(files []string) (*policy, error) {
	k, err := base.OpenKit(q.env, app.Options{Files: files, Defaults: true, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if wrong := k.Check(); wrong != nil {
		for _, err := range base.SplitErrors(wrong) {
			q.wrong = append(q.wrong, problems.New(problems.Error, err))
		}
		return nil, wrong
	}
	p := &policy{kit: k, Policy: &analysis.Policy{Raises: raises, Home: environ.Home(q.env.Environ), Judge: k.Judge, Hosts: host.Names()}}
	for _, h := range k.Hooks() {
		if base.IsServer(&h) || h.Off != "" {
			continue
		}
		if k.NeedsApproval(&h) {
			if state, _ := k.Approval(&h); state != engine.Approved {
				p.unapproved = append(p.unapproved, &h)
				continue
			}
		}
		if !k.Counts(&h) {
			if !h.Implied {
				p.shadow = append(p.shadow, &h)
			}
			continue
		}
		h.Shadow = false // it is over, or a project's
		p.Hooks = append(p.Hooks, h)
	}
	p.Decide = k.DryRun(func(h *checkrein.Hook) bool {
		return (h.Run == "rule" || isPacks(h) || h.Implied && h.Run == "builtin") && k.Counts(h)
	})
	p.Commands = sync.OnceValue(func() []analysis.Command { return sampleCommands(k) })
	return p, nil
}

// isPacks reports whether h applies packs.
func isPacks(h *checkrein.Hook) bool {
	w, err := packguard.HookPolicy(h)
	return w != nil && err == nil
}

// raises returns the decisions that the hook h may return. Builtins never allow a call.
func raises(h *checkrein.Hook) (out []checkrein.Decision) {
	row := checkrein.ContractOf(h.On)
	for _, d := range []checkrein.Decision{checkrein.Allow, checkrein.Ask, checkrein.Deny} {
		v := checkrein.Verdict{Decision: d}
		if row.Can(v.Effects()) && (d != checkrein.Allow || h.Run != "builtin") {
			out = append(out, d)
		}
	}
	return out
}

// eachSample calls fn with a sample of each rule of the packs until it returns false.
func eachSample(fn func(rule *shell.Rule, command string) bool) {
	more := true
	program.EachSample(func(r *shell.Rule, s *shell.Samples) {
		if more && len(s.Match) > 0 {
			more = fn(r, s.Match[0])
		}
	})
}

// sampleCommands returns a command for each set of effects and impact that samples of packs have.
func sampleCommands(k *app.Kit) (out []analysis.Command) {
	seen := map[string]bool{}
	eachSample(func(_ *shell.Rule, command string) bool {
		ev := shellCall(command)
		acts := k.Judge(&ev)
		if key := acts.Radius + " " + strings.Join(acts.Effects, " "); !seen[key] {
			seen[key] = true
			out = append(out, analysis.Command{Text: command, Acts: acts})
		}
		return true
	})
	return out
}

// analyze adds the findings about one policy to out.
func (q *query) analyze(ctx context.Context, out *result) error {
	p, err := q.open(q.files)
	if err != nil {
		return err
	}
	properties := q.properties(p)
	if len(q.wrong) > 0 {
		return nil
	}
	out.setPolicy(p)
	for _, f := range analysis.Check(ctx, p.Policy) {
		out.Findings = append(out.Findings, newFinding(&f))
	}
	for i := range properties {
		a, err := analysis.Prove(ctx, p.Policy, &properties[i])
		if err != nil {
			q.wrong = append(q.wrong, problems.New(problems.Error, &checkrein.HookError{Hook: properties[i].Name, Origin: properties[i].From, Err: err}))
			continue
		}
		if grants := p.kit.Loosenings(); a.Result == analysis.Holds && slices.ContainsFunc(grants, loosening.IsGrant) {
			a = analysis.Answer{Result: analysis.Undecided, Why: "a grant in the files may lift a decision"}
		}
		out.Properties = append(out.Properties, newProperty(&properties[i], &a))
	}
	for _, name := range q.hosts {
		out.Gaps = append(out.Gaps, q.gaps(ctx, p, name)...)
	}
	return nil
}

// compare adds the differences of two policies to out.
func (q *query) compare(ctx context.Context, out *result) error {
	before, err := q.open(q.files[:1])
	after, errAfter := q.open(q.files[1:])
	if err = errors.Join(err, errAfter); err != nil {
		return err
	}
	out.setPolicy(after)
	got := analysis.Compare(ctx, before.Policy, after.Policy)
	for i := range got.Classes {
		out.Differences = append(out.Differences, newDifference(&got.Classes[i]))
	}
	for _, side := range []struct {
		hooks []*checkrein.Hook
		out   *[]hookName
	}{{got.Removed, &out.Removed}, {got.Added, &out.Added}} {
		for _, h := range side.hooks {
			if isPacks(h) {
				out.packsDiffer = true
			} else {
				*side.out = append(*side.out, nameHook(h))
			}
		}
	}
	from, to := before.kit.Loosenings(), after.kit.Loosenings()
	out.addSettings(analysis.Weaker, to, from)
	out.addSettings(analysis.Stricter, from, to)
	if out.packsDiffer {
		list := comparePacks(ctx, before, after)
		if len(list) == 0 {
			list = []difference{{Direction: analysis.Weaker, Status: analysis.Possible, Setting: "packs, in a way that none of their samples shows,"}}
		}
		out.Differences = append(out.Differences, list...)
	}
	out.sortDifferences()
	strict := got.AtLeastAsStrict && !slices.ContainsFunc(out.Differences, func(d difference) bool { return d.Direction == analysis.Weaker })
	out.AtLeastAsStrict = &strict
	return nil
}

// ownPacks returns the packs of the user in w, which may be nil.
func ownPacks(w *packguard.Policy) []*shell.RuleSet {
	if w == nil {
		return nil
	}
	return w.OwnPacks()
}

// sampleOf returns a command that r, a rule of the user, may match.
func sampleOf(r *shell.Rule) string {
	var words []string
	for _, word := range strings.Fields(r.Cmd) {
		first, _, _ := strings.Cut(word, "|")
		words = append(words, strings.NewReplacer("**", "x", "*", "x").Replace(first))
	}
	return strings.Join(words, " ")
}

// comparePacks returns the differences of the decisions about a sample of each rule of the packs, a
// difference for each pack and change.
func comparePacks(ctx context.Context, before, after *policy) (out []difference) {
	add := func(pack string, r *shell.Rule, command string) bool {
		ev := shellCall(command)
		from, to := before.Decide(ctx, ev).Decision, after.Decide(ctx, ev).Decision
		if from == to {
			return ctx.Err() == nil
		}
		i := slices.IndexFunc(out, func(d difference) bool { return d.Pack == pack && d.From == from.String() && d.To == to.String() })
		if i < 0 {
			i = len(out)
			out = append(out, difference{Direction: analysis.DirectionOf(from, to), Status: analysis.Confirmed, Event: ev.Kind.String(), From: from.String(), To: to.String(),
				Pack: pack, Witness: witness(&ev)})
		}
		out[i].Rules = append(out[i].Rules, pack+"/"+r.ID)
		return ctx.Err() == nil
	}
	eachSample(func(r *shell.Rule, command string) bool { return add(r.Category.Row().PackName(), r, command) })
	for _, p := range []*policy{before, after} {
		for i := range p.Hooks {
			w, _ := packguard.HookPolicy(&p.Hooks[i])
			for _, set := range ownPacks(w) {
				for j := range set.Rules {
					add(set.Name(), &set.Rules[j], sampleOf(&set.Rules[j]))
				}
			}
		}
	}
	for i := range out {
		out[i].Where = "calls with effects of the pack " + out[i].Pack
	}
	return out
}
