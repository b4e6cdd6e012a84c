// Package packguard decides about calls by what their commands do: by the rules of packs, and
// by how far a command goes beyond reading.
package packguard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/rules"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A guard is what one part of the packs that are on does about effects.
type guard struct {
	packset.Part
	others []string       // of a part that means every pack: those that it does not mean
	custom *shell.RuleSet // a person's own
}

// NewPacks switches packs on, by the arguments that packset.Parse reads.
func NewPacks(args []string) (builtin.Func, error) {
	guards, err := readGuards(args)
	if err != nil {
		return nil, err
	}
	var own []*shell.RuleSet
	for i := range guards {
		if p := guards[i].custom; p != nil {
			own = append(own, p)
		}
	}
	return func(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return guardCall(ctx, &call, guards, own), nil
	}, nil
}

func readGuards(args []string) ([]guard, error) {
	var own []*shell.RuleSet
	parts, err := packset.Parse(args, func(text string) (string, error) {
		p, err := rules.ParsePack([]byte(text))
		if err != nil {
			return "", err
		}
		own = append(own, p)
		return p.Name(), nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]guard, len(parts))
	var named []string
	for i, p := range parts {
		out[i].Part = p
		switch {
		case p.Name == packset.Every:
			continue
		case p.Own != "":
			out[i].custom, own = own[0], own[1:]
		default:
			if _, ok := shell.PackNamed(p.Name); !ok {
				return nil, fmt.Errorf("unknown pack %q%s", p.Name, suggest.Hint(p.Name, shell.PackNames()))
			}
		}
		named = append(named, p.Name)
	}
	for i := range out {
		if out[i].Name == packset.Every {
			out[i].others = named
		}
	}
	return out, nil
}

// means reports whether a guard is about a pack.
func (g *guard) means(pack string) bool {
	if g.Name == packset.Every {
		return pack != "" && !slices.Contains(g.others, pack)
	}
	return g.Name == pack
}

// about returns what a guard decides about an effect in a place. It is the only answer
// to that: the hook itself, packs, classify, match and explain all use it.
//
// A level that a file sets counts for every kind of effect in the pack, whatever the
// default of its row, except for effects that are known to be safe. Where no file sets
// one, the row's default counts. What a project's file tightens is never about reads: a
// repository could blind an agent with it.
func (g *guard) about(e *shell.Effect, p *shell.Place) checkrein.Decision {
	row := e.Row()
	if e.Label == shell.Safe || !g.means(row.PackName()) || g.Project != "" && e.Kind == "read" || g.allows(e, p) {
		return checkrein.NoOpinion
	}
	level := g.By[keyOf(e)]
	if level.Usual {
		return max(level.Min, usual(e, row))
	}
	return level.Min
}

// unsure reports whether a guard asks about an effect only because of what it leaves
// open, and no file says that it must.
func (g *guard) unsure(e *shell.Effect) bool {
	level := g.By[keyOf(e)]
	return g.Project == "" && level.Usual && level.Min < checkrein.Ask && e.Gap() != shell.NoGap && byRadius(e) == checkrein.NoOpinion && e.Row().Policy != shell.Refuse
}

// keyOf returns the key of a pack's policy that an effect comes under: its radius,
// unless it sends something away. What only may happen has an unknown impact.
func keyOf(e *shell.Effect) int {
	switch {
	case e.Label == shell.Exfiltration:
		return int(shell.ImpactUnknown) + 1
	case isPossible(e):
		return int(shell.ImpactUnknown)
	}
	return int(e.Impact)
}

// isPossible reports whether an effect is only what a command may do: a word that
// decides it is not known.
func isPossible(e *shell.Effect) bool { return e.Label == shell.Unknown && e.Uncertain }

// usual returns what is decided about an effect unless a file sets a level.
func usual(e *shell.Effect, row *shell.Row) checkrein.Decision {
	switch {
	case row.Policy == shell.Pass, isPossible(e):
		return checkrein.NoOpinion
	case row.Policy == shell.AskFor:
		return max(checkrein.Ask, byRadius(e))
	case row.Policy == shell.Refuse:
		return checkrein.Deny
	}
	return byRadius(e)
}

