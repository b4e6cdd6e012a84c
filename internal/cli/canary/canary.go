package canary

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// flags holds the flags of the canary command.
type flags struct {
	host, hook string
	json, yes  bool
}

// Command returns the canary command.
func Command(env *console.Env) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "canary", Short: "Send everyday and harmful calls to every hook of this machine",
		Long: `Test every command hook of this machine that runs before tools, including hooks that are not yours, with a
fixed list of everyday and harmful calls. The report names hooks that are inert or slow, that crash, that
block everything, or that let every harmful call pass. The calls are never executed. Each hook runs in a
scratch home behind walls, without a network, so a hook that needs the network or writes elsewhere fails here.`,
		Example: "  checkrein canary\n  checkrein canary --host claude --yes --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runCanary(cmd.Context(), env, &f) },
	}
	cmd.Flags().StringVar(&f.host, "host", "", "only the hooks of this `AGENT`; checkrein = those in checkrein's files")
	cmd.Flags().StringVar(&f.hook, "hook", "", "only the hook called `NAME`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON; needs --yes")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask before the hooks run")
	return cmd
}

// runCanary lists the hooks, and runs them if the person agrees.
func runCanary(ctx context.Context, env *console.Env, f *flags) error {
	if err := sandbox.CheckSupported(); err != nil {
		return base.AsRefusal(fmt.Errorf("hooks that are not yours run only behind walls: %w", err))
	}
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	targets, err := f.choose(findTargets(env, k))
	if err != nil {
		return &base.Exit{Code: console.Usage, Err: err}
	}
	if !f.json {
		printTargets(base.Screen(env, env.Stdout), targets)
	}
	switch {
	case len(targets) == 0 || f.yes:
	case f.json || !base.IsTerminal(env.Stdin) || !base.IsTerminal(env.Stdout):
		return base.AsRefusal(errors.New("nothing was run: to run these hooks without a question, add --yes"))
	case !base.Confirm(env, "Run them?"):
		return base.AsRefusal(errors.New("nothing was run"))
	}
	r := &Report{Version: 1, Time: env.Now().UTC(), Hooks: []HookReport{}}
	for _, c := range battery() {
		r.count(&c, nil)
	}
	if f.host == "" && f.hook == "" {
		r.addGuards(ctx, k)
	}
	if err := r.runTargets(ctx, env, targets); err != nil {
		return err
	}
	if err := r.save(env); err != nil {
		return base.AsFailure(err)
	}
	out := r.screen(env)
	return base.OrFinding(out.Print(env, f.json, r), r.Interrupted || r.bad() > 0, "a hook does not work")
}

// choose returns the targets that the flags select.
func (f *flags) choose(all []target) ([]target, error) {
	var names, hosts []string
	out := slices.DeleteFunc(slices.Clone(all), func(t target) bool {
		names, hosts = append(names, t.name), append(hosts, t.host)
		return f.host != "" && t.host != f.host || f.hook != "" && t.name != f.hook
	})
	switch {
	case len(out) > 0 || f.host == "" && f.hook == "":
		return out, nil
	case f.hook != "":
		return nil, fmt.Errorf("there is no hook %q%s", f.hook, suggest.HintOr(f.hook, names, "the hooks are "+strings.Join(names, ", ")))
	}
	return nil, fmt.Errorf("there are no hooks of %q%s", f.host, suggest.HintOr(f.host, hosts, "there are hooks of "+strings.Join(slices.Compact(hosts), ", ")))
}

// printTargets prints what is about to run.
func printTargets(out *term.Screen, targets []target) {
	if len(targets) == 0 {
		out.Text(0, 2, term.P("there are no command hooks before tools on this machine, so only checkrein's own guards are tried"))
		return
	}
	out.Text(0, 2, term.P(fmt.Sprintf("%s will get %d calls each, behind walls, without a network, in a scratch home:", term.FormatCount(len(targets), "hook"), len(battery()))))
	for i := range targets {
		t := &targets[i]
		out.Text(2, 4, term.T(term.Strong, t.host+"  "), term.T(term.Name, visible.EscapeLine(t.name)), term.P("  "+visible.EscapeLine(base.OneLine(t.shows))), term.T(term.Faint, "  "+out.ShortenPaths(t.origin)))
	}
}

