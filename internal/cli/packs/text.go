package packs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A page is a report about packs.
type page struct {
	*report.Report
	root string
}

// para adds wrapped text; lead is its label, and further lines are indented to the label's end.
func (p *page) para(lead, text string) {
	indent := len(lead) - len(strings.TrimLeft(lead, " "))
	hang := term.Columns(lead)
	spans := []term.Span{term.P(text)}
	if lead = lead[indent:]; lead != "" {
		spans = append([]term.Span{term.Label(lead, 0)}, spans...)
	}
	p.Text(indent, hang, spans...)
}

// line adds one line, cut if it is too long.
func (p *page) line(text string) { p.Fit(term.P(text)) }

// path returns a file relative to the project or to home.
func (p *page) path(file string) string { return p.Path(base.RelativePath(p.root, file)) }

// report returns the packs for people.
func (r *Report) report(env *console.Env, root string) *report.Report {
	p := &page{report.New(env), root}
	if !r.On {
		p.Message(term.Bad, "", message.New("hooks are off, so only managed guards are active", message.Run("checkrein hooks on", "")))
	}
	switch {
	case r.one:
		r.Packs[0].addRuleScreens(p)
	case len(r.Packs) == 1:
		r.Packs[0].addDetails(p, r)
	default:
		r.addList(p)
	}
	return p.Report
}

// addList adds the list of packs.
func (r *Report) addList(p *page) {
	p.para("", "What the packs decide by default about a call that loses something, by its impact: "+usualText(r.Usual)+" The impact says how far the effects of a call reach. Exfiltration is data that leaves the machine. If it is unclear whether a call loses anything, checkrein asks about it when its impact is high, and otherwise leaves it to the agent. A line below a pack says where a file changes that; some kinds of effects have a default of their own, which checkrein packs NAME shows.")
	for _, note := range r.above {
		p.Message(term.Warn, "", note)
	}
	p.Blank()
	t := &term.Table{Columns: []term.Column{{Title: "  PACK"}, {Title: "RULES", Right: true}, {Title: "WHAT IT IS ABOUT", Give: 1, Least: 20}}}
	for i := range r.Packs {
		one := &r.Packs[i]
		rules := "-"
		if one.Rules > 0 {
			rules = strconv.Itoa(one.Rules)
		}
		t.Row([]term.Span{one.mark(), term.P(" "), term.T(term.Name, one.Name)}, []term.Span{term.P(rules)}, []term.Span{term.P(one.About)})
		for _, text := range one.differences(p) {
			t.AddBelow(term.P(text))
		}
	}
	p.Table(0, t)
	p.Blank()
	p.para("", "self and protect are always on. pii and security_guard are on only if a file names them. dev and reads recognize harmless commands and never decide.")
	p.Text(0, 2, term.P("More: "), term.Command("checkrein packs git"), term.P(", "), term.Command("checkrein packs git/push-force"))
}

// mark returns the mark that shows whether a pack is on.
func (p *packReport) mark() term.Span {
	switch {
	case p.On:
		return term.Mark(term.Good)
	case p.Kind == kindKnowledge, p.Kind == kindTexts && len(p.From) == 0:
		return term.Mark(term.Plain)
	case len(p.From) > 0:
		return term.Mark(term.Warn)
	}
	return term.Mark(term.Bad)
}

// onText returns whether a pack is on, in a word.
func onText(p *packReport) string {
	switch {
	case p.Kind == kindKnowledge:
		return "-"
	case p.On:
		return "on"
	}
	return "off"
}

// usualText returns the default decisions in words, by key.
func usualText(by map[string]string) string {
	words := map[string]string{"none": "the agent decides", "ask": "asked", "deny": "denied"}
	var out []string
	for _, key := range setting.PackKeys {
		out = append(out, key+": "+words[by[key]])
	}
	return strings.Join(out, ", ") + "."
}

