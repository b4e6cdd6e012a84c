package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/honoured"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// missesReport returns the screen for the comparison r: the headline, then the findings, then the
// transcripts that were not read.
func missesReport(env *console.Env, r *misses.Report, hosts []install.Report, back []honoured.Finding) *report.Report {
	s := report.New(env)
	style := term.Good
	if r.Failures()+countUnexplained(r, back) > 0 {
		style = term.Bad
	}
	s.Text(0, 2, term.Mark(style), term.P(" "), term.T(term.Strong, missesHeadline(r)), term.P(" since "+s.FormatClock(r.Since)))
	for i := range hosts {
		addQuietHost(s, &hosts[i])
	}
	for _, g := range groupByCause(r.Misses) {
		s.Blank()
		s.AddFinding(term.Bad, "", message.New(term.FormatCount(g.calls, "call")+" unseen: "+g.why, g.remedies...), []term.Span{term.T(term.Faint, g.summary(s))})
	}
	statusProven, tell := message.Run("checkrein status -v", "to see what was proven about the agent"), message.Do("report it to its makers")
	addCallList(s, &r.Denied, term.Bad, "ran although checkrein denied it", "ran although checkrein denied them", statusProven, tell)
	addCallList(s, &r.Unasked, term.Bad, "ran without a question although checkrein wanted you to be asked", "ran without a question although checkrein wanted you to be asked", statusProven, tell)
	addCallList(s, &r.Kept, term.Bad, "has a result that reached the model although checkrein replaced it", "have results that reached the model although checkrein replaced them", message.Do("keep secrets out of the agent's reach"), message.Do("change those that the model has seen"))
	addIgnored(s, back)
	addCallList(s, &r.Leaked, term.Warn, "gave the model a secret", "gave the model secrets", message.Do("change these secrets"))
	addCallList(s, &r.Twice, term.Warn, "was asked about more than once", "were asked about more than once", message.Run("checkrein status -v", "to see where checkrein is installed: once is enough"))
	if n := r.Refused; n > 0 {
		s.Blank()
		s.Text(2, 4, term.T(term.Faint, term.FormatCount(n, "call")+" refused before checkrein was asked: not a miss, because nothing ran"))
	}
	if n := r.Open; n > 0 {
		s.Text(2, 4, term.T(term.Faint, term.FormatCount(n, "call")+" without a result: nothing shows that anything ran"))
	}
	for i := range r.Skipped {
		k := &r.Skipped[i]
		what := "not read: "
		if k.Lines > 0 {
			what = term.FormatCount(k.Lines, "line") + " not read: "
		}
		style := term.Warn
		if k.Calls {
			style = term.Bad
		}
		s.AddFinding(style, "", message.New(k.Path+": "+what+k.Why))
	}
	if r.More > 0 {
		s.Text(2, 4, term.P(term.FormatCount(r.More, "more file")+" not read"))
	}
	if r.Unread > 0 {
		s.AddRemedies(4, message.Do("make these files readable, or move other files away; calls in a damaged part stay unseen"))
	}
	return s
}

// addQuietHost adds findings about events that the installed host of h did not send.
func addQuietHost(s *report.Report, h *install.Report) {
	add := func(style term.Style, m message.Message) {
		s.Blank()
		s.AddFinding(style, h.Title, m)
	}
	if q := h.Silent; q != nil && q.Now {
		add(term.Bad, q.Message(h))
	} else if q != nil {
		add(term.Warn, q.Message(h))
	}
	if e := h.Ended; e != nil {
		add(term.Warn, e.Message(h.Host))
	}
	if u := h.Unstarted; u != nil {
		add(term.Warn, u.Message(h.Host))
	}
}

