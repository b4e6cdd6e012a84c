package desk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/internal/workplace"
)

// pageWidth is how wide screens about packs are.
const pageWidth = 80

// A page is a text of which every line fits.
type page struct {
	strings.Builder
	home, root string
}

// para writes text in lines; the first begins with lead, the others below its end.
func (p *page) para(lead, text string) {
	indent := utf8.RuneCountInString(lead)
	for _, line := range wrap(trust.VisibleLine(text), pageWidth-indent) {
		p.WriteString(lead + line + "\n")
		lead = strings.Repeat(" ", indent)
	}
}

// line writes one line, cut where it is too long.
func (p *page) line(text string) { p.WriteString(cut(trust.VisibleLine(text), pageWidth) + "\n") }

func (p *page) section(title string) { p.WriteString("\n" + title + "\n") }

// path is a file as people write it here.
func (p *page) path(file string) string {
	if rel := nearer(p.root, file); rel != file {
		return rel
	}
	if rest, ok := strings.CutPrefix(file, p.home+"/"); ok && p.home != "" {
		return "~/" + rest
	}
	return file
}

// wrap breaks text at spaces; words that are too long stay whole.
func wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out, line = append(out, line), ""
		}
		line += strings.Repeat(" ", min(1, len(line))) + word
	}
	return append(out, line)
}

func (r *packsReport) text(env *console.Env) string {
	p := &page{home: workplace.Home(env.Environ), root: r.root}
	if !r.On {
		p.para("", "Hooks are switched off: only managed guards count. checkrein hooks on switches them on.")
	}
	switch {
	case r.one:
		r.Packs[0].rules(p)
	case len(r.Packs) == 1:
		r.Packs[0].detail(p, r)
	default:
		r.list(p)
	}
	return p.String()
}

