package analyze

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/hook/analysis"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A result is what analyze --json prints.
type result struct {
	Version    int        `json:"version"` // of this format
	Files      []string   `json:"files"`
	Rules      int        `json:"rules"`
	Hooks      int        `json:"hooks"`                // other hooks, whose decisions are unknown
	Unapproved []hookName `json:"unapproved,omitempty"` // hooks that do not count until they are approved
	Shadow     []hookName `json:"shadow,omitempty"`     // hooks that do not count because of shadow mode
	Findings   []finding  `json:"findings"`
	Properties []property `json:"properties,omitempty"`
	Gaps       []gap      `json:"gaps,omitempty"`

	Differences     []difference `json:"differences,omitempty"`
	AtLeastAsStrict *bool        `json:"at_least_as_strict,omitempty"`
	Removed         []hookName   `json:"removed_hooks,omitempty"` // hooks whose decisions are unknown
	Added           []hookName   `json:"added_hooks,omitempty"`

	query       *query
	packsDiffer bool
}

// A hookName identifies a hook.
type hookName struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	Event  string `json:"event"`
}

func nameHook(h *checkrein.Hook) hookName {
	return hookName{h.Label(), h.From.String(), h.On.String()}
}

// A finding is a hook that never matters.
type finding struct {
	Check  string          `json:"check"`
	Status analysis.Status `json:"status"`
	Hook   hookName        `json:"hook"`
	By     []hookName      `json:"by,omitempty"`
}

func newFinding(f *analysis.Finding) finding {
	out := finding{Check: f.Check, Status: f.Status, Hook: nameHook(f.Hook)}
	for _, h := range f.By {
		out.By = append(out.By, nameHook(h))
	}
	return out
}

// An example is an event that the engine confirmed.
type example struct {
	Call    string          `json:"call"`           // in short
	Host    string          `json:"host,omitempty"` // the option --host of eval
	Payload json.RawMessage `json:"payload"`        // as eval reads it
}

func witness(ev *checkrein.Event) *example {
	if ev == nil {
		return nil
	}
	body, err := native.Dialect.Encode(*ev)
	if err != nil {
		return nil
	}
	return &example{callText(ev), ev.Host, body}
}

// callText returns the call or the text of ev in short.
func callText(ev *checkrein.Event) string {
	if ev.Tool == nil {
		return strings.TrimSpace(ev.Kind.String() + " " + ev.Text)
	}
	text := ev.Tool.Name + " " + string(ev.Tool.Input)
	members := 0
	rawjson.EachRaw(ev.Tool.Input, func(_, _ []byte) bool { members++; return true })
	if commands := ev.Tool.Commands(); len(commands) == 1 && members == 1 {
		text = ev.Tool.Name + ": " + commands[0]
	}
	for _, part := range []struct{ name, value string }{{"host", ev.Host}, {"cwd", ev.Session.Dir}, {"agent", ev.Session.Agent}} {
		if part.value != "" && (part.name != "cwd" || part.value != "/work") {
			text += "  (" + part.name + " " + part.value + ")"
		}
	}
	return text
}

// shellCall returns the event of a shell command.
func shellCall(command string) checkrein.Event {
	o := rawjson.Object{'{'}
	o.Key("command")
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Dir: "/work"},
		Tool: &checkrein.Tool{Name: "shell", Canonical: "shell", Input: json.RawMessage(append(rawjson.AppendString(o, command), '}'))}}
}

// A property is the answer about a property.
type property struct {
	Name     string    `json:"name"`
	Origin   string    `json:"origin"`
	Result   string    `json:"result"`
	Why      string    `json:"why,omitempty"`
	Hook     *hookName `json:"hook,omitempty"`
	Decision string    `json:"decision,omitempty"`
	Witness  *example  `json:"witness,omitempty"`
}

func newProperty(p *analysis.Property, a *analysis.Answer) property {
	out := property{Name: p.Name, Origin: p.From.String(), Result: a.Result, Why: a.Why, Witness: witness(a.Witness)}
	if a.Hook != nil {
		name := nameHook(a.Hook)
		out.Hook = &name
	}
	if a.Result == analysis.Violated {
		out.Decision = a.Decision.String()
	}
	return out
}

