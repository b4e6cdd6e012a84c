package packs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/shell"
	shellfiles "github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Open adds a pack's categories and rules with their samples.
func (s *Shelf) Open(p *packReport) {
	if p.Kind == kindTexts {
		p.Change = s.switches(p)
		return
	}
	p.Categories = s.Categories(p.Name)
	add := func(r *shell.Rule, samples *shell.Samples) {
		if row := RuleRow(r); row.PackName() == p.Name {
			p.List = append(p.List, s.rule(p, r, samples))
		}
	}
	program.Samples(add)
	for i := range s.own {
		if set := s.own[i].set; set.Own == p.Name {
			for j := range set.Rules {
				add(&set.Rules[j], set.Rules[j].Samples)
			}
		}
	}
	p.Change = s.switches(p)
	for _, r := range guard.NamedRules() {
		if strings.HasPrefix(r.Name, p.Name+"/") {
			p.List = append(p.List, named(p, &r))
		}
	}
}

// named is a rule that is about no command.
func named(p *packReport, r *guard.NamedRule) ruleReport {
	out := ruleReport{ID: r.Name, Decision: r.Decision.String(), Reason: r.Reason, Match: []packSample{}, NoMatch: []packSample{}}
	if !p.On {
		out.Decision = checkrein.NoOpinion.String()
	}
	if out.Change = allowOne(out.Decision); r.Final {
		out.Change = []packChange{{Does: "cannot be lifted: do it yourself, in a terminal outside the agent"}}
	}
	return out
}

func RuleRow(r *shell.Rule) *shell.Row {
	if r.Own != nil {
		return r.Own
	}
	return r.Category.Row()
}

// category returns a kind of effect with what the hooks decide about it here: as it
// mostly is, and for every impact that it may have.
func (s *Shelf) category(c shell.Category, row *shell.Row) Category {
	e := shell.Effect{Label: row.Label, Kind: "run", Category: c, Radius: row.Radius}
	if strings.HasSuffix(row.Name, "-read") || c == shell.SecretUse { // which is a read by the program that needs it
		e.Kind = "read"
	}
	out := Category{Name: row.Name, Label: row.Label.String(), Radius: row.Radius.String(), Doc: row.Doc,
		Decision: s.about(&e).String(), Decides: map[string]string{}}
	for r := shell.RadiusLow; r <= shell.RadiusUnknown; r++ {
		e.Radius = r
		out.Decides[r.String()] = s.about(&e).String()
	}
	return out
}

// Categories returns the kinds of effects of a pack, in the order of the table.
func (s *Shelf) Categories(pack string) (out []Category) {
	shell.Categories(func(c shell.Category, row *shell.Row) {
		if row.PackName() == pack {
			out = append(out, s.category(c, row))
		}
	})
	return out
}

// rule is a rule with what the hooks make of it and of its samples.
func (s *Shelf) rule(p *packReport, r *shell.Rule, samples *shell.Samples) ruleReport {
	row := RuleRow(r)
	e := shell.Effect{Label: r.Label, Kind: r.Kind, Category: r.Category, Own: r.Own, Rule: r.ID, Radius: r.Radius}
	d := s.about(&e)
	out := ruleReport{ID: p.Name + "/" + r.ID, Category: row.Name, Label: r.Label.String(), Radius: r.Radius.String(), Decision: d.String(), Reason: r.Says(""),
		Match: s.samples(samples.Match), NoMatch: s.samples(samples.NoMatch)}
	out.Change = s.changes(p, &e, d)
	if got := heard(out.Match); len(got) > 0 && !slices.Contains(got, d.String()) {
		// Code looks closer than the rule.
		out.Decision = got[len(got)-1]
		out.Change = allowOne(out.Decision)
	}
	return out
}

// heard are the decisions about samples, the mildest first.
func heard(list []packSample) []string {
	var out []string
	for _, d := range records.DecisionWords() {
		if slices.ContainsFunc(list, func(s packSample) bool { return s.Decision == d }) {
			out = append(out, d)
		}
	}
	return out
}

func (s *Shelf) samples(commands []string) []packSample {
	out := make([]packSample, len(commands))
	for i, c := range commands {
		out[i] = s.sample(c)
	}
	return out
}

// sample asks the packs about a command.
func (s *Shelf) sample(command string) packSample {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return packSample{Command: command, Decision: checkrein.NoOpinion.String()}
	}
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}}
	v := s.Weigh(s.ctx, ev)
	one := packSample{Command: command, Decision: v.Decision.String()}
	if v.Decision >= checkrein.Ask {
		one.By = v.Metadata["rule"]
	}
	return one
}

// unlisted is a rule that has no row: one of a path's place, or one that is named
// after the program that prints or sends a secret.
func unlisted(p *packReport, id string) (ruleReport, bool) {
	change := append(allowOne(byRadius), p.Change...)
	if c, reason, ok := shellfiles.RuleNamed(id); ok && c.Row().PackName() == p.Name {
		row := c.Row()
		return ruleReport{ID: p.Name + "/" + id, Category: row.Name, Label: row.Label.String(), Radius: "", Decision: byRadius, Reason: reason, Match: []packSample{}, NoMatch: []packSample{}, Change: change}, true
	}
	if pack, _ := shell.PackNamed(p.Name); pack == shell.PackExfiltration || pack == shell.PackSecrets {
		reason := fmt.Sprintf("secrets and files that %s prints, copies or sends, judged by content and destination", id)
		return ruleReport{ID: p.Name + "/" + id, Decision: byRadius, Reason: reason, Match: []packSample{}, NoMatch: []packSample{}, Change: change}, true
	}
	return ruleReport{}, false
}

// byRadius is the decision of a rule that comes to different radii.
const byRadius = "by radius"
