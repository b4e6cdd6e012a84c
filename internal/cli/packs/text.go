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

// para prints text that fits; what begins it is a label, below the end of which the
// further lines begin.
func (p *page) para(lead, text string) {
	indent := len(lead) - len(strings.TrimLeft(lead, " "))
	hang := term.Columns(lead)
	spans := []term.Span{term.P(text)}
	if lead = lead[indent:]; lead != "" {
		spans = append([]term.Span{term.Label(lead, 0)}, spans...)
	}
	p.Text(indent, hang, spans...)
}

// line prints one line, cut where it is too long.
func (p *page) line(text string) { p.Fit(term.P(text)) }

// path is a file as people write it here.
func (p *page) path(file string) string { return p.Path(base.RelativePath(p.root, file)) }

// report returns what is shown of the packs to people.
func (r *Report) report(env *console.Env, root string) *report.Report {
	p := &page{report.New(env), root}
	if !r.On {
		p.Message(term.Bad, "", message.New("hooks are off, so only managed guards are active", message.Run("checkrein hooks on", "")))
	}
	switch {
	case r.one:
		r.Packs[0].rules(p)
	case len(r.Packs) == 1:
		r.Packs[0].detail(p, r)
	default:
		r.list(p)
	}
	return p.Report
}

func (r *Report) list(p *page) {
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
		for _, text := range one.differs(p) {
			t.Below(term.P(text))
		}
	}
	p.Table(0, t)
	p.Blank()
	p.para("", "self and protect are always on. pii and security_guard are on only if a file names them. dev and reads recognize harmless commands and never decide.")
	p.Text(0, 2, term.P("More: "), term.Command("checkrein packs git"), term.P(", "), term.Command("checkrein packs git/push-force"))
}

// mark shows whether a pack is on, and whether a file says so.
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

func onText(p *packReport) string {
	switch {
	case p.Kind == kindKnowledge:
		return "-"
	case p.On:
		return "on"
	}
	return "off"
}

// usualText returns what packs do about each key, in words.
func usualText(by map[string]string) string {
	words := map[string]string{"none": "the agent decides", "ask": "asked", "deny": "denied"}
	var out []string
	for _, key := range setting.PackKeys {
		out = append(out, key+": "+words[by[key]])
	}
	return strings.Join(out, ", ") + "."
}