// differences returns how a pack differs from its defaults, and the files that set it.
func (p *packReport) differences(to *page) []string {
	var out []string
	if now := p.decidesText(); now != "" && (len(p.From) != 1 || !strings.Contains(p.From[0].Says, now)) {
		out = append(out, "now counts: "+now)
	}
	for _, f := range p.From {
		text := to.path(f.Origin) + " says: " + f.Says
		if f.Scope != checkrein.ScopeUser.String() {
			text += " (" + f.Scope + ")"
		}
		if len(f.Held) > 0 {
			text += "; this does not count until you run checkrein confirm: " + strings.Join(f.Held, ", ")
		}
		if len(f.Ignored) > 0 {
			text += "; this is ignored, because a project's file can only make a pack stricter: " + strings.Join(f.Ignored, ", ")
		}
		out = append(out, text)
	}
	if p.Why != "" && p.Kind != kindTexts && p.Kind != KindSelf && !p.On && (len(p.From) == 0 || p.Kind == kindOwn) {
		out = append(out, "off: "+p.Why)
	}
	return out
}

// decidesText returns the decisions that differ from the defaults.
func (p *packReport) decidesText() string {
	var out []string
	for _, key := range setting.PackKeys {
		if d := p.Decides[key]; d != "" {
			out = append(out, key+": "+d)
		}
	}
	return strings.Join(out, ", ")
}

// addDetails adds the screen about one pack.
func (p *packReport) addDetails(to *page, r *Report) {
	to.Text(0, 2, p.mark(), term.P(" "), term.T(term.Strong, p.Name), term.P(": "+p.About))
	if p.Kind != kindKnowledge {
		p.addState(to)
	}
	if p.Also != "" {
		to.para("  ", p.Also)
	}
	for _, note := range r.above {
		to.para("  note: ", note.What)
		to.Remedies(8, note.Remedies...)
	}
	if p.Kind == kindCommands || p.Kind == kindOwn {
		to.para("  by default, for what loses something: ", usualText(r.Usual))
	}
	if len(p.Categories) > 0 {
		to.Section("Kinds of effects, and what this pack decides for each (pass = the agent decides)")
		for _, c := range p.Categories {
			to.para(fmt.Sprintf("  %-20s %-5s ", c.Name, DecisionCell(c.Decision)), c.Doc+" ("+c.Label+", impact "+c.Radius+Prefix("; ", c.Others())+")")
		}
	}
	p.addRules(to)
	p.addChanges(to, p.Change)
}

// addState adds whether the pack is on, and how it differs from its defaults.
func (p *packReport) addState(to *page) {
	state := onText(p)
	if len(p.From) == 0 && p.Kind != KindSelf {
		state += cmp.Or(Prefix(", ", p.Why), ", with its defaults (no file overrides them)")
	}
	to.line("  " + state)
	for _, text := range p.differences(to) {
		to.para("  ", text)
	}
	if len(p.Allow) > 0 {
		to.para("  does not guard: ", strings.Join(p.Allow, ", "))
	}
}

// Prefix returns prefix and s, or "" if s is empty.
func Prefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// DecisionCell returns a decision for a column.
func DecisionCell(decision string) string {
	if decision == checkrein.NoOpinion.String() {
		return "pass"
	}
	return decision
}

// addRules adds the rules: first those that stop calls, with samples.
func (p *packReport) addRules(to *page) {
	stops := func(r ruleReport) bool { return r.Decision != checkrein.NoOpinion.String() }
	if slices.ContainsFunc(p.List, stops) {
		to.Section("Rules that stop a call, each with a command that it stops and one that it leaves alone")
		for i := range p.List {
			if r := &p.List[i]; stops(*r) {
				to.Fit(term.P("  "), decisionSpan(r.Decision, 4), term.P(" "), term.T(term.Name, r.ID), term.P(": "+r.Reason))
				addExample(to, "stops", pickSample(r.Match, func(s packSample) bool { return s.Decision == r.Decision }))
				for _, d := range sampleDecisions(r.Match) {
					if d != r.Decision {
						addExample(to, outcomes[d], pickSample(r.Match, func(s packSample) bool { return s.Decision == d }))
					}
				}
				addExample(to, "not", pickSample(r.NoMatch, func(s packSample) bool { return s.Decision == checkrein.NoOpinion.String() }))
			}
		}
	}
	if slices.ContainsFunc(p.List, func(r ruleReport) bool { return !stops(r) }) {
		to.Section("Rules that leave the call to the agent")
		for i := range p.List {
			if r := &p.List[i]; !stops(*r) {
				to.Fit(term.P("  "), term.T(term.Name, r.ID), term.P(": "+r.Reason))
			}
		}
	}
}

// outcomes are words for the outcomes of decisions.
var outcomes = map[string]string{"none": "passes", "ask": "asked", "deny": "denied"}

