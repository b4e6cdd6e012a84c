// Package packguard decides about calls by the effects of their commands: by the rules of packs, and
// by whether a command does more than read.
package packguard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// A guard applies one part of the packs to effects.
type guard struct {
	packset.Part
	others []string       // the packs to which a part for every pack does not apply
	custom *shell.RuleSet // the user-defined pack, or nil
}

// NewPacks returns the builtin that applies packs; see [packset.Parse] for its arguments.
func NewPacks(args []string) (builtin.Func, error) {
	guards, err := parseGuards(args)
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

// parseGuards returns the guards for the arguments of the builtin.
func parseGuards(args []string) ([]guard, error) {
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

// appliesTo reports whether the guard applies to the pack of that name.
func (g *guard) appliesTo(pack string) bool {
	if g.Name == packset.Every {
		return pack != "" && !slices.Contains(g.others, pack)
	}
	return g.Name == pack
}

// countsRule reports whether shadow mode lets the rule of e count.
func (g *guard) countsRule(e *shell.Effect) bool {
	if g.Only == nil && g.Skip == nil {
		return true
	}
	_, id, _ := strings.Cut(e.RuleName(), "/")
	return g.CountsRule(id)
}

// decide returns the guard's decision about the effect e at the place p. The hook itself and the
// commands packs, classify, match and explain all use it.
//
// A level that a file sets applies to all effects of the pack except safe ones, whatever their default
// is. Without such a level, the default of the effect's category applies. A project's file never
// restricts reads, because a repository could blind an agent with it.
func (g *guard) decide(e *shell.Effect, p *shell.Place) checkrein.Decision {
	row := e.Row()
	if e.Label == shell.Safe || !g.appliesTo(row.PackName()) || !g.countsRule(e) || g.Project != "" && e.Kind == "read" || g.exemptsPaths(e, p) {
		return checkrein.NoOpinion
	}
	level := g.By[policyIndex(e)]
	if level.Default {
		return max(level.Min, defaultDecision(e, row))
	}
	return level.Min
}

// isUnsure reports whether the guard asks about e only because something about it is unknown, and no
// file requires that.
func (g *guard) isUnsure(e *shell.Effect) bool {
	level := g.By[policyIndex(e)]
	return g.Project == "" && level.Default && level.Min < checkrein.Ask && e.Gap() != shell.NoGap && decideByImpact(e) == checkrein.NoOpinion && e.Row().Policy != shell.Refuse
}

// policyIndex returns the index in [setting.PackKeys] of the key that applies to e: exfiltration if e
// sends data away, otherwise its impact. An effect that is only possible has an unknown impact.
func policyIndex(e *shell.Effect) int {
	switch {
	case e.Label == shell.Exfiltration:
		return int(shell.ImpactUnknown) + 1
	case isPossible(e):
		return int(shell.ImpactUnknown)
	}
	return int(e.Impact)
}

// isPossible reports whether e is only possible, because a word on which it depends is unknown.
func isPossible(e *shell.Effect) bool { return e.Label == shell.Unknown && e.Uncertain }

// defaultDecision returns the decision about e, an effect of the category row, if no file sets a
// level.
func defaultDecision(e *shell.Effect, row *shell.Row) checkrein.Decision {
	switch {
	case row.Policy == shell.Pass, isPossible(e):
		return checkrein.NoOpinion
	case row.Policy == shell.AskFor:
		return max(checkrein.Ask, decideByImpact(e))
	case row.Policy == shell.Refuse:
		return checkrein.Deny
	}
	return decideByImpact(e)
}

// decideByImpact returns the decision about e by its label and impact.
func decideByImpact(e *shell.Effect) checkrein.Decision {
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

// exemptsPaths reports whether all paths of e are exempt from the guard.
func (g *guard) exemptsPaths(e *shell.Effect, p *shell.Place) bool {
	if len(g.Allow) == 0 || len(e.Paths) == 0 || len(e.Hosts) > 0 {
		return false
	}
	return !slices.ContainsFunc(e.Paths, func(path string) bool {
		return !slices.ContainsFunc(g.Allow, func(pattern string) bool { return study.MatchesGlob(pattern, path, p) })
	})
}

// guardCall returns the verdict for a call. The call is judged once for all packs.
func guardCall(ctx context.Context, call *builtin.Call, guards []guard, own []*shell.RuleSet) checkrein.Verdict {
	if !builtin.IsGated(&call.Event) {
		return checkrein.Verdict{}
	}
	at := study.NewCallEnv(call)
	at.Over = func() bool { return ctx.Err() != nil }
	all, _ := study.JudgeAll(&call.Event, at, own)
	all = append(all, study.JudgeReads(&call.Event, at)...)
	all = append(all, study.JudgeWrites(&call.Event, at)...)
	all = append(all, study.JudgeToolName(&call.Event, at)...)
	v := saveFirst(ctx, call, all, guards, guardParts(all, guards, false))
	if slices.ContainsFunc(guards, func(g guard) bool { return g.Only != nil }) {
		return v // in shadow mode: the hook that counts contains the call
	}
	return contain(ctx, call, all, v)
}

// guardParts returns the verdict for the parts of a call. If saved is set, effects whose losses the
// guards would rather have saved do not count.
func guardParts(all []study.PartReport, guards []guard, saved bool) checkrein.Verdict {
	out := checkrein.Verdict{Unsure: true} // cleared once a guard stops a known effect
	var stops []builtin.Stop
	var causes []checkrein.Cause
	for i := range all {
		stops, causes = guardPart(&out, &all[i], guards, saved, stops, causes)
	}
	out.Because = causes
	out.Unsure = out.Unsure && out.Decision == checkrein.Ask
	if len(stops) > 1 {
		builtin.AddStops(&out, stops)
	}
	return out
}

// guardPart makes the verdict out stricter according to the effects of the part j of a call, see
// [guardParts]. It returns stops and causes with those of the part appended.
func guardPart(out *checkrein.Verdict, j *study.PartReport, guards []guard, saved bool, stops []builtin.Stop, causes []checkrein.Cause) ([]builtin.Stop, []checkrein.Cause) {
	for i := range j.Report.Effects {
		e := &j.Report.Effects[i]
		for k := range guards {
			d := guards[k].decide(e, &j.Place)
			if d < checkrein.Ask || saved && guards[k].saves(e, &j.Place) {
				continue
			}
			s := builtin.Stop{Decision: d, Rule: e.RuleName(), Reason: e.Reason}
			out.Unsure = out.Unsure && guards[k].isUnsure(e)
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
			out.Metadata["pack"], out.Metadata["pack_key"] = e.Row().PackName(), setting.PackKeys[policyIndex(e)]
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

// CheckSamples checks the user-defined packs of h against their samples. It returns nil if h does not
// apply packs.
func CheckSamples(h *checkrein.Hook) error {
	if h.Run != "builtin" || h.Broken != "" || rawjson.GetText(h.With, "name") != "packs" {
		return nil
	}
	args, err := builtin.ParseArgs(h.With)
	if err != nil {
		return nil // building the hook reports this error and the next one
	}
	guards, err := parseGuards(args)
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
