// Package shadow implements the shadow command: what hooks, packs and rules in shadow mode would have
// decided, and how to enforce them again.
package shadow

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// Command returns the shadow command.
func Command(env *console.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "shadow", Short: "Show what is tried in shadow mode, and enforce it",
		Long: `A hook, a pack or a rule in shadow mode runs and is recorded, but its decisions do not count.
To try one, write mode: shadow beside it in your checkrein.yaml; see checkrein docs policy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(reportCommand(env), enforceCommand(env), base.HelpCommand())
	return cmd
}

// reportCommand returns the shadow report command.
func reportCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var since string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "report", Short: "Count what shadow mode would have decided, by rule",
		Example: "  checkrein shadow report --since 7d\n  checkrein shadow report --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := records.FilterFlags{Since: since}
			choose, err := f.Selection(env.Now())
			if err != nil {
				return err
			}
			dir, err := at.BegunDir(env)
			if err != nil && records.IgnoreEmpty(err) != nil {
				return err
			}
			k, err := base.OpenKit(env, app.Options{ReadOnly: true})
			if err != nil {
				return err
			}
			guards := k.Guards()
			r, err := readTrials(cmd.Context(), env, dir, choose, guards.Tried)
			if err != nil {
				return base.AsFailure(err)
			}
			r.Held = append(r.Held, guards.HeldShadow...)
			return r.print(env, asJSON, since)
		},
	}
	at.Register(cmd)
	cmd.Flags().StringVar(&since, "since", "30d", "read records since this `TIME`: 7d, 12h, 2026-11-01")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// A trialsReport is what shadow report --json prints.
type trialsReport struct {
	Version int         `json:"version"` // of this format
	Now     []app.Trial `json:"now"`     // what is in shadow mode
	Held    []string    `json:"held"`    // what would be, but waits for checkrein confirm
	Tried   []*tried    `json:"tried"`   // what had an opinion, the most denials first
}

// A tried counts the decisions of a rule or hook that did not count.
type tried struct {
	Name     string    `json:"name"`
	Denied   int       `json:"would_deny"`
	Asked    int       `json:"would_ask"`
	Other    int       `json:"other"`  // times that it would have allowed or changed something
	Agreed   int       `json:"agreed"` // times that another hook decided the same, or more strictly
	Examples []example `json:"examples"`
}

// An example is a record in which a hook in shadow mode disagreed with what counted.
type example struct {
	ID      string `json:"id"` // which explain takes
	Would   string `json:"would"`
	Counted string `json:"counted"`
	Call    string `json:"call"`
}

// maxExamples is how many examples are kept for each rule, the newest ones.
const maxExamples = 3

// readTrials reads the ledger in dir.
func readTrials(ctx context.Context, env *console.Env, dir string, choose *records.Selection, now []app.Trial) (*trialsReport, error) {
	progress := base.NewProgress(env, "reading the ledger")
	defer progress.End()
	segments, err := ledger.Segments(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // nothing is recorded yet
		return nil, err
	}
	out := &trialsReport{Version: 1, Now: append([]app.Trial{}, now...), Held: []string{}, Tried: []*tried{}}
	byName := map[string]*tried{}
	for _, s := range segments {
		_, err := records.ReadSegment(ctx, dir, s.Number, func(e *ledger.Entry) bool {
			if !e.Damaged && e.Line.Kind == ledger.KindEvent && !e.Line.Time.Before(choose.Since) && mayHaveTrial(e.Line.Raw) {
				if r, err := record.Decode(e.Line.Raw); err == nil {
					out.addRecord(byName, r)
				}
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out.Tried, func(a, b *tried) int {
		return cmp.Or(b.Denied-a.Denied, b.Asked-a.Asked, strings.Compare(a.Name, b.Name))
	})
	return out, ctx.Err()
}

// mayHaveTrial reports whether the record in raw may have a step that did not count.
func mayHaveTrial(raw []byte) bool {
	return strings.Contains(string(raw), `"tried":true`) || strings.Contains(string(raw), `"shadow":true`)
}

// addRecord adds the opinions of r that did not count.
func (t *trialsReport) addRecord(byName map[string]*tried, r *record.Record) {
	counted := r.Decision
	switch {
	case r.Trial != nil:
		counted = r.Trial.Counted
	case r.Shadow:
		counted = checkrein.NoOpinion.String()
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		if r.Counts(s) || s.Decision == "" && len(s.Effects) == 0 {
			continue
		}
		name := s.Decider()
		one := byName[name]
		if one == nil {
			one = &tried{Name: name, Examples: []example{}}
			byName[name] = one
			t.Tried = append(t.Tried, one)
		}
		one.add(r, s, counted)
	}
}

// add counts the opinion of s. counted is the decision that counted.
func (t *tried) add(r *record.Record, s *record.Step, counted string) {
	switch s.Decision {
	case checkrein.Deny.String():
		t.Denied++
	case checkrein.Ask.String():
		t.Asked++
	default:
		t.Other++
	}
	words := records.DecisionWords()
	if s.Decision != "" && slices.Index(words, counted) >= slices.Index(words, s.Decision) {
		t.Agreed++
		return
	}
	would := s.Decision
	if would == "" {
		would = strings.Join(s.Effects, ", ")
	}
	t.Examples = append(t.Examples, example{ID: strconv.FormatUint(r.Seq, 10), Would: would, Counted: counted, Call: base.OneLine(cmp.Or(r.CallText(), r.Event))})
	if len(t.Examples) > maxExamples {
		t.Examples = t.Examples[1:]
	}
}

// print prints the report.
func (t *trialsReport) print(env *console.Env, asJSON bool, since string) error {
	out := report.New(env)
	if len(t.Now) > 0 {
		out.BeginSection("in shadow mode now")
	}
	for i := range t.Now {
		one := &t.Now[i]
		text := ""
		if one.Until != "" {
			text += ", until " + one.EndText()
		}
		if !slices.ContainsFunc(t.Tried, func(d *tried) bool { return d.isPartOf(one.Name) }) {
			text += ", no opinion since " + since
		}
		out.Text(2, 4, term.T(term.Name, one.Name), term.P(text), term.T(term.Faint, "  "+out.Screen.ShortenPaths(one.Origin)))
	}
	if len(t.Held) > 0 {
		out.BeginSection("enforced until you run checkrein confirm, because it appeared in your file while an agent was running")
	}
	for _, what := range t.Held {
		out.Text(2, 4, term.P(what))
	}
	if len(t.Tried) > 0 {
		out.BeginSection("decisions that did not count since " + since)
	}
	for _, one := range t.Tried {
		out.Text(0, 2, term.T(term.Name, one.Name), term.P("  "+one.countsText()))
		for _, e := range one.Examples {
			out.Fit(term.P("    "), term.Command("checkrein explain "+e.ID), term.T(term.Faint, "  would "+e.Would+", counted "+e.Counted+": "), term.P(base.Truncate(e.Call, 200)))
		}
	}
	switch {
	case len(t.Now)+len(t.Held)+len(t.Tried) == 0:
		out.Text(0, 2, term.P("nothing is in shadow mode, and nothing was since "+since+". To try a rule, write packs: [{name: git, shadow: [push-force]}] in your checkrein.yaml"))
	case len(t.Now) > 0:
		out.Blank()
		out.Text(0, 2, term.P("To enforce one: "), term.Command("checkrein shadow enforce NAME"))
	}
	return out.Print(env, asJSON, t)
}

// isPartOf reports whether t is the hook, pack or rule called name, or a rule of that pack.
func (t *tried) isPartOf(name string) bool {
	return t.Name == name || strings.HasPrefix(t.Name, name+"/")
}

// countsText returns how often t would have decided, in words.
func (t *tried) countsText() string {
	var out []string
	for _, one := range []struct {
		n    int
		text string
	}{{t.Denied, "would have denied "}, {t.Asked, "would have asked "}, {t.Other, "would have acted differently "}} {
		if one.n > 0 {
			out = append(out, one.text+term.FormatCount(one.n, "time"))
		}
	}
	if t.Agreed > 0 {
		out = append(out, "agreed with the actual decision "+term.FormatCount(t.Agreed, "time"))
	}
	return strings.Join(out, ", ")
}