// pickSample returns the first sample for which right returns true, or "" if there is none.
func pickSample(list []packSample, right func(packSample) bool) string {
	if i := slices.IndexFunc(list, right); i >= 0 {
		return list[i].Command
	}
	return ""
}

// addExample adds a line with a command.
func addExample(to *page, label, command string) {
	if command != "" {
		to.Fit(term.T(term.Faint, fmt.Sprintf("         %-6s  ", label)), term.P(base.OneLine(command)))
	}
}

// addRuleScreens adds the screen about one rule, or about those of one category.
func (p *packReport) addRuleScreens(to *page) {
	for i := range p.List {
		if i > 0 {
			to.Blank()
		}
		p.addRule(to, &p.List[i])
	}
	if len(p.List) == 0 {
		for _, c := range p.Categories {
			to.para("", p.Name+"/"+c.Name+": "+decisionText(c.Decision)+". It "+c.Doc+" ("+c.Label+", impact "+c.Radius+")")
			to.para("  ", "This is decided from the whole command, not by a single rule.")
		}
		p.addChanges(to, p.Change)
	}
}

// addRule adds the screen about a rule.
func (p *packReport) addRule(to *page, r *ruleReport) {
	to.Text(0, 2, term.T(term.Strong, r.ID), term.P(": "), decisionSentence(r.Decision))
	to.para("  why       ", r.Reason)
	if r.Category != "" {
		to.para("  category  ", strings.TrimSuffix(r.Category+" ("+r.Label+", impact "+r.Radius, ", impact ")+")")
	}
	to.line("  pack      " + p.Name + ", " + onText(p))
	for _, text := range p.differences(to) {
		to.para("            ", text)
	}
	r.addSamples(to, "Commands that match, and what is decided about them here", r.Match, r.Decision)
	r.addSamples(to, "Commands that do not match", r.NoMatch, checkrein.NoOpinion.String())
	p.addChanges(to, r.Change)
}

// addSamples adds commands with their decisions, and which rule decides if it is another.
func (r *ruleReport) addSamples(to *page, title string, list []packSample, want string) {
	if len(list) == 0 {
		return
	}
	to.Section(title)
	for _, s := range list {
		by := ""
		if s.Decision != want && s.By != "" && s.By != r.ID {
			by = "  [" + s.By + "]"
		}
		room := math.MaxInt
		if w := to.Width(); w > 0 {
			room = w - 8 - term.Columns(by)
		}
		to.Line(append([]term.Span{term.P("  "), decisionSpan(DecisionCell(s.Decision), 4), term.P("  ")}, append(term.Truncate([]term.Span{term.P(base.OneLine(s.Command))}, room), term.T(term.Faint, by))...)...)
	}
}

// decisionText returns in words what happens to the calls of a rule.
func decisionText(decision string) string {
	switch decision {
	case checkrein.NoOpinion.String():
		return "calls pass (checkrein leaves them to the agent)"
	case checkrein.Ask.String():
		return "calls are asked about"
	case checkrein.Deny.String():
		return "calls are denied"
	}
	return "calls pass, are asked about or are denied, depending on what they touch and where it goes"
}

// decisionSentence returns decisionText in the colour of the decision.
func decisionSentence(decision string) term.Span {
	s := decisionSpan(decision, 0)
	s.Text = decisionText(decision)
	return s
}

// decisionSpan returns a decision in its colour, padded.
func decisionSpan(decision string, width int) term.Span {
	style := map[string]term.Style{"deny": term.Bad, "ask": term.Warn}[decision]
	return term.T(style, fmt.Sprintf("%-*s", width, decision))
}

// changeText returns a sentence about the purpose of a change, its file and how to make it.
func changeText(c *packChange, to *page) string {
	where := ""
	if c.In != "" {
		where = ", in " + to.path(c.In)
	}
	switch {
	case c.How != "":
		return "To " + c.Does + where + ": " + c.How
	case c.Line != "":
		return "To " + c.Does + where + ": add this line"
	}
	return c.Does + where
}

// addChanges adds how to change the decision. Lines to copy are never cut.
func (p *packReport) addChanges(to *page, list []packChange) {
	if len(list) == 0 {
		return
	}
	to.Section("To change it")
	for _, c := range list {
		to.para("  ", changeText(&c, to))
		if c.Line != "" {
			to.Line(term.P("      "), term.Command(c.Line))
		}
	}
}