// missesHeadline returns the counts of r in one line.
func missesHeadline(r *misses.Report) string {
	text := fmt.Sprintf("%s, %s unseen", term.FormatCount(r.Calls, "call"), term.FormatNumber(r.Unseen))
	if n := r.Denied.Calls; n > 0 {
		text += fmt.Sprintf(", %s denied but ran", term.FormatNumber(n))
	}
	if n := r.Unasked.Calls; n > 0 {
		text += fmt.Sprintf(", %s not asked about", term.FormatNumber(n))
	}
	if n := r.Kept.Calls; n > 0 {
		text += fmt.Sprintf(", %s not replaced", term.FormatNumber(n))
	}
	if n := r.Unread; n > 0 {
		text += fmt.Sprintf(", %s not read in full", term.FormatCount(n, "transcript"))
	}
	return text
}

// A causeGroup holds the misses of one host that have the same cause.
type causeGroup struct {
	host, why string
	remedies  []message.Remedy
	calls     int
	list      []misses.Miss
}

// groupByCause groups misses by host and cause.
func groupByCause(list []misses.Miss) []*causeGroup {
	var out []*causeGroup
	for _, m := range list {
		i := slices.IndexFunc(out, func(g *causeGroup) bool { return g.host == m.Host && g.why == m.Why })
		if i < 0 {
			i = len(out)
			out = append(out, &causeGroup{host: m.Host, why: m.Why, remedies: m.Remedies})
		}
		out[i].calls += m.Calls
		out[i].list = append(out[i].list, m)
	}
	return out
}

const maxNamed = 8 // how many tools or calls are listed

// summary returns the tools of the calls in g with their numbers, the sessions, and the period.
func (g *causeGroup) summary(s *report.Report) string {
	tools, sessions := map[string]int{}, map[string]bool{}
	var names []string
	first, last := g.list[0].First, g.list[0].Last
	for _, m := range g.list {
		if tools[m.Tool] == 0 {
			names = append(names, m.Tool)
		}
		tools[m.Tool] += m.Calls
		sessions[m.Session] = true
		if m.First.Before(first) {
			first = m.First
		}
		if m.Last.After(last) {
			last = m.Last
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return tools[b] - tools[a] })
	var said []string
	for i, n := range names {
		if i == maxNamed {
			said = append(said, term.FormatCount(len(names)-i, "more tool"))
			break
		}
		said = append(said, fmt.Sprintf("%s %s", n, term.FormatNumber(tools[n])))
	}
	text := strings.Join(said, ", ")
	if len(sessions) == 1 {
		text += "; session " + g.list[0].Session
	} else {
		text += "; " + term.FormatCount(len(sessions), "session")
	}
	text += ", " + s.FormatClock(first)
	if until := s.FormatClock(last); until != s.FormatClock(first) {
		text += " to " + until
	}
	return text
}

// addCallList adds a finding about the calls in k, if there are any, and lists the first of them. one
// and many say what happened to a single call and to several.
func addCallList(s *report.Report, k *misses.CallList, style term.Style, one, many string, remedies ...message.Remedy) {
	if k.Calls == 0 {
		return
	}
	what := many
	if k.Calls == 1 {
		what = one
	}
	var calls [][]term.Span
	for i := range k.First[:min(len(k.First), maxNamed)] {
		c := &k.First[i]
		text := fmt.Sprintf("%s, %s, session %s", c.Tool, s.FormatClock(c.At), c.Session)
		if len(c.Rules) > 0 {
			text += ": " + strings.Join(c.Rules, ", ")
		}
		spans := []term.Span{term.T(term.Faint, text)}
		if c.Record > 0 {
			spans = append(spans, term.P(" "), term.Command(fmt.Sprintf("checkrein audit show %d", c.Record)))
		}
		calls = append(calls, spans)
	}
	if more := k.Calls - maxNamed; more > 0 {
		calls = append(calls, []term.Span{term.T(term.Faint, term.FormatCount(more, "more call"))})
	}
	s.Blank()
	s.AddFinding(style, "", message.New(term.FormatCount(k.Calls, "call")+" "+what, remedies...), calls...)
}
