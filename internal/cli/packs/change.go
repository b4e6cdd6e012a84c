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

// effectChanges returns how to change the decision about e: to one that is a step looser, or to ask if
// it passes now. It proposes a configuration entry only if the entry has that effect.
func (s *Catalog) effectChanges(p *packReport, e *shell.Effect, now checkrein.Decision) []packChange {
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

// keyText returns a phrase for the effects that a key in a pack's setting covers.
func keyText(key string) string {
	if key == "exfiltration" {
		return "that sends data off the machine"
	}
	return "with " + key + " impact"
}

// switchChanges returns how to switch the pack off if it is on, or on if it is off. It returns nil for
// packs without a switch.
func (s *Catalog) switchChanges(p *packReport) []packChange {
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
		with := func(set *setting.Pack) { set.Off, set.By, set.Allow, set.Shadow, set.Until = true, nil, nil, nil, "" }
		return s.Change(p, "switch the pack off", with, func(watches []*packguard.Policy) bool {
			return !slices.ContainsFunc(watches, func(w *packguard.Policy) bool { return w.IsOn(p.Name) })
		})
	}
	with := func(set *setting.Pack) { set.Off, set.Shadow, set.Until = false, nil, "" }
	return s.Change(p, "switch the pack on", with, func(watches []*packguard.Policy) bool {
		return slices.ContainsFunc(watches, func(w *packguard.Policy) bool { return w.IsOn(p.Name) })
	})
}

// SetDecision sets the decision for key in a pack's setting, and switches the pack on.
func SetDecision(set *setting.Pack, key string, to checkrein.Decision) {
	set.Off = false
	set.By = slices.DeleteFunc(slices.Clone(set.By), func(by setting.PackDecision) bool { return by.Key == key })
	set.By = append(set.By, setting.PackDecision{Key: key, Is: to})
}

// Change returns the entry that the user's file needs to change p. It merges the entry that with
// changes with the other files, and calls works to check whether the result has the wanted effect. If
// it does not, Change returns which other files are responsible. does says what the change is for.
func (s *Catalog) Change(p *packReport, does string, with func(*setting.Pack), works func([]*packguard.Policy) bool) []packChange {
	if p.Kind == kindOwn {
		return s.ownChange(p, does, with)
	}
	set := setting.Pack{Name: p.Name, From: checkrein.Origin{Scope: checkrein.ScopeUser}}
	rest := slices.DeleteFunc(slices.Clone(s.kit.PackSettings()), func(o setting.Pack) bool { return o.Name == p.Name && o.From.Scope == checkrein.ScopeUser })
	in, how, item := s.userFile(), "", false // item means that the file has a list to add the entry to
	for i := range s.Settings {
		switch say := &s.Settings[i]; {
		case say.From.Scope != checkrein.ScopeUser:
		case say.Name == p.Name:
			set.By, set.Allow, set.Off, set.Shadow, set.Until = say.By, say.Allow, say.Off, say.Shadow, say.Until
			in, how, item = say.From.File, "replace the entry on line "+lineOf(say.From)+" for "+p.Name+" with this one", true
		case how == "" && say.Name == "":
			in, how = say.From.File, "replace packs: [] with this line, which also switches the other packs on"
			rest = slices.DeleteFunc(rest, func(o setting.Pack) bool { return o.Name == "" && o.From.Scope == checkrein.ScopeUser })
		case how == "":
			in, how, item = say.From.File, "add this entry to the list under packs", true
		}
	}
	with(&set)
	watches, ok := s.policiesWith(append(rest, set))
	if !ok || !works(watches) {
		return s.othersChanges(p)
	}
	line := SettingText(&set)
	if !item {
		line = "packs: [" + line + "]"
	}
	return []packChange{{Does: does, Line: line, In: in, How: how}}
}