func byRadius(e *shell.Effect) checkrein.Decision {
	switch {
	case e.Label == shell.Exfiltration:
		return checkrein.Deny
	case e.Label == shell.Destructive && e.Impact == shell.ImpactHigh:
		return checkrein.Deny
	case e.Label == shell.Destructive && e.Impact != shell.ImpactLow, e.Impact == shell.ImpactHigh:
		return checkrein.Ask
	}
	return checkrein.NoOpinion
}

// allows reports whether all that an effect touches is exempt.
func (g *guard) allows(e *shell.Effect, p *shell.Place) bool {
	if len(g.Allow) == 0 || len(e.Paths) == 0 || len(e.Hosts) > 0 {
		return false
	}
	return !slices.ContainsFunc(e.Paths, func(path string) bool {
		return !slices.ContainsFunc(g.Allow, func(pattern string) bool { return study.MatchesGlob(pattern, path, p) })
	})
}

// guardCall judges a call once for all packs.
func guardCall(ctx context.Context, call *builtin.Call, guards []guard, own []*shell.RuleSet) checkrein.Verdict {
	if !builtin.IsGated(&call.Event) {
		return checkrein.Verdict{}
	}
	at := study.NewCallEnv(call)
	at.Over = func() bool { return ctx.Err() != nil }
	all, _ := study.JudgeAll(&call.Event, at, own)
	all = append(all, study.JudgeReads(&call.Event, at)...)
	all = append(all, study.JudgeToolName(&call.Event, at)...)
	out := checkrein.Verdict{Unsure: true} // until something known is stopped
	var stops []builtin.Stop
	var causes []checkrein.Cause
	for i := range all {
		stops, causes = guardPart(&out, &all[i], guards, stops, causes)
	}
	out.Because = causes
	out.Unsure = out.Unsure && out.Decision == checkrein.Ask
	if len(stops) > 1 {
		builtin.AddStops(&out, stops)
	}
	return out
}

// guardPart makes the verdict stricter by what one part of a call does, and adds
// all that it stops, with the effects that do.
func guardPart(out *checkrein.Verdict, j *study.PartReport, guards []guard, stops []builtin.Stop, causes []checkrein.Cause) ([]builtin.Stop, []checkrein.Cause) {
	for i := range j.Report.Effects {
		e := &j.Report.Effects[i]
		for k := range guards {
			d := guards[k].about(e, &j.Place)
			if d < checkrein.Ask {
				continue
			}
			s := builtin.Stop{Decision: d, Rule: e.RuleName(), Reason: e.Reason}
			out.Unsure = out.Unsure && guards[k].unsure(e)
			from := guards[k].Project
			if from != "" {
				s.Reason += " (set by the project in " + from + ")"
			}
			if !slices.Contains(stops, s) {
				stops, causes = append(stops, s), builtin.AddCause(causes, e)
			}
			if d <= out.Decision {
				continue
			}
			*out = builtin.SetRule(checkrein.Verdict{Decision: d, Reason: builtin.BlockedReason(e.Reason, j.Command), Metadata: builtin.Metadata(e.Impact.String(), e.Row().Name, ""), Unsure: out.Unsure}, s.Rule, s.Reason)
			out.Metadata["pack"], out.Metadata["pack_key"] = e.Row().PackName(), setting.PackKeys[keyOf(e)]
			if d == checkrein.Ask {
				out.Reason = builtin.WithoutColons(e.Reason) + ": " + j.Command
			}
			if from != "" {
				out.Metadata["pack_from"] = from
				out.Reason += fmt.Sprintf(" (set by the project: pack %s in %s)", e.Row().PackName(), from)
			}
			if fine := e.Alternative(); fine != "" {
				out.Metadata["instead"] = fine
			}
		}
	}
	return stops, causes
}

// CheckSamples holds the packs of a person's own that a hook brings against their
// samples.
func CheckSamples(h *checkrein.Hook) error {
	if h.Run != "builtin" || h.Broken != "" || rawjson.GetText(h.With, "name") != "packs" {
		return nil
	}
	args, err := builtin.ParseArgs(h.With)
	if err != nil {
		return nil // which whoever builds the hook says, as of what follows
	}
	guards, err := readGuards(args)
	if err != nil {
		return nil
	}
	var errs []error
	for i := range guards {
		if p := guards[i].custom; p != nil {
			errs = append(errs, classify.CheckSamples(p))
		}
	}
	return errors.Join(errs...)
}