// differs returns where a pack is not as it comes, and who says so.
func (p *packReport) differs(to *page) []string {
	var out []string
	if now := p.now(); now != "" && (len(p.From) != 1 || !strings.Contains(p.From[0].Says, now)) {
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

// now is what a pack decides otherwise than usual.
func (p *packReport) now() string {
	var out []string
	for _, key := range setting.PackKeys {
		if d := p.Decides[key]; d != "" {
			out = append(out, key+": "+d)
		}
	}
	return strings.Join(out, ", ")
}

// detail is the screen about one pack.
func (p *packReport) detail(to *page, r *Report) {
	to.Text(0, 2, p.mark(), term.P(" "), term.T(term.Strong, p.Name), term.P(": "+p.About))
	if p.Kind != kindKnowledge {
		p.state(to)
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
		to.Section("Kinds of effects, and what the pack decides here about each (pass = the agent decides)")
		for _, c := range p.Categories {
			to.para(fmt.Sprintf("  %-20s %-5s ", c.Name, DecisionCell(c.Decision)), c.Doc+" ("+c.Label+", impact "+c.Radius+Prefix("; ", c.Others())+")")
		}
	}
	p.listRules(to)
	p.change(to, p.Change)
}

func (p *packReport) state(to *page) {
	state := onText(p)
	if len(p.From) == 0 && p.Kind != KindSelf {
		state += cmp.Or(Prefix(", ", p.Why), ", with its defaults (no file overrides them)")
	}
	to.line("  " + state)
	for _, text := range p.differs(to) {
		to.para("  ", text)
	}
	if len(p.Allow) > 0 {
		to.para("  does not guard: ", strings.Join(p.Allow, ", "))
	}
}

func Prefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// DecisionCell is a decision in a column.
func DecisionCell(decision string) string {
	if decision == checkrein.NoOpinion.String() {
		return "pass"
	}
	return decision
}

// listRules writes the rules: first those that decide something, with samples.
func (p *packReport) listRules(to *page) {
	stops := func(r ruleReport) bool { return r.Decision != checkrein.NoOpinion.String() }
	if slices.ContainsFunc(p.List, stops) {
		to.Section("Rules that stop a call, each with a command that it stops and one that it leaves alone")
		for i := range p.List {
			if r := &p.List[i]; stops(*r) {
				to.Fit(term.P("  "), decided(r.Decision, 4), term.P(" "), term.T(term.Name, r.ID), term.P(": "+r.Reason))
				example(to, "stops", pick(r.Match, func(s packSample) bool { return s.Decision == r.Decision }))
				for _, d := range heard(r.Match) {
					if d != r.Decision {
						example(to, outcomes[d], pick(r.Match, func(s packSample) bool { return s.Decision == d }))
					}
				}
				example(to, "not", pick(r.NoMatch, func(s packSample) bool { return s.Decision == checkrein.NoOpinion.String() }))
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

// outcomes is what becomes of a call, by the decision about it.
var outcomes = map[string]string{"none": "passes", "ask": "asked", "deny": "denied"}

// pick is the sample to show: the first that is right.
func pick(list []packSample, right func(packSample) bool) string {
	if i := slices.IndexFunc(list, right); i >= 0 {
		return list[i].Command
	}
	return ""
}

func example(to *page, label, command string) {
	if command != "" {
		to.Fit(term.T(term.Faint, fmt.Sprintf("         %-6s  ", label)), term.P(base.OneLine(command)))
	}
}

// rules is the screen about one rule, or about those of one category.
func (p *packReport) rules(to *page) {
	for i := range p.List {
		if i > 0 {
			to.Blank()
		}
		p.rule(to, &p.List[i])
	}
	if len(p.List) == 0 {
		for _, c := range p.Categories {
			to.para("", p.Name+"/"+c.Name+": "+decisionText(c.Decision)+". It "+c.Doc+" ("+c.Label+", impact "+c.Radius+")")
			to.para("  ", "This is decided from the whole command, not by a single rule.")
		}
		p.change(to, p.Change)
	}
}

func (p *packReport) rule(to *page, r *ruleReport) {
	to.Text(0, 2, term.T(term.Strong, r.ID), term.P(": "), decidedText(r.Decision))
	to.para("  why       ", r.Reason)
	if r.Category != "" {
		to.para("  category  ", strings.TrimSuffix(r.Category+" ("+r.Label+", impact "+r.Radius, ", impact ")+")")
	}
	to.line("  pack      " + p.Name + ", " + onText(p))
	for _, text := range p.differs(to) {
		to.para("            ", text)
	}
	r.samples(to, "Commands that match, and what is decided about them here", r.Match, r.Decision)
	r.samples(to, "Commands that do not match", r.NoMatch, checkrein.NoOpinion.String())
	p.change(to, r.Change)
}

// samples lists commands. One that comes to something else says whose doing that is.
func (r *ruleReport) samples(to *page, title string, list []packSample, want string) {
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
		to.Line(append([]term.Span{term.P("  "), decided(DecisionCell(s.Decision), 4), term.P("  ")}, append(term.Cut([]term.Span{term.P(base.OneLine(s.Command))}, room), term.T(term.Faint, by))...)...)
	}
}

// decisionText is what becomes of the calls that a rule is about.
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

func decidedText(decision string) term.Span {
	s := decided(decision, 0)
	s.Text = decisionText(decision)
	return s
}

// decided is a decision in its colour, padded.
func decided(decision string, width int) term.Span {
	style := map[string]term.Style{"deny": term.Bad, "ask": term.Warn}[decision]
	return term.T(style, fmt.Sprintf("%-*s", width, decision))
}

// changeText describes in a sentence what a change is for, where it goes and how.
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

// change reports how to have it otherwise. Lines to copy are never cut.
func (p *packReport) change(to *page, list []packChange) {
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