func (r *packsReport) list(p *page) {
	p.para("", "What guards make of a call, unless a line below a pack says otherwise: "+usualText(r.Usual)+" The radius is how far it reaches.")
	for _, note := range r.above {
		p.para("note: ", note)
	}
	fmt.Fprintf(p, "\n%-14s  %-3s  %5s  %s\n", "PACK", "ON", "RULES", "WHAT IT IS ABOUT")
	for i := range r.Packs {
		one := &r.Packs[i]
		rules := "-"
		if one.Rules > 0 {
			rules = fmt.Sprint(one.Rules)
		}
		p.line(fmt.Sprintf("%-14s  %-3s  %5s  %s", one.Name, onText(one), rules, one.About))
		for _, text := range one.differs(p) {
			p.para(strings.Repeat(" ", 16), text)
		}
	}
	p.WriteString("\n")
	p.para("", "self and protect are on whatever packs are. pii and security_guard are on where a file names them. dev and reads know what loses nothing and never decide.")
	p.para("", "More: checkrein packs git, checkrein packs git/push-force")
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

// usualText says what packs do about each key, in words.
func usualText(by map[string]string) string {
	words := map[string]string{"none": "the host decides", "ask": "asked", "deny": "denied"}
	var out []string
	for _, key := range checkrein.PackKeys {
		out = append(out, key+": "+words[by[key]])
	}
	return strings.Join(out, ", ") + "."
}

// differs says where a pack is not as it comes, and who says so.
func (p *packReport) differs(to *page) []string {
	var out []string
	if now := p.now(); now != "" && (len(p.From) != 1 || !strings.Contains(p.From[0].Says, now)) {
		out = append(out, "in force: "+now)
	}
	for _, f := range p.From {
		text := f.Says + ", by " + to.path(f.Origin)
		if f.Scope != checkrein.ScopeUser.String() {
			text += " (" + f.Scope + ")"
		}
		if len(f.Held) > 0 {
			text += "; held back until checkrein confirm: " + strings.Join(f.Held, ", ")
		}
		if len(f.Ignored) > 0 {
			text += "; without effect, a project's file only tightens: " + strings.Join(f.Ignored, ", ")
		}
		out = append(out, text)
	}
	if p.Why != "" && p.Kind != kindTexts && p.Kind != kindSelf && !p.On && (len(p.From) == 0 || p.Kind == kindOwn) {
		out = append(out, "off: "+p.Why)
	}
	return out
}

// now is what a pack decides otherwise than usual.
func (p *packReport) now() string {
	var out []string
	for _, key := range checkrein.PackKeys {
		if d := p.Decides[key]; d != "" {
			out = append(out, key+": "+d)
		}
	}
	return strings.Join(out, ", ")
}

// detail is the screen about one pack.
func (p *packReport) detail(to *page, r *packsReport) {
	to.line(p.Name + ": " + p.About)
	if p.Kind != kindKnowledge {
		p.state(to)
	}
	if p.Also != "" {
		to.para("  ", p.Also)
	}
	for _, note := range r.above {
		to.para("  note: ", note)
	}
	if p.Kind == kindCommands || p.Kind == kindOwn {
		to.para("  usual: ", usualText(r.Usual))
	}
	if len(p.Categories) > 0 {
		to.section("What it tells apart, and what it decides about the usual case")
		for _, c := range p.Categories {
			to.para(fmt.Sprintf("  %-20s %-5s ", c.Name, dash(c.Decision)), c.Doc+" ("+c.Label+", "+c.Radius+")")
		}
	}
	p.listRules(to)
	p.change(to, p.Change)
}

func (p *packReport) state(to *page) {
	state := onText(p)
	if len(p.From) == 0 && p.Kind != kindSelf {
		state += cmp.Or(prefixed(", ", p.Why), ", as it comes: no file says anything of it")
	}
	to.line("  " + state)
	for _, text := range p.differs(to) {
		to.para("  ", text)
	}
	if len(p.Allow) > 0 {
		to.para("  does not guard: ", strings.Join(p.Allow, ", "))
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// dash is a decision in a column.
func dash(decision string) string {
	if decision == checkrein.NoOpinion.String() {
		return "-"
	}
	return decision
}

// listRules writes the rules: first those that decide something, with samples.
func (p *packReport) listRules(to *page) {
	stops := func(r ruleReport) bool { return r.Decision != checkrein.NoOpinion.String() }
	if slices.ContainsFunc(p.List, stops) {
		to.section("Rules that stop a call, with a command that each stops and one that it does not")
		for i := range p.List {
			if r := &p.List[i]; stops(*r) {
				to.line(fmt.Sprintf("  %-4s %s: %s", r.Decision, r.ID, r.Reason))
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
		to.section("Rules that leave the call to the host")
		for i := range p.List {
			if r := &p.List[i]; !stops(*r) {
				to.line("  " + r.ID + ": " + r.Reason)
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
		to.line(fmt.Sprintf("         %-6s  %s", label, oneLine(command)))
	}
}

// rules is the screen about one rule, or about those of one category.
func (p *packReport) rules(to *page) {
	for i := range p.List {
		if i > 0 {
			to.WriteString("\n")
		}
		p.rule(to, &p.List[i])
	}
	if len(p.List) == 0 {
		for _, c := range p.Categories {
			to.para("", p.Name+"/"+c.Name+": "+c.Decision+": "+c.Doc+" ("+c.Label+", "+c.Radius+")")
			to.para("  ", "It is worked out from the whole command, not from a rule.")
		}
		p.change(to, p.Change)
	}
}

func (p *packReport) rule(to *page, r *ruleReport) {
	to.para("", r.ID+": "+r.Decision)
	to.para("  why       ", r.Reason)
	if r.Category != "" {
		to.para("  category  ", strings.TrimSuffix(r.Category+" ("+r.Label+", "+r.Radius, ", ")+")")
	}
	to.line("  pack      " + p.Name + ", " + onText(p))
	for _, text := range p.differs(to) {
		to.para("            ", text)
	}
	r.samples(to, "Commands for which it holds, and what is decided about them here", r.Match, r.Decision)
	r.samples(to, "Commands that it leaves alone", r.NoMatch, checkrein.NoOpinion.String())
	p.change(to, r.Change)
}

// samples lists commands. One that comes to something else says whose doing that is.
func (r *ruleReport) samples(to *page, title string, list []packSample, want string) {
	if len(list) == 0 {
		return
	}
	to.section(title)
	for _, s := range list {
		by := ""
		if s.Decision != want && s.By != "" && s.By != r.ID {
			by = "  [" + s.By + "]"
		}
		room := pageWidth - 8 - utf8.RuneCountInString(by)
		to.line(fmt.Sprintf("  %-4s  %s%s", dash(s.Decision), cut(oneLine(s.Command), room), by))
	}
}

// change says how to have it otherwise. Lines to copy are never cut.
func (p *packReport) change(to *page, list []packChange) {
	if len(list) == 0 {
		return
	}
	to.section("To change it")
	for _, c := range list {
		text := c.Does
		if c.In != "" {
			text += "; in " + to.path(c.In)
		}
		if c.How != "" {
			text += " (" + c.How + ")"
		}
		to.para("  ", text)
		if c.Line != "" {
			to.WriteString("      " + trust.VisibleLine(c.Line) + "\n")
		}
	}
}
