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

// A page is the screen of the packs command.
type page struct {
	*report.Report
	root string
}

// addParagraph adds wrapped text after the label lead. Further lines are indented to the end of the
// label.
func (p *page) addParagraph(lead, text string) {
	indent := len(lead) - len(strings.TrimLeft(lead, " "))
	hang := term.Columns(lead)
	spans := []term.Span{term.P(text)}
	if lead = lead[indent:]; lead != "" {
		spans = append([]term.Span{term.Label(lead, 0)}, spans...)
	}
	p.Text(indent, hang, spans...)
}

// addLine adds one line, truncated to the width of the screen.
func (p *page) addLine(text string) { p.Fit(term.P(text)) }

// shortPath returns the path of file relative to the project or to the home directory.
func (p *page) shortPath(file string) string { return p.ShortPath(base.RelativePath(p.root, file)) }

// report returns the screen for r.
func (r *Report) report(env *console.Env, root string) *report.Report {
	p := &page{report.New(env), root}
	if !r.On {
		p.AddMessage(term.Bad, "", message.New("hooks are off, so only managed guards are active", message.Run("checkrein hooks on", "")))
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
	p.addParagraph("", "What the packs decide by default about a call that loses something, by its impact: "+usualText(r.Usual)+" The impact says how far the effects of a call reach. Exfiltration is data that leaves the machine. If it is unclear whether a call loses anything, checkrein asks about it when its impact is high, and otherwise leaves it to the agent. A line below a pack says where a file changes that; some kinds of effects have a default of their own, which checkrein packs NAME shows.")
	for _, note := range r.above {
		p.AddMessage(term.Warn, "", note)
	}
	p.Blank()
	t := &term.Table{Columns: []term.Column{{Title: "  PACK"}, {Title: "RULES", Right: true}, {Title: "WHAT IT IS ABOUT", Give: 1, Least: 20}}}
	for i := range r.Packs {
		one := &r.Packs[i]
		rules := "-"
		if one.Rules > 0 {
			rules = strconv.Itoa(one.Rules)
		}
		t.AddRow([]term.Span{one.mark(), term.P(" "), term.T(term.Name, one.Name)}, []term.Span{term.P(rules)}, []term.Span{term.P(one.About)})
		for _, text := range one.differences(p) {
			t.AddBelow(term.P(text))
		}
	}
	p.Table(0, t)
	p.Blank()
	p.addParagraph("", "self and protect are always on. pii and security_guard are on only if a file names them. dev and reads recognize harmless commands and never decide.")
	p.Text(0, 2, term.P("More: "), term.Command("checkrein packs git"), term.P(", "), term.Command("checkrein packs git/push-force"))
}

// mark returns the mark that shows whether the pack is on.
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

// onText returns on, off, or "-" for a pack that never decides.
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

// differences returns sentences about how the pack differs from its defaults, and which files set
// that.
func (p *packReport) differences(to *page) []string {
	var out []string
	if now := p.decidesText(); now != "" && (len(p.From) != 1 || !strings.Contains(p.From[0].Says, now)) {
		out = append(out, "now counts: "+now)
	}
	for _, f := range p.From {
		text := to.shortPath(f.Origin) + " says: " + f.Says
		if f.Scope != checkrein.ScopeUser.String() {
			text += " (" + f.Scope + ")"
		}
		if len(f.Held) > 0 {
			text += "; this has no effect until you run checkrein confirm: " + strings.Join(f.Held, ", ")
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

// decidesText returns the decisions that differ from the defaults, such as "high: ask, low: none".
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
		to.addParagraph("  ", p.Also)
	}
	for _, note := range r.above {
		to.addParagraph("  note: ", note.What)
		to.AddRemedies(8, note.Remedies...)
	}
	if p.Kind == kindCommands || p.Kind == kindOwn {
		to.addParagraph("  by default, for calls that lose something: ", usualText(r.Usual))
	}
	if len(p.Categories) > 0 {
		to.BeginSection("Kinds of effects, and what this pack decides for each (pass = the agent decides)")
		for _, c := range p.Categories {
			to.addParagraph(fmt.Sprintf("  %-20s %-5s ", c.Name, DecisionCell(c.Decision)), c.Doc+" ("+c.Label+", impact "+c.Radius+PrefixNonEmpty("; ", c.OtherDecisions())+")")
		}
	}
	p.addRules(to)
	p.addChanges(to, p.Change)
}

// addState adds whether the pack is on, how it differs from its defaults, and which paths it does not
// guard.
func (p *packReport) addState(to *page) {
	state := onText(p)
	if len(p.From) == 0 && p.Kind != KindSelf {
		state += cmp.Or(PrefixNonEmpty(", ", p.Why), ", with its defaults (no file overrides them)")
	}
	to.addLine("  " + state)
	for _, text := range p.differences(to) {
		to.addParagraph("  ", text)
	}
	if len(p.Allow) > 0 {
		to.addParagraph("  does not guard: ", strings.Join(p.Allow, ", "))
	}
}

// PrefixNonEmpty returns prefix followed by s, or "" if s is "".
func PrefixNonEmpty(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// DecisionCell returns a decision for a column of a table, in which none is shown as pass.
func DecisionCell(decision string) string {
	if decision == checkrein.NoOpinion.String() {
		return "pass"
	}
	return decision
}

// addRules adds the rules: first those that stop calls, with samples, then the others.
func (p *packReport) addRules(to *page) {
	stops := func(r ruleReport) bool { return r.Decision != checkrein.NoOpinion.String() }
	if slices.ContainsFunc(p.List, stops) {
		to.BeginSection("Rules that stop a call, each with a command that it stops and one that it leaves alone")
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
		to.BeginSection("Rules that leave the call to the agent")
		for i := range p.List {
			if r := &p.List[i]; !stops(*r) {
				to.Fit(term.P("  "), term.T(term.Name, r.ID), term.P(": "+r.Reason))
			}
		}
	}
}

// outcomes has a word for the outcome of each decision.
var outcomes = map[string]string{"none": "passes", "ask": "asked", "deny": "denied"}

// pickSample returns the command of the first sample for which right returns true, or "" if there is
// none.
func pickSample(list []packSample, right func(packSample) bool) string {
	if i := slices.IndexFunc(list, right); i >= 0 {
		return list[i].Command
	}
	return ""
}

// addExample adds a line with a label and a command, unless command is "".
func addExample(to *page, label, command string) {
	if command != "" {
		to.Fit(term.T(term.Faint, fmt.Sprintf("         %-6s  ", label)), term.P(base.OneLine(command)))
	}
}

// addRuleScreens adds the screens of all rules in p, or of its category if there are none.
func (p *packReport) addRuleScreens(to *page) {
	for i := range p.List {
		if i > 0 {
			to.Blank()
		}
		p.addRule(to, &p.List[i])
	}
	if len(p.List) == 0 {
		for _, c := range p.Categories {
			to.addParagraph("", p.Name+"/"+c.Name+": "+decisionText(c.Decision)+". It "+c.Doc+" ("+c.Label+", impact "+c.Radius+")")
			to.addParagraph("  ", "The whole command determines this decision, not a single rule.")
		}
		p.addChanges(to, p.Change)
	}
}

// addRule adds the screen of a rule.
func (p *packReport) addRule(to *page, r *ruleReport) {
	to.Text(0, 2, term.T(term.Strong, r.ID), term.P(": "), decisionTextSpan(r.Decision))
	to.addParagraph("  why       ", r.Reason)
	if r.Category != "" {
		to.addParagraph("  category  ", strings.TrimSuffix(r.Category+" ("+r.Label+", impact "+r.Radius, ", impact ")+")")
	}
	to.addLine("  pack      " + p.Name + ", " + onText(p))
	for _, text := range p.differences(to) {
		to.addParagraph("            ", text)
	}
	r.addSamples(to, "Commands that match, and the decision about each here", r.Match, r.Decision)
	r.addSamples(to, "Commands that do not match", r.NoMatch, checkrein.NoOpinion.String())
	p.addChanges(to, r.Change)
}

// addSamples adds commands with their decisions. If the decision is not the wanted one, it adds which
// other rule decides.
func (r *ruleReport) addSamples(to *page, title string, list []packSample, want string) {
	if len(list) == 0 {
		return
	}
	to.BeginSection(title)
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

// decisionText returns a clause about what happens to calls for which a rule has this decision.
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

// decisionTextSpan returns decisionText in the colour of the decision.
func decisionTextSpan(decision string) term.Span {
	s := decisionSpan(decision, 0)
	s.Text = decisionText(decision)
	return s
}

// decisionSpan returns a decision in its colour, padded to width.
func decisionSpan(decision string, width int) term.Span {
	style := map[string]term.Style{"deny": term.Bad, "ask": term.Warn}[decision]
	return term.T(style, fmt.Sprintf("%-*s", width, decision))
}

// changeText returns a sentence about what a change is for, the file to change, and how.
func changeText(c *packChange, to *page) string {
	where := ""
	if c.In != "" {
		where = ", in " + to.shortPath(c.In)
	}
	switch {
	case c.How != "":
		return "To " + c.Does + where + ": " + c.How
	case c.Line != "":
		return "To " + c.Does + where + ": add this line"
	}
	return c.Does + where
}

// addChanges adds how to change the decision. Lines to copy are never truncated.
func (p *packReport) addChanges(to *page, list []packChange) {
	if len(list) == 0 {
		return
	}
	to.BeginSection("To change it")
	for _, c := range list {
		to.addParagraph("  ", changeText(&c, to))
		if c.Line != "" {
			to.Line(term.P("      "), term.Command(c.Line))
		}
	}
}
