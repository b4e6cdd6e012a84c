package packs

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/shell"
	shellfiles "github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// effectChanges returns how to change the decision about an effect: one step looser, or ask if it
// passes now. It gives a line only if that has the effect.
func (s *Shelf) effectChanges(p *packReport, e *shell.Effect, now checkrein.Decision) []packChange {
	out := allowOnce(now.String())
	to := checkrein.Ask
	if now == checkrein.Ask {
		to = checkrein.NoOpinion
	}
	key := packguard.PolicyKey(e)
	does := map[checkrein.Decision]string{checkrein.Ask: "be asked about", checkrein.NoOpinion: "let the agent decide about"}[to] + " everything in the pack " + p.Name + " " + keyText(key)
	with := func(set *setting.Pack) { SetDecision(set, key, to) }
	return append(out, s.Change(p, does, with, func(watches []*packguard.Policy) bool { return Strictest(watches, e) == to })...)
}

// allowOnce returns how to let one blocked call pass, or nil if the decision blocks nothing.
func allowOnce(decision string) []packChange {
	if decision == checkrein.NoOpinion.String() {
		return nil
	}
	return []packChange{{Does: "let one call pass", Line: "checkrein allow HANDLE", How: "run this in your own terminal, with the handle that the block shows"}}
}

// keyText describes the effects of a key of packs.
func keyText(key string) string {
	if key == "exfiltration" {
		return "that sends data off the machine"
	}
	return "with " + key + " impact"
}

// switchChanges returns how to switch a pack on or off.
func (s *Shelf) switchChanges(p *packReport) []packChange {
	switch {
	case p.Kind == kindKnowledge, p.Kind == KindSelf:
		return nil
	case p.Kind == kindTexts && p.On, p.Kind == kindOwn:
		var out []packChange
		for _, f := range p.From {
			out = append(out, packChange{Does: "switch the pack off", How: "set off: true", In: f.Origin})
		}
		return out
	case p.Kind == kindTexts:
		return []packChange{{Does: "switch the pack on", Line: "packs: [{name: " + p.Name + "}]", In: s.userFile()}}
	case p.On:
		with := func(set *setting.Pack) { set.Off, set.By, set.Allow = true, nil, nil }
		return s.Change(p, "switch the pack off", with, func(watches []*packguard.Policy) bool {
			return !slices.ContainsFunc(watches, func(w *packguard.Policy) bool { return w.IsOn(p.Name) })
		})
	}
	with := func(set *setting.Pack) { set.Off = false }
	return s.Change(p, "switch the pack on", with, func(watches []*packguard.Policy) bool {
		return slices.ContainsFunc(watches, func(w *packguard.Policy) bool { return w.IsOn(p.Name) })
	})
}

// SetDecision sets the decision for a key in a pack's setting.
func SetDecision(set *setting.Pack, key string, to checkrein.Decision) {
	set.Off = false
	set.By = slices.DeleteFunc(slices.Clone(set.By), func(by setting.PackDecision) bool { return by.Key == key })
	set.By = append(set.By, setting.PackDecision{Key: key, Is: to})
}