// A difference is a set of events on which two policies decide differently.
type difference struct {
	Direction analysis.Direction `json:"direction"`
	Status    analysis.Status    `json:"status"`
	Event     string             `json:"event,omitempty"`
	From      string             `json:"from,omitempty"`
	To        string             `json:"to,omitempty"`
	Where     string             `json:"where,omitempty"`
	Except    []string           `json:"except,omitempty"`
	Rule      *hookName          `json:"rule,omitempty"`
	In        string             `json:"in,omitempty"` // old or new: the policy of the rule
	Pack      string             `json:"pack,omitempty"`
	Rules     []string           `json:"rules,omitempty"` // of the pack
	Witness   *example           `json:"witness,omitempty"`
	Setting   string             `json:"setting,omitempty"` // that only one policy has; then there is no decision
}

func newDifference(c *analysis.Class) difference {
	name := nameHook(c.Hook)
	out := difference{c.Direction, c.Status, c.Kind.String(), c.From.String(), c.To.String(), c.Where, c.Except, &name, "new", "", nil, witness(c.Witness), ""}
	if c.InOld {
		out.In = "old"
	}
	if c.Witness != nil && c.Witness.Tool != nil && len(c.Witness.Tool.Commands()) > 1 {
		out.Where += ", only in calls with several commands"
	}
	return out
}

// addSettings adds the settings that loosen in list and not in others.
func (r *result) addSettings(d analysis.Direction, list, others []string) {
	for _, item := range list {
		if !slices.Contains(others, item) {
			r.Differences = append(r.Differences, difference{Direction: d, Status: analysis.Proven, Setting: loosening.Describe(item)})
		}
	}
}

// sortDifferences puts the weaker ones first.
func (r *result) sortDifferences() {
	slices.SortStableFunc(r.Differences, func(a, b difference) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.Direction == analysis.Weaker], map[bool]int{true: 0, false: 1}[b.Direction == analysis.Weaker])
	})
}

// setPolicy sets the description of the policy.
func (r *result) setPolicy(p *policy) {
	for _, f := range p.kit.Files() {
		r.Files = append(r.Files, f.Path)
	}
	for i := range p.Hooks {
		switch h := &p.Hooks[i]; {
		case h.Run == "rule":
			r.Rules++
		case !h.Implied:
			r.Hooks++
		}
	}
	for _, h := range p.unapproved {
		r.Unapproved = append(r.Unapproved, nameHook(h))
	}
	for _, h := range p.shadow {
		r.Shadow = append(r.Shadow, nameHook(h))
	}
}

// fails reports whether the exit code is 1.
func (r *result) fails() bool {
	for _, f := range r.Findings {
		if f.Status == analysis.Proven && slices.Contains(r.query.failOn, f.Check) {
			return true
		}
	}
	for _, p := range r.Properties {
		if p.Result == analysis.Violated {
			return true
		}
	}
	weaker := slices.ContainsFunc(r.Differences, func(d difference) bool {
		return d.Direction == analysis.Weaker && d.Status != analysis.Possible
	})
	return slices.Contains(r.query.failOn, string(analysis.Weaker)) && (weaker || len(r.Removed) > 0)
}

// ruleDecision returns the decision of the rule h.
func ruleDecision(h *checkrein.Hook) string {
	return cmp.Or(rawjson.GetText(h.With, "decision"), "none")
}

// report returns the result for people.
func (r *result) report() *report.Report {
	out := report.New(r.query.env)
	if r.query.diff {
		r.addDifferences(out)
	} else {
		r.addFindings(out)
	}
	if n := len(r.Unapproved); n > 0 {
		out.Text(0, 2, term.T(term.Faint, base.Amount(n, "hook")+" without approval left out: to analyze such hooks too, name their files"))
	}
	if n := len(r.Shadow); n > 0 {
		out.Text(0, 2, term.T(term.Faint, base.Amount(n, "hook")+" in shadow mode left out"))
	}
	return out
}

// place returns the name of a hook with its place, relative to the current directory.
func (r *result) place(h *hookName) string {
	return h.Name + " (" + base.RelativePath(r.query.env.Dir, h.Origin) + ")"
}

