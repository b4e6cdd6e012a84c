package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A matchReport is the report of the match command. Its exported fields are printed with --json.
type matchReport struct {
	Version int               `json:"version"` // of this format
	Event   string            `json:"event"`
	Call    string            `json:"call,omitempty"`
	Hooks   []json.RawMessage `json:"hooks"`
	Rule    string            `json:"rule,omitempty"`    // the rule of a pack in the query
	Matches bool              `json:"matches,omitempty"` // the rule, or one of the hooks, matches
	Rules   []string          `json:"rules,omitempty"`   // the rules of packs that match the call

	whys  []engine.Why
	says  []string // what each hook would decide
	named bool     // the query names a hook
	shown string   // the call, for display
}

// add adds a hook, with its conditions and the sentence about what it would decide.
func (r *matchReport) add(w *engine.Why, says string) {
	r.Matches = r.Matches || w.Holds
	r.whys, r.says = append(r.whys, *w), append(r.says, says)
	r.Hooks = append(r.Hooks, w.JSON())
}

// decisionText returns a sentence about what h would decide about the call ev. For packs, it includes
// the rules and the reason.
func (m *matchQuery) decisionText(ctx context.Context, k *app.Kit, ev checkrein.Event, h *checkrein.Hook) string {
	if w, err := packguard.HookPolicy(h); w == nil || err != nil {
		return decisionSentence(rawjson.GetText(h.With, "decision"))
	}
	v := k.DryRun(func(other *checkrein.Hook) bool { return other.ID == h.ID && other.From == h.From })(ctx, ev)
	if v.Decision < checkrein.Ask {
		return "it would decide nothing about this call"
	}
	said := decisionSentence(v.Decision.String())
	if rules := rulesOf(&v); len(rules) > 0 {
		said += ", by " + strings.Join(rules, ", ")
	}
	return said + ": " + v.Reason
}

// decisionSentence returns a sentence such as "it would deny", or "" if decision is "".
func decisionSentence(decision string) string {
	switch decision {
	case "":
		return ""
	case checkrein.NoOpinion.String():
		return "it would decide nothing"
	}
	return "it would " + decision
}

// rulesOf returns the rules that v is based on, the deciding one first.
func rulesOf(v *checkrein.Verdict) (out []string) {
	if rule := v.Metadata["rule"]; rule != "" {
		out = append(out, rule)
	}
	for i := range v.Because {
		if rule := v.Because[i].Rule; rule != "" && !slices.Contains(out, rule) {
			out = append(out, rule)
		}
	}
	return out
}

// matchRule prints whether the pack or rule called m.name matches the call. It returns an error if
// there is none of that name.
func (m *matchQuery) matchRule(ctx context.Context, k *app.Kit) error {
	s := packs.NewCatalog(ctx, m.env, k)
	pack, id, isRule := strings.Cut(m.name, "/")
	if !s.Has(pack) {
		known := append(hookNames(k), s.Names()...)
		for _, name := range s.Names() {
			if isRule {
				known = append(known, name+"/"+id)
			}
		}
		where := "here"
		if m.project != "" && m.project != projectOf(m.env.Dir) {
			where = "in " + m.project + ", where this call was made,"
		}
		hint := suggest.HintOr(m.name, known, "to list the hooks, run checkrein hooks; to list packs and their rules, run checkrein packs")
		return &base.Exit{Code: console.Usage, Err: fmt.Errorf("no hook or pack %s has the name %q%s", where, m.name, hint)}
	}
	ev := m.callEvent(m.kindFor(nil), nil)
	v := s.Decide(ctx, ev)
	r := matchReport{Version: 1, Event: m.eventName(&ev), Call: callText(&ev), Hooks: []json.RawMessage{}, Rule: m.name, Rules: rulesOf(&v)}
	for _, rule := range m.effectRules(&ev) {
		if !slices.Contains(r.Rules, rule) {
			r.Rules = append(r.Rules, rule)
		}
	}
	meant, err := ruleIDs(s, pack, id, r.Rules)
	if isRule && err != nil {
		return &base.Exit{Code: console.Usage, Err: err}
	}
	for _, rule := range r.Rules {
		r.Matches = r.Matches || slices.Contains(meant, rule) || !isRule && strings.HasPrefix(rule, pack+"/")
	}
	out := report.New(m.env)
	verb := " matches "
	if !r.Matches {
		verb = " does not match "
	}
	out.Text(0, 2, resultMark(r.Matches), term.P(" "), term.T(term.Name, m.name), term.P(verb), term.Code(term.Strong, shownCall(&ev, m.eventName(&ev))))
	switch {
	case len(r.Rules) == 0:
		out.Text(2, 4, term.P("no pack has a rule about this call"))
	case r.Matches:
		out.Text(2, 4, term.Lines(strings.TrimSuffix("the packs "+packsVerb(v.Decision)+": "+v.Reason, ": ")))
	default:
		out.Text(2, 4, term.P("these rules match, and the packs "+packsVerb(v.Decision)+": "+strings.Join(r.Rules, ", ")))
	}
	if isRule && id != "" {
		out.Text(2, 4, term.P("to see what this rule is for: "), term.Command("checkrein packs "+m.name))
	}
	return base.OrFinding(out.Print(m.env, m.asJSON, &r), !r.Matches, "it does not match")
}