// Change returns the entry that the person's file needs for a pack, if it has the wanted effect: the
// files are merged with it, and works checks the result.
func (s *Shelf) Change(p *packReport, does string, with func(*setting.Pack), works func([]*packguard.Policy) bool) []packChange {
	if p.Kind == kindOwn {
		return s.ownChange(p, does, with)
	}
	set := setting.Pack{Name: p.Name, From: checkrein.Origin{Scope: checkrein.ScopeUser}}
	rest := slices.DeleteFunc(slices.Clone(s.kit.PackSettings()), func(o setting.Pack) bool { return o.Name == p.Name && o.From.Scope == checkrein.ScopeUser })
	in, how, item := s.userFile(), "", false // true = the file has a list to add it to
	for i := range s.Settings {
		switch say := &s.Settings[i]; {
		case say.From.Scope != checkrein.ScopeUser:
		case say.Name == p.Name:
			set.By, set.Allow, set.Off = say.By, say.Allow, say.Off
			in, how, item = say.From.File, "replace the entry on line "+lineOf(say.From)+" for "+p.Name+" with this one", true
		case how == "" && say.Name == "":
			in, how = say.From.File, "replace packs: [] with this line, which also switches the other packs on"
			rest = slices.DeleteFunc(rest, func(o setting.Pack) bool { return o.Name == "" && o.From.Scope == checkrein.ScopeUser })
		case how == "":
			in, how, item = say.From.File, "add this entry to the list under packs", true
		}
	}
	with(&set)
	watches, ok := s.watchesWith(append(rest, set))
	if !ok || !works(watches) {
		return s.othersChanges(p)
	}
	line := SettingText(&set)
	if !item {
		line = "packs: [" + line + "]"
	}
	return []packChange{{Does: does, Line: line, In: in, How: how}}
}

// watchesWith returns the watches of the hooks under other settings.
func (s *Shelf) watchesWith(settings []setting.Pack) ([]*packguard.Policy, bool) {
	merged := packset.Merge(settings, shell.PackNames, true)
	var out []*packguard.Policy
	for _, parts := range [][]packset.Part{merged.Managed, merged.User} {
		w, err := packguard.PartsPolicy(parts)
		if err != nil {
			return nil, false
		}
		out = append(out, w)
	}
	return out, true
}

// othersChanges returns which files of others set a pack as it is.
func (s *Shelf) othersChanges(p *packReport) []packChange {
	var out []packChange
	for _, f := range p.From {
		switch f.Scope {
		case checkrein.ScopeManaged.String():
			out = append(out, packChange{Does: "your administrator set this, and your own files cannot loosen it", In: f.Origin})
		case checkrein.ScopeProject.String():
			out = append(out, packChange{Does: "loosen this", In: f.Origin, How: "change the project's setting, which makes this stricter"})
		}
	}
	return out
}

// ownChange returns a change of a person's own pack, in the file that declares it.
func (s *Shelf) ownChange(p *packReport, does string, with func(*setting.Pack)) []packChange {
	set := setting.Pack{Name: p.Name}
	with(&set)
	var out []packChange
	for _, f := range p.From {
		out = append(out, packChange{Does: does, How: "write " + strings.Join(settingTexts(&set), ", ") + " next to the pack's name", In: f.Origin})
	}
	return out
}

// SettingText returns a setting as an item of packs:.
func SettingText(set *setting.Pack) string {
	list := []string{"name: " + set.Name}
	if set.Off {
		list = append(list, "off: true")
	}
	return "{" + strings.Join(append(list, settingTexts(set)...), ", ") + "}"
}

// lineOf returns the line number of an origin.
func lineOf(o checkrein.Origin) string {
	text := o.String()
	return text[strings.LastIndex(text, ":")+1:]
}

// userFile returns the file for the person's own settings.
func (s *Shelf) userFile() string {
	return filepath.Join(base.Places(s.env).Config, "checkrein.yaml")
}

// Open adds a pack's categories and rules with their samples.
func (s *Shelf) Open(p *packReport) {
	if p.Kind == kindTexts {
		p.Change = s.switchChanges(p)
		return
	}
	p.Categories = s.Categories(p.Name)
	add := func(r *shell.Rule, samples *shell.Samples) {
		if row := RuleRow(r); row.PackName() == p.Name {
			p.List = append(p.List, s.rule(p, r, samples))
		}
	}
	program.EachSample(add)
	for i := range s.own {
		if set := s.own[i].set; set.Own == p.Name {
			for j := range set.Rules {
				add(&set.Rules[j], set.Rules[j].Samples)
			}
		}
	}
	p.Change = s.switchChanges(p)
	for _, r := range guard.NamedRules() {
		if strings.HasPrefix(r.Name, p.Name+"/") {
			p.List = append(p.List, namedRule(p, &r))
		}
	}
}