// addFindings adds the findings about one policy.
func (r *result) addFindings(out *report.Report) {
	out.Line(term.P(base.Amount(r.Rules, "rule") + " in " + base.Amount(len(r.Files), "file")))
	for i := range r.Findings {
		f := &r.Findings[i]
		mark, text := r.findingText(f)
		out.AddFinding(mark, f.Check, message.New(r.place(&f.Hook)+" "+text))
	}
	if len(r.Findings) == 0 && r.Rules > 0 {
		out.AddFinding(term.Good, "", message.New("every rule can decide something"))
	}
	if len(r.Properties) > 0 {
		out.BeginSection("Properties")
	}
	for i := range r.Properties {
		p := &r.Properties[i]
		mark := map[string]term.Style{analysis.Holds: term.Good, analysis.Violated: term.Bad, analysis.Undecided: term.Warn}[p.Result]
		text := p.Result
		switch {
		case p.Result == analysis.Violated:
			text += ": the decision is " + p.Decision
		case p.Hook != nil:
			text += ": " + p.Why + ": " + r.place(p.Hook)
		case p.Why != "":
			text += ": " + p.Why
		}
		out.AddFinding(mark, p.Name, message.New(text), p.Witness.spans()...)
	}
	for i := range r.Gaps {
		if i == 0 || r.Gaps[i-1].Host != r.Gaps[i].Host {
			out.BeginSection("Gaps on " + r.Gaps[i].Host)
		}
		out.AddFinding(term.Warn, "", message.New(r.Gaps[i].What))
	}
}

// findingText returns the mark of a finding, and what follows the name of the hook.
func (r *result) findingText(f *finding) (term.Style, string) {
	switch {
	case f.Status == analysis.Complex:
		return term.Plain, "could not be decided: its condition is too complex"
	case f.Check == analysis.Dead:
		return term.Bad, "never applies: no " + f.Hook.Event + " event meets its conditions"
	}
	var by []string
	for i := range f.By {
		by = append(by, r.place(&f.By[i]))
	}
	if f.Check == analysis.Contradiction {
		return term.Bad, "never decides: " + by[0] + " applies to the same events and overrides it with another decision"
	}
	return term.Warn, "never decides: whenever it applies, " + strings.Join(by, " or ") + " decides at least as strictly"
}

// spans returns the line of the example, if there is one.
func (e *example) spans() [][]term.Span {
	if e == nil {
		return nil
	}
	return [][]term.Span{{term.P("for example  "), term.Code(term.Name, base.Truncate(e.Call, 200))}}
}

// addDifferences adds the differences of two policies.
func (r *result) addDifferences(out *report.Report) {
	switch {
	case len(r.Differences)+len(r.Removed)+len(r.Added) == 0:
		out.AddFinding(term.Good, "", message.New("both policies decide the same about every event"))
	case *r.AtLeastAsStrict:
		out.AddFinding(term.Good, "", message.New("the new policy is at least as strict about every event"))
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		if i == 0 || r.Differences[i-1].Direction != d.Direction {
			out.BeginSection(strings.ToUpper(string(d.Direction[:1])) + string(d.Direction[1:]))
		}
		mark := map[analysis.Direction]term.Style{analysis.Weaker: term.Bad, analysis.Stricter: term.Plain}[d.Direction]
		if d.Setting != "" {
			how := map[analysis.Direction]string{analysis.Weaker: " is new", analysis.Stricter: " is gone"}[d.Direction]
			if d.Status == analysis.Possible {
				how = " differ"
			}
			out.AddFinding(mark, "setting", message.New(d.Setting+how))
			continue
		}
		text := d.Where
		if len(d.Except) > 0 {
			text += ", unless " + strings.Join(d.Except, ", ") + " decides"
		}
		if len(d.Rules) > 1 {
			text += " (" + d.Rules[0] + " and " + base.Amount(len(d.Rules)-1, "other rule") + ")"
		} else if len(d.Rules) == 1 {
			text += " (" + d.Rules[0] + ")"
		}
		details := d.Witness.spans()
		if d.Status != analysis.Confirmed {
			details = append(details, []term.Span{term.T(term.Faint, map[analysis.Status]string{analysis.Possible: "possible: no example was confirmed", analysis.Complex: "too complex to decide"}[d.Status])})
		}
		if d.Rule != nil {
			details = append(details, []term.Span{term.T(term.Faint, "by "+r.place(d.Rule))})
		}
		out.AddFinding(mark, d.From+" → "+d.To, message.New(text), details...)
	}
	for _, side := range []struct {
		hooks []hookName
		mark  term.Style
		text  string
	}{{r.Removed, term.Bad, "is missing or changed in the new policy; its decisions are unknown"}, {r.Added, term.Plain, "is new or changed; its decisions are unknown"}} {
		for i := range side.hooks {
			if i > 0 && r.place(&side.hooks[i]) == r.place(&side.hooks[i-1]) { // on another event
				continue
			}
			out.AddFinding(side.mark, "", message.New(r.place(&side.hooks[i])+" "+side.text))
		}
	}
}