// A Report is what canary --json prints.
type Report struct {
	Version     int          `json:"version"` // of this format
	Time        time.Time    `json:"time"`
	Interrupted bool         `json:"interrupted,omitempty"`
	Everyday    int          `json:"everyday"` // calls of the battery
	Harmful     int          `json:"harmful"`
	Guards      *HookReport  `json:"guards,omitempty"` // checkrein's own guards and rules
	Hooks       []HookReport `json:"hooks"`
}

// count counts c, if h is nil for the battery and otherwise as stopped by h.
func (r *Report) count(c *call, h *HookReport) {
	everyday, harmful := &r.Everyday, &r.Harmful
	if h != nil {
		everyday, harmful = &h.Everyday, &h.Harmful
	}
	if c.harmful {
		*harmful++
	} else {
		*everyday++
	}
}

// guards stands for checkrein's own guards and the person's rules, which are not programs.
var guards = target{host: "checkrein", name: "guards and rules", origin: "built in", timeout: defaultTimeout}

// addGuards adds what checkrein's own guards and the person's rules, which are not programs, make of the
// calls. It leaves no trace.
func (r *Report) addGuards(ctx context.Context, k *app.Kit) {
	decide := k.DryRun(func(h *checkrein.Hook) bool { return (h.Run == "builtin" || h.Run == "rule") && !k.IsInShadow(h) })
	t := target{words: &usualNames}
	p := place{environ.OwnAccount().Home, k.Root()}
	var outs []outcome
	calls := battery()
	for i := range calls {
		o := outcome{call: &calls[i], kind: "empty"}
		ev, _ := t.event(&calls[i], p)
		if v := decide(ctx, ev); v.Decision >= checkrein.Ask {
			o.kind = v.Decision.String()
		}
		outs = append(outs, o)
	}
	h := r.judge(&guards, outs)
	r.Guards = &h
}

// runTargets runs the hooks, one after another.
func (r *Report) runTargets(ctx context.Context, env *console.Env, targets []target) error {
	scratch, err := os.MkdirTemp("", "checkrein-canary-")
	if err != nil {
		return base.AsFailure(err)
	}
	defer os.RemoveAll(scratch)
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return base.AsFailure(err)
	}
	home, err := base.StateDir(env)
	if err != nil {
		return err
	}
	run, err := newRunner(base.HotProgram(env), scratch, []string{environ.Home(env.Environ), environ.OwnAccount().Home}, []string{home.Path()}, env.Environ)
	if err != nil {
		return base.AsFailure(err)
	}
	bar := base.NewProgress(env, "running hooks")
	defer bar.End()
	calls := battery()
	for i := range targets {
		bar.Set(int64(i), int64(len(targets)))
		outs, err := run.runAll(ctx, &targets[i], calls)
		if err != nil {
			return base.AsRefusal(fmt.Errorf("walls cannot be built here, so no hook was run: %w", err))
		}
		if ctx.Err() != nil {
			r.Interrupted = true
			return nil
		}
		r.Hooks = append(r.Hooks, r.judge(&targets[i], outs))
	}
	return nil
}

// A HookReport is what a hook made of the calls.
type HookReport struct {
	Host     string   `json:"host"`
	Hook     string   `json:"hook"`
	Origin   string   `json:"origin"`
	Verdict  string   `json:"verdict"` // works, inert, passes-harm, blocks-all, slow, crashes, garbage or not-asked
	Calls    int      `json:"calls"`   // that it got: its matcher may leave some out
	Harmful  int      `json:"harmful_stopped"`
	Everyday int      `json:"everyday_stopped"`
	MedianMS float64  `json:"median_ms"`
	LimitMS  float64  `json:"timeout_ms"`
	Details  []string `json:"details,omitempty"` // calls that crashed it, with exit codes, or what it printed
	digest   string   // of its definition
}

// verdicts describes the verdicts of hooks, the best first.
var verdicts = []struct{ word, text string }{
	{"works", "works"},
	{"not-asked", "its matcher matches none of the calls"},
	{"inert", "inert: the same empty answer to everything"},
	{"passes-harm", "lets everything harmful pass"},
	{"blocks-all", "blocks everything"},
	{"slow", "slow"},
	{"garbage", "prints something that is not an answer"},
	{"crashes", "crashes"},
}