// ruleIDs returns the rules that PACK/ID means, in the form PACK/RULE: a single rule, or all rules of
// a category. In packs whose rules are named after programs, id must be a known program or a rule in
// hold.
func ruleIDs(s *packs.Catalog, pack, id string, hold []string) (out []string, err error) {
	if name := pack + "/" + id; slices.Contains(hold, name) {
		return []string{name}, nil
	}
	p := s.ReportPack(pack)
	s.AddRules(&p)
	if err := p.Narrow(id); err != nil {
		return nil, err
	}
	for i := range p.List {
		if p.List[i].Category == "" && !classify.IsKnownProgram(id) {
			return nil, p.NoRuleError(id, nil)
		}
		out = append(out, p.List[i].ID)
	}
	return out, nil
}

// effectRules returns the rules for the effects of the commands in ev, including rules that decide
// nothing.
func (m *matchQuery) effectRules(ev *checkrein.Event) (out []string) {
	if ev.Tool == nil {
		return nil
	}
	place := shell.Place{Dir: ev.Session.Dir, Root: ev.Session.Dir, Home: environ.Home(m.env.Environ), Getenv: func(string) string { return "" }}
	place.Repo = func(dir string) *shell.Repo { return gitconfig.Read(dir, place.Home, m.env.Environ) }
	for _, c := range ev.Tool.Commands() {
		r := classify.Command(c, place)
		for i := range r.Effects {
			if e := &r.Effects[i]; e.Rule != "" {
				out = append(out, e.Row().PackName()+"/"+e.Rule)
			}
		}
	}
	return out
}

// packsVerb returns what packs do with a call on which they decide d, as a verb phrase.
func packsVerb(d checkrein.Decision) string {
	switch d {
	case checkrein.Deny:
		return "deny it"
	case checkrein.Ask:
		return "ask about it"
	}
	return "let it pass"
}

// resultMark returns the mark for a condition, good if it holds and bad otherwise.
func resultMark(holds bool) term.Span {
	if holds {
		return term.Mark(term.Good)
	}
	return term.Mark(term.Bad)
}

// printHooks prints the report about hooks, and returns an error that sets the exit code if the named
// hook does not match.
func (m *matchQuery) printHooks(r *matchReport) error {
	out := report.New(m.env)
	if !r.named {
		ev := m.callEvent(m.kindFor(nil), nil)
		out.Text(0, 2, term.Code(term.Strong, m.eventName(&ev)+"  "+callText(&ev)))
	}
	for i := range r.whys {
		w := &r.whys[i]
		verb := " would not run"
		if w.Holds {
			verb = " would run"
		}
		if r.named {
			verb += " on "
		}
		spans := []term.Span{resultMark(w.Holds), term.P(" "), term.T(term.Name, w.Hook.Label()), term.P(verb)}
		if r.named {
			spans = append(spans, term.Code(term.Strong, r.shown))
		}
		if w.Holds && r.says[i] != "" {
			spans = append(spans, term.P("; "), term.Lines(r.says[i]))
		}
		if w.Hook.Shadow {
			spans = append(spans, term.P(" (shadow mode: not enforced)"))
		}
		out.Text(0, 2, spans...)
		out.Text(2, 4, term.T(term.Faint, approval.EventName(w.Hook)+" · "+hookPlace(out, w.Hook)))
		if w.Err != nil {
			out.Text(2, 4, term.Mark(term.Bad), term.P(" it cannot run: "), term.Lines(w.Err.Error()))
		}
		m.printParts(out, w.Parts, 2, r.named)
		if w.Off != "" {
			out.Text(2, 4, term.Mark(term.Warn), term.P(" it does not run: "+w.Off))
		}
	}
	if len(r.whys) == 0 {
		out.Text(0, 2, term.P("no hook runs on this event. To list the hooks, run "), term.Command("checkrein hooks"))
	}
	return base.OrFinding(out.Print(m.env, m.asJSON, r), r.named && !r.Matches, "it does not match")
}

// printParts prints the parts of a condition. Unless withHolding is set, it omits those that hold,
// and the part about the event.
func (m *matchQuery) printParts(out *report.Report, list []engine.Part, indent int, withHolding bool) {
	for i := range list {
		p := &list[i]
		if !withHolding && (p.Holds || p.Name == "event") {
			continue
		}
		out.Text(indent, indent+4, resultMark(p.Holds), term.P(" "+p.Text()))
		if p.Fix != "" {
			out.Text(indent+4, indent+6, term.T(term.Warn, "→ "), term.P(p.Fix))
		}
		m.printParts(out, p.Parts, indent+2, true)
	}
}

// hookPlace returns the scope of h, with its place in a file if it has one.
func hookPlace(out *report.Report, h *checkrein.Hook) string {
	scope := h.From.Scope.String()
	switch {
	case h.From.File != "":
		return scope + " · " + out.ShortPath(h.From.String())
	case h.Implied:
		return "on " + byDefault
	}
	return scope
}