// namedRule returns the report of a rule that is not about commands.
func namedRule(p *packReport, r *guard.NamedRule) ruleReport {
	out := ruleReport{ID: r.Name, Decision: r.Decision.String(), Reason: r.Reason, Match: []packSample{}, NoMatch: []packSample{}}
	if !p.On {
		out.Decision = checkrein.NoOpinion.String()
	}
	if out.Change = allowOnce(out.Decision); r.Final {
		out.Change = []packChange{{Does: "cannot be lifted: do it yourself, in a terminal outside the agent"}}
	}
	return out
}

// RuleRow returns the row of a rule's category.
func RuleRow(r *shell.Rule) *shell.Row {
	if r.Own != nil {
		return r.Own
	}
	return r.Category.Row()
}

// category returns a kind of effect with the decisions of the hooks here: for its usual impact, and
// for every other.
func (s *Shelf) category(c shell.Category, row *shell.Row) Category {
	e := shell.Effect{Label: row.Label, Kind: "run", Category: c, Impact: row.Impact}
	if strings.HasSuffix(row.Name, "-read") || c == shell.SecretUse { // the program that needs the secret reads it
		e.Kind = "read"
	}
	out := Category{Name: row.Name, Label: row.Label.String(), Radius: row.Impact.String(), Doc: row.Doc,
		Decision: s.decisionAbout(&e).String(), Decides: map[string]string{}}
	for r := shell.ImpactLow; r <= shell.ImpactUnknown; r++ {
		e.Impact = r
		out.Decides[r.String()] = s.decisionAbout(&e).String()
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

// rule returns a rule with the decisions about it and about its samples.
func (s *Shelf) rule(p *packReport, r *shell.Rule, samples *shell.Samples) ruleReport {
	row := RuleRow(r)
	e := shell.Effect{Label: r.Label, Kind: r.Kind, Category: r.Category, Own: r.Own, Rule: r.ID, Impact: r.Impact}
	d := s.decisionAbout(&e)
	out := ruleReport{ID: p.Name + "/" + r.ID, Category: row.Name, Label: r.Label.String(), Radius: r.Impact.String(), Decision: d.String(), Reason: r.ReasonFor(""),
		Match: s.samples(samples.Match), NoMatch: s.samples(samples.NoMatch)}
	out.Change = s.effectChanges(p, &e, d)
	if got := sampleDecisions(out.Match); len(got) > 0 && !slices.Contains(got, d.String()) {
		// Code that examines the whole command overrides the rule.
		out.Decision = got[len(got)-1]
		out.Change = allowOnce(out.Decision)
	}
	return out
}

// sampleDecisions returns the decisions about samples, mildest first.
func sampleDecisions(list []packSample) []string {
	var out []string
	for _, d := range records.DecisionWords() {
		if slices.ContainsFunc(list, func(s packSample) bool { return s.Decision == d }) {
			out = append(out, d)
		}
	}
	return out
}

// samples returns the decisions about commands.
func (s *Shelf) samples(commands []string) []packSample {
	out := make([]packSample, len(commands))
	for i, c := range commands {
		out[i] = s.sample(c)
	}
	return out
}

// sample returns the packs' decision about a command.
func (s *Shelf) sample(command string) packSample {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return packSample{Command: command, Decision: checkrein.NoOpinion.String()}
	}
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}}
	v := s.Decide(s.ctx, ev)
	one := packSample{Command: command, Decision: v.Decision.String()}
	if v.Decision >= checkrein.Ask {
		one.By = v.Metadata["rule"]
	}
	return one
}

// unlistedRule returns a rule that has no row: one about a path's location, or one that is named after
// the program that prints or sends a secret.
func unlistedRule(p *packReport, id string) (ruleReport, bool) {
	change := append(allowOnce(byRadius), p.Change...)
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

// byRadius is the decision of a rule whose decision depends on the impact.
const byRadius = "by radius"