// policiesWith returns the policies of the hooks that settings would lead to. It reports false if
// settings are not valid.
func (s *Catalog) policiesWith(settings []setting.Pack) ([]*packguard.Policy, bool) {
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

// othersChanges returns which files of the administrator and the project set the pack as it is.
func (s *Catalog) othersChanges(p *packReport) []packChange {
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

// ownChange returns a change of a pack that a file declares, in that file.
func (s *Catalog) ownChange(p *packReport, does string, with func(*setting.Pack)) []packChange {
	set := setting.Pack{Name: p.Name}
	with(&set)
	var out []packChange
	for _, f := range p.From {
		out = append(out, packChange{Does: does, How: "write " + strings.Join(settingTexts(&set), ", ") + " next to the pack's name", In: f.Origin})
	}
	return out
}

// SettingText returns a setting as an item of the packs: list.
func SettingText(set *setting.Pack) string {
	list := []string{"name: " + set.Name}
	if set.Off {
		list = append(list, "off: true")
	}
	return "{" + strings.Join(slices.Concat(list, settingTexts(set), shadowTexts(set)), ", ") + "}"
}

// lineOf returns the line number of o as text.
func lineOf(o checkrein.Origin) string {
	text := o.String()
	return text[strings.LastIndex(text, ":")+1:]
}

// userFile returns the path of the user's own checkrein.yaml.
func (s *Catalog) userFile() string {
	return filepath.Join(base.Places(s.env).Config, "checkrein.yaml")
}

// AddRules adds the categories and rules of the pack to p, with their samples, and how to change the
// pack.
func (s *Catalog) AddRules(p *packReport) {
	if p.Kind == kindTexts {
		p.Change = s.switchChanges(p)
		return
	}
	p.Categories = s.Categories(p.Name)
	add := func(r *shell.Rule, samples *shell.Samples) {
		if row := RuleRow(r); row.PackName() == p.Name {
			p.List = append(p.List, s.reportRule(p, r, samples))
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

// namedRule returns the report of r, a rule that is not about commands.
func namedRule(p *packReport, r *guard.NamedRule) ruleReport {
	out := ruleReport{ID: r.Name, Decision: r.Decision.String(), Reason: r.Reason, Match: []packSample{}, NoMatch: []packSample{}}
	if !p.On {
		out.Decision = checkrein.NoOpinion.String()
	}
	if out.Change = allowOnce(out.Decision); r.Final {
		out.Change = []packChange{{Does: "no grant can lift this: do it yourself, in a terminal outside the agent"}}
	}
	return out
}

// RuleRow returns the row of the category of r.
func RuleRow(r *shell.Rule) *shell.Row {
	if r.Own != nil {
		return r.Own
	}
	return r.Category.Row()
}

// reportCategory returns the report of the category c, with the decisions of the hooks in force for
// its usual impact and for every other.
func (s *Catalog) reportCategory(c shell.Category, row *shell.Row) Category {
	e := shell.Effect{Label: row.Label, Kind: "run", Category: c, Impact: row.Impact}
	if strings.HasSuffix(row.Name, "-read") || c == shell.SecretUse { // using a secret means reading it
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

// Categories returns the categories of a pack, in the order of the table.
func (s *Catalog) Categories(pack string) (out []Category) {
	shell.EachCategory(func(c shell.Category, row *shell.Row) {
		if row.PackName() == pack {
			out = append(out, s.reportCategory(c, row))
		}
	})
	return out
}

// reportRule returns the report of r, with the decisions about it and about its samples.
func (s *Catalog) reportRule(p *packReport, r *shell.Rule, samples *shell.Samples) ruleReport {
	row := RuleRow(r)
	e := shell.Effect{Label: r.Label, Kind: r.Kind, Category: r.Category, Own: r.Own, Rule: r.ID, Impact: r.Impact}
	d := s.decisionAbout(&e)
	out := ruleReport{ID: p.Name + "/" + r.ID, Category: row.Name, Label: r.Label.String(), Radius: r.Impact.String(), Decision: d.String(), Reason: r.ReasonFor(""),
		Match: s.decideSamples(samples.Match), NoMatch: s.decideSamples(samples.NoMatch)}
	out.Change = s.effectChanges(p, &e, d)
	if got := sampleDecisions(out.Match); len(got) > 0 && !slices.Contains(got, d.String()) {
		// Code that examines the whole command overrides the decision of the rule.
		out.Decision = got[len(got)-1]
		out.Change = allowOnce(out.Decision)
	}
	return out
}

// sampleDecisions returns the decisions that occur in list, mildest first.
func sampleDecisions(list []packSample) []string {
	var out []string
	for _, d := range records.DecisionWords() {
		if slices.ContainsFunc(list, func(s packSample) bool { return s.Decision == d }) {
			out = append(out, d)
		}
	}
	return out
}

// decideSamples returns commands with the decisions of all packs about them.
func (s *Catalog) decideSamples(commands []string) []packSample {
	out := make([]packSample, len(commands))
	for i, c := range commands {
		out[i] = s.decideSample(c)
	}
	return out
}

// decideSample returns a command with the decision of all packs about it.
func (s *Catalog) decideSample(command string) packSample {
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

// unlistedRule returns the report of a rule that has no row in the tables: one about a path's
// location, or one that is named after the program that prints or sends a secret. It reports false if
// id is neither.
func unlistedRule(p *packReport, id string) (ruleReport, bool) {
	change := append(allowOnce(byImpact), p.Change...)
	if c, reason, ok := shellfiles.RuleNamed(id); ok && c.Row().PackName() == p.Name {
		row := c.Row()
		return ruleReport{ID: p.Name + "/" + id, Category: row.Name, Label: row.Label.String(), Radius: "", Decision: byImpact, Reason: reason, Match: []packSample{}, NoMatch: []packSample{}, Change: change}, true
	}
	if pack, _ := shell.PackNamed(p.Name); pack == shell.PackExfiltration || pack == shell.PackSecrets {
		reason := fmt.Sprintf("secrets and files that %s prints, copies or sends, judged by content and destination", id)
		return ruleReport{ID: p.Name + "/" + id, Decision: byImpact, Reason: reason, Match: []packSample{}, NoMatch: []packSample{}, Change: change}, true
	}
	return ruleReport{}, false
}

// byImpact is the decision of a rule that decides by the impact of a call.
const byImpact = "by radius"