const (
	slowTime   = time.Second // a median beyond it is slow, whatever the time-out is
	maxDetails = 5
)

// judge returns the report of t for its outcomes.
func (r *Report) judge(t *target, outs []outcome) HookReport {
	h := HookReport{Host: t.host, Hook: t.name, Origin: t.origin, Calls: len(outs), LimitMS: float64(t.timeout.Milliseconds()), digest: t.digest()}
	kinds := map[string]int{}
	var took []time.Duration
	harmful, everyday := 0, 0
	for i := range outs {
		o := &outs[i]
		kinds[o.kind]++
		took = append(took, o.took)
		if o.call.harmful {
			harmful++
		} else {
			everyday++
		}
		switch o.kind {
		case "ask", "deny":
			r.count(o.call, &h)
		case "crash":
			h.addDetail(fmt.Sprintf("%s: exit code %d %s", o.call.id, o.exit, o.detail))
		case "garbage":
			h.addDetail(o.call.id + ": " + o.detail)
		case "timeout":
			h.addDetail(o.call.id + ": timed out")
		}
	}
	slices.Sort(took)
	median := time.Duration(0)
	if len(took) > 0 {
		median = took[len(took)/2]
	}
	h.MedianMS = float64(median.Microseconds()) / 1000
	switch {
	case len(outs) == 0:
		h.Verdict = "not-asked"
	case kinds["crash"] > 0:
		h.Verdict = "crashes"
	case kinds["garbage"] > 0:
		h.Verdict = "garbage"
	case kinds["timeout"] > 0, median > slowTime, median > t.timeout/2:
		h.Verdict = "slow"
	case h.Harmful == harmful && h.Everyday == everyday:
		h.Verdict = "blocks-all"
	case kinds["empty"] == len(outs):
		h.Verdict = "inert"
	case h.Harmful == 0:
		h.Verdict = "passes-harm"
	default:
		h.Verdict = "works"
	}
	return h
}

// addDetail adds a detail, unless there are enough.
func (h *HookReport) addDetail(text string) {
	if len(h.Details) < maxDetails {
		h.Details = append(h.Details, strings.TrimSpace(base.Truncate(base.OneLine(visible.EscapeLine(text)), 160)))
	}
}

// bad returns how many hooks do not work.
func (r *Report) bad() int {
	n := 0
	for i := range r.Hooks {
		if r.Hooks[i].Verdict != "works" {
			n++
		}
	}
	return n
}

// screen returns the report for people.
func (r *Report) screen(env *console.Env) *report.Report {
	out := report.New(env)
	add := func(h *HookReport) {
		mark, text := term.Bad, h.Verdict
		for i, v := range verdicts {
			if v.word == h.Verdict {
				text = v.text
				if i < 4 {
					mark = []term.Style{term.Good, term.Plain, term.Warn, term.Warn}[i]
				}
			}
		}
		out.Text(0, 2, term.Mark(mark), term.T(term.Strong, " "+h.Host+"  "), term.T(term.Name, visible.EscapeLine(h.Hook)), term.P("  "+text))
		if h.Calls > 0 {
			line := fmt.Sprintf("stopped %d of %d harmful and %d of %d everyday calls", h.Harmful, r.Harmful, h.Everyday, r.Everyday)
			if h.MedianMS > 0 {
				line += fmt.Sprintf("; median %s, time-out %s", time.Duration(h.MedianMS*float64(time.Millisecond)).Round(time.Millisecond), time.Duration(h.LimitMS)*time.Millisecond)
			}
			if h.Calls < r.Harmful+r.Everyday {
				line += fmt.Sprintf("; it got %d calls", h.Calls)
			}
			out.Text(4, 6, term.T(term.Faint, line))
		}
		for _, d := range h.Details {
			out.Text(4, 6, term.P(d))
		}
	}
	if r.Guards != nil {
		add(r.Guards)
	}
	for i := range r.Hooks {
		add(&r.Hooks[i])
	}
	if r.Interrupted {
		out.Text(0, 2, term.P("interrupted: not all hooks were run"))
	}
	return out
}
