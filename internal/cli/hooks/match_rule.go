package hooks

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A matchReport is what match prints.
type matchReport struct {
	Version int               `json:"version"` // of this form
	Event   string            `json:"event"`
	Call    string            `json:"call,omitempty"`
	Hooks   []json.RawMessage `json:"hooks"`
	Matches bool              `json:"matches,omitempty"` // one of the hooks does

	whys  []engine.Why
	says  []string // what each would say
	named bool     // the person named a hook
	shown string   // the call, for people
}

func (r *matchReport) add(w *engine.Why, says string) {
	r.Matches = r.Matches || w.Holds
	r.whys, r.says = append(r.whys, *w), append(r.says, says)
	r.Hooks = append(r.Hooks, w.JSON())
}

// guards is what a hook of packs makes of the call: the rules, and the decision.
func (m *matching) guards(ctx context.Context, k *app.Kit, ev checkrein.Event, h *checkrein.Hook) string {
	if w, err := packguard.Watching(h); w == nil || err != nil {
		return wouldDo(rawjson.GetText(h.With, "decision"))
	}
	v := k.Scales(func(other *checkrein.Hook) bool { return other.ID == h.ID && other.From == h.From })(ctx, ev)
	if v.Decision < checkrein.Ask {
		return "it would decide nothing about this call"
	}
	said := wouldDo(v.Decision.String())
	if rules := rulesBy(&v); len(rules) > 0 {
		said += ", by " + strings.Join(rules, ", ")
	}
	return said + ": " + v.Reason
}

// wouldDo is what a hook would do that has this decision.
func wouldDo(decision string) string {
	switch decision {
	case "":
		return ""
	case checkrein.NoOpinion.String():
		return "it would decide nothing"
	}
	return "it would " + decision
}

func rulesBy(v *checkrein.Verdict) (out []string) {
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

func mark(holds bool) term.Span {
	if holds {
		return term.Mark(term.Good)
	}
	return term.Mark(term.Bad)
}

func (m *matching) print(r *matchReport) error {
	out := report.New(m.env)
	if !r.named {
		ev := m.eventOf(m.kindFor(nil), nil)
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
		spans := []term.Span{mark(w.Holds), term.P(" "), term.T(term.Name, w.Hook.Label()), term.P(verb)}
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
		out.Text(2, 4, term.T(term.Faint, approval.EventOf(w.Hook)+" · "+hookPlace(out, w.Hook)))
		if w.Err != nil {
			out.Text(2, 4, term.Mark(term.Bad), term.P(" it cannot run: "), term.Lines(w.Err.Error()))
		}
		m.parts(out, w.Parts, 2, r.named)
		if w.Off != "" {
			out.Text(2, 4, term.Mark(term.Warn), term.P(" it does not run: "+w.Off))
		}
	}
	if len(r.whys) == 0 {
		out.Text(0, 2, term.P("no hook runs on this event. To list the hooks, run "), term.Command("checkrein hooks"))
	}
	return base.Found(out.Print(m.env, m.asJSON, r), r.named && !r.Matches, "it does not match")
}

// parts adds conditions. In a list of hooks those that hold are left out, and that the
// event is the hook's goes without saying.
func (m *matching) parts(out *report.Report, list []engine.Part, indent int, all bool) {
	for i := range list {
		p := &list[i]
		if !all && (p.Holds || p.Name == "event") {
			continue
		}
		out.Text(indent, indent+4, mark(p.Holds), term.P(" "+p.Text()))
		if p.Fix != "" {
			out.Text(indent+4, indent+6, term.T(term.Warn, "→ "), term.P(p.Fix))
		}
		m.parts(out, p.Parts, indent+2, true)
	}
}

// hookPlace returns where a hook comes from: its scope, and its place if a file has it.
func hookPlace(out *report.Report, h *checkrein.Hook) string {
	scope := h.From.Scope.String()
	switch {
	case h.From.File != "":
		return scope + " · " + out.Path(h.From.String())
	case h.Implied:
		return "on " + byDefault
	}
	return scope
}
