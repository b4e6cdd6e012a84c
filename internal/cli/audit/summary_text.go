package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// report returns a summary for people.
func (s *summary) report(env *console.Env) *report.Report {
	out := report.New(env)
	s.Messages = out.Messages
	if s.Events == 0 {
		out.Line(term.P("no events"))
		return out
	}
	who := term.Count(len(s.Sessions), "session")
	if len(s.Sessions) == 1 {
		who = s.Sessions[0]
	}
	out.Text(0, 2, term.T(term.Strong, who), term.P(fmt.Sprintf(", %s to %s", out.Clock(s.From), s.To.In(base.Zone(env)).Format(time.TimeOnly))))
	out.Text(0, 2, s.counts()...)
	note := func(what string, remedies ...message.Remedy) {
		out.Message(term.Warn, "", message.New(what, remedies...))
	}
	if len(s.Packs) > 0 {
		note("packs that were off: " + strings.Join(s.Packs, ", "))
	}
	if s.Foreign > 0 {
		note("foreign: "+term.Count(s.Foreign, "event")+" did not come from the session's agent", message.Run("checkrein explain ID", "to see where one came from"))
	}
	if s.Shadow > 0 {
		note(fmt.Sprintf("in shadow mode or paused: %d more would have been denied or asked about, but were not", s.Shadow))
	}
	for _, item := range s.Held {
		note("does not count until you confirm it: "+loosening.Words(item), message.RunYourself("checkrein confirm", ""))
	}
	for _, g := range s.Grants {
		out.Text(0, 2, term.Mark(term.Good), term.P(fmt.Sprintf(" %s let through by grant %s", term.Count(g.Times, "call"), out.Home(g.ID))))
	}
	s.addBlocked(out)
	s.Messages = out.Messages
	return out
}

// counts are how often what happened.
func (s *summary) counts() []term.Span {
	denied := "denied"
	if s.Unasked > 0 { // audit query counts them so too
		denied += fmt.Sprintf(" (%d because the user could not be asked)", s.Unasked)
	}
	spans := []term.Span{term.P(term.Count(s.Events, "event") + ": ")}
	for i, each := range []struct {
		n     int
		what  string
		style term.Style
	}{{s.Denied, denied, term.Bad}, {s.Asked, "asked", term.Warn}, {s.Changed, "changed", term.Warn}, {s.Lifted, "lifted by grants", term.Good}, {s.Faults, "fault", term.Bad}} {
		text := fmt.Sprintf("%d %s", each.n, each.what)
		if each.what == "fault" {
			text = term.Count(each.n, "fault")
		}
		if each.n == 0 {
			each.style = term.Faint
		}
		if i > 0 {
			spans = append(spans, term.P(", "))
		}
		spans = append(spans, term.T(each.style, text))
	}
	return spans
}

// addBlocked adds each call that was blocked, why, and what would let it pass.
func (s *summary) addBlocked(out *report.Report) {
	entries := ""
	for _, b := range s.Blocked {
		out.Blank()
		out.Text(0, 2, term.T(term.Bad, fmt.Sprintf("blocked %d×", b.Times)), term.P(": "), term.Code(term.Strong, out.Home(b.Call)))
		out.Text(2, 4, term.P("why: "+out.Home(b.Reason)+" ["), term.T(term.Name, strings.Join(b.Rules, ", ")), term.P("]"))
		if b.Unasked != "" {
			out.Text(2, 4, term.P("the user was not asked: "+b.Unasked))
		}
		if b.NoGrant != "" {
			out.Text(2, 4, term.P("no grant can lift it: "+b.NoGrant))
		}
		entries += strings.TrimPrefix(b.Grant, "grants:\n")
	}
	if entries == "" {
		return
	}
	out.Blank()
	out.Text(0, 0, term.P("To allow these calls in runs like this one, review these entries and add them to your own checkrein.yaml:"))
	out.Blank()
	out.Line(term.T(term.Name, "grants:"))
	for line := range strings.Lines(entries) {
		out.Line(term.T(term.Name, strings.TrimSuffix(line, "\n")))
	}
}
