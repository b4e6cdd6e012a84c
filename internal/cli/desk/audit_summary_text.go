package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/loosen"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/screen"
)

// print writes a summary for people.
func (s *summary) print(env *console.Env) {
	out := newPaper(screenOn(env, env.Stdout))
	if s.Events == 0 {
		out.Line(screen.P("no events"))
		return
	}
	who := screen.Count(len(s.Sessions), "session")
	if len(s.Sessions) == 1 {
		who = s.Sessions[0]
	}
	out.Text(0, 2, screen.T(screen.Strong, who), screen.P(fmt.Sprintf(", %s to %s", out.Clock(s.From), s.To.In(zone(env)).Format(time.TimeOnly))))
	out.Text(0, 2, s.counts()...)
	out.begun = true
	note := func(text string) {
		out.Text(0, 2, append([]screen.Span{screen.Mark(screen.Warn), screen.P(" ")}, spoken(out.Home(text))...)...)
	}
	if len(s.Packs) > 0 {
		note("packs that were off: " + strings.Join(s.Packs, ", "))
	}
	if s.Foreign > 0 {
		note("foreign: " + screen.Count(s.Foreign, "event") + " did not come from the session's agent. To see where one came from, run checkrein explain ID")
	}
	if s.Shadow > 0 {
		note(fmt.Sprintf("in shadow mode or paused: %d more would have been denied or asked about, but were not", s.Shadow))
	}
	for _, item := range s.Held {
		note("does not count until you run checkrein confirm: " + loosen.Words(item))
	}
	for _, g := range s.Grants {
		out.Text(0, 2, screen.Mark(screen.Good), screen.P(fmt.Sprintf(" %s let through by grant %s", screen.Count(g.Times, "call"), out.Home(g.ID))))
	}
	s.printBlocked(out)
}

// counts are how often what happened.
func (s *summary) counts() []screen.Span {
	denied := "denied"
	if s.Unasked > 0 { // audit query counts them so too
		denied += fmt.Sprintf(" (%d because the user could not be asked)", s.Unasked)
	}
	spans := []screen.Span{screen.P(screen.Count(s.Events, "event") + ": ")}
	for i, each := range []struct {
		n     int
		what  string
		style screen.Style
	}{{s.Denied, denied, screen.Bad}, {s.Asked, "asked", screen.Warn}, {s.Changed, "changed", screen.Warn}, {s.Lifted, "lifted by grants", screen.Good}, {s.Faults, "fault", screen.Bad}} {
		text := fmt.Sprintf("%d %s", each.n, each.what)
		if each.what == "fault" {
			text = screen.Count(each.n, "fault")
		}
		if each.n == 0 {
			each.style = screen.Faint
		}
		if i > 0 {
			spans = append(spans, screen.P(", "))
		}
		spans = append(spans, screen.T(each.style, text))
	}
	return spans
}

// printBlocked prints each call that was blocked, why, and what would let it pass.
func (s *summary) printBlocked(out *paper) {
	entries := ""
	for _, b := range s.Blocked {
		out.Blank()
		out.Text(0, 2, screen.T(screen.Bad, fmt.Sprintf("blocked %d×", b.Times)), screen.P(": "), screen.Code(screen.Strong, out.Home(b.Call)))
		out.Text(2, 4, screen.P("why: "+out.Home(b.Reason)+" ["), screen.T(screen.Name, strings.Join(b.Rules, ", ")), screen.P("]"))
		if b.Unasked != "" {
			out.Text(2, 4, screen.P("the user was not asked: "+b.Unasked))
		}
		if b.NoGrant != "" {
			out.Text(2, 4, screen.P("no grant can lift it: "+b.NoGrant))
		}
		entries += strings.TrimPrefix(b.Grant, "grants:\n")
	}
	if entries == "" {
		return
	}
	out.Blank()
	out.Text(0, 0, screen.P("To allow these calls in runs like this one, review these entries and add them to your own checkrein.yaml:"))
	out.Blank()
	out.Line(screen.T(screen.Name, "grants:"))
	for line := range strings.Lines(entries) {
		out.Line(screen.T(screen.Name, strings.TrimSuffix(line, "\n")))
	}
}
