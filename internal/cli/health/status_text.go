package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// report returns what is not as usual, a line for each host that is installed, seen
// or asked for, and one for the rest.
func (r *statusReport) report(env *console.Env, asked, verbose bool) *report.Report {
	s := report.New(env)
	if !r.On {
		s.Message(term.Bad, "", hooks.OffMessage)
	}
	for i := range r.Wrong {
		s.Message(term.Bad, "configuration", wrongMessage(&r.Wrong[i], i == len(r.Wrong)-1))
	}
	for _, m := range r.Tampered {
		s.Message(term.Bad, "state", m)
	}
	if r.Unsealed != nil {
		s.Message(term.Warn, "state", *r.Unsealed)
	}
	for _, m := range r.Guards {
		s.Message(term.Warn, "guards", m)
	}
	if r.Unrecorded != nil {
		s.Message(term.Warn, "ledger", message.New(r.Unrecorded.Text(), message.Run("checkrein audit query --kind gap", "")))
	}
	if r.Models != "" {
		s.Message(term.Plain, "models", message.New(r.Models, doctor.Remedies("models-variables")...))
	}
	hosts := &term.Table{Columns: []term.Column{{}, {Give: 1, Least: 8}, {Give: 2, Least: 12}, {Give: 3, Least: 10}}}
	var here, rest []string
	for i := range r.Hosts {
		h := &r.Hosts[i]
		switch {
		case asked || len(h.Installed) > 0 || !h.Works() || h.Seen.Count > 0:
			hostRow(s, hosts, h, asked || verbose)
		case h.Present:
			here = append(here, h.Host)
		default:
			rest = append(rest, h.Host)
		}
	}
	s.Table(0, hosts)
	for i := range r.Running {
		s.Message(term.Plain, "", runningMessage(s, &r.Running[i]))
	}
	if r.GitUnscanned {
		s.Message(term.Plain, "", message.New("git does not ask checkrein in this repository, so commits and pushes are not scanned for secrets", message.Run("checkrein git install", "")))
	}
	if len(here) > 0 {
		s.Message(term.Plain, "", message.New("on this machine, not installed: "+strings.Join(here, ", "), message.Run("checkrein install --all", "")))
	}
	if len(rest) > 0 {
		s.Text(0, 2, term.Mark(term.Plain), term.T(term.Faint, " not found here: "+strings.Join(rest, ", ")))
	}
	r.Messages = s.Messages
	return s
}

// wrongMessage is a mistake in a configuration file; the last one says what shows them all.
func wrongMessage(p *problems.Problem, last bool) message.Message {
	m := p.Message
	switch {
	case p.Line > 0:
		m.What = fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
	case p.File != "":
		m.What = p.File + ": " + p.What
	}
	if last {
		m = m.With(message.Run("checkrein validate", ""))
	}
	return m
}

func runningMessage(s *report.Report, h *runningHost) message.Message {
	m := message.New(fmt.Sprintf("running: %s (process %d)", h.Host, h.PID))
	if h.Background {
		m.What += ", in the background"
		m = m.With(message.Run(fmt.Sprintf("kill %d", h.PID), "if you have quit "+h.Host+", to end what it left running"))
	}
	switch {
	case h.Far:
		m.What += " elsewhere, for example in a container"
	case h.Since != nil:
		m.What += ", started " + s.Ago(*h.Since)
	}
	return m
}

// hostRow adds a host, and below it what is wrong with it.
func hostRow(s *report.Report, t *term.Table, h *install.Report, open bool) {
	wrong, odd := hostTroubles(h)
	mark := term.Good
	switch {
	case len(wrong) > 0, h.Enabled != nil && h.Enabled.State == install.No:
		mark = term.Bad
	case len(odd) > 0, len(h.Installed) == 0, h.Seen.Count == 0, h.Seen.Why != "":
		mark = term.Warn
	}
	var scopes []string
	for i := range h.Installed {
		scopes = append(scopes, string(h.Installed[i].Scope))
	}
	var proven term.Span
	switch {
	case h.Proven.State == install.Yes && h.Proven.Time != nil:
		proven = term.P("tested " + s.Ago(*h.Proven.Time))
	case h.Proven.Stale:
		proven = term.T(term.Warn, "this build is not tested")
	case open:
		proven = term.T(term.Faint, "obedience not tested")
	}
	where := term.P(strings.Join(scopes, ", "))
	switch {
	case len(scopes) > 0:
	case len(h.Gone) > 0:
		where = term.T(term.Bad, "no longer installed")
	default:
		where = term.T(term.Warn, "not installed")
	}
	t.Row([]term.Span{term.Mark(mark), term.T(term.Strong, " "+h.Title)}, []term.Span{where}, []term.Span{term.P(seenText(s, h.Seen))}, []term.Span{proven})
	if open {
		hostDetails(s, t, h)
	}
	for _, m := range wrong {
		s.MessageBelow(t, term.Bad, h.Host, m)
	}
	for _, m := range odd {
		s.MessageBelow(t, term.Warn, h.Host, m)
	}
	if len(h.Installed)+len(wrong) == 0 {
		t.Below(term.Command("checkrein install " + h.Host))
	}
}

// hostTroubles are the things that do not work, and those to look at.
func hostTroubles(h *install.Report) (wrong, odd []message.Message) {
	wrong = append(wrong, h.Gone...)
	if h.Silent != nil {
		if h.Silent.Now {
			wrong = append(wrong, h.Silent.Message(h))
		} else {
			odd = append(odd, h.Silent.Message(h))
		}
	}
	if h.Ended != nil {
		odd = append(odd, h.Ended.Message(h.Host))
	}
	if h.Unstarted != nil {
		odd = append(odd, h.Unstarted.Message(h.Host))
	}
	if h.Unread != nil {
		odd = append(odd, h.Unread.Message())
	}
	for _, site := range h.Installed {
		if len(site.Gates) > 0 {
			wrong = append(wrong, message.New("not connected, so checkrein blocks nothing there: "+strings.Join(site.Gates, ", "), message.Run(fmt.Sprintf("checkrein install %s --scope %s", h.Host, site.Scope), "")))
		}
	}
	wrong = append(wrong, h.Problems...)
	if c := h.Trusted; c != nil && (c.State == install.No || c.State == install.NotYet) {
		wrong = append(wrong, c.Message())
	}
	doubted, doubtful := proofTroubles(h)
	wrong, odd = append(wrong, doubted...), append(odd, doubtful...)
	for _, site := range h.Installed {
		for _, n := range site.Notes {
			if len(site.Gates) == 0 || !n.Missing { // which the gates say
				odd = append(odd, n.Message)
			}
		}
		odd = append(odd, site.Elsewhere...)
	}
	return wrong, slices.Concat(odd, h.Notes, h.Foreign)
}

// proofTroubles are what was seen of a host's build, or cannot be known of it.
func proofTroubles(h *install.Report) (wrong, odd []message.Message) {
	prove := "checkrein prove " + h.Host
	for i := range h.Proven.Not {
		if u := &h.Proven.Not[i]; u.Gate {
			wrong = append(wrong, message.New(u.Says(h.Title, h.Proven.Version), message.Do("do not rely on denials there"), message.Run(prove, "to see whether a newer build obeys")))
		} else {
			odd = append(odd, message.New(u.Says(h.Title, h.Proven.Version), message.Run(prove, "to look again")))
		}
	}
	if h.Proven.Stale {
		odd = append(odd, message.New(h.Proven.Why+", so what comes with checkrein is taken for granted", message.Run(prove, "")))
	}
	for _, m := range []*message.Message{h.Proven.Lost, h.Proven.Broken} {
		if m != nil {
			odd = append(odd, *m)
		}
	}
	return wrong, odd
}

// hostDetails are the files and events of a host, and what it makes of our hooks.
func hostDetails(s *report.Report, t *term.Table, h *install.Report) {
	item := func(name, text string) {
		if text != "" {
			t.Below(term.Label(name, 9), term.P(text))
		}
	}
	for _, site := range h.Installed {
		paths := make([]string, len(site.Files))
		for i, f := range site.Files {
			paths[i] = s.Path(f.Path)
		}
		item(string(site.Scope), strings.Join(paths, ", "))
		item("", term.Count(len(site.Events), "event")+": "+strings.Join(site.Events, ", "))
	}
	if h.Enabled != nil && h.Enabled.State != install.No {
		item("enabled", checkText(*h.Enabled))
	}
	if h.Trusted != nil && h.Trusted.State != install.No && h.Trusted.State != install.NotYet {
		item("trusted", checkText(*h.Trusted))
	}
	if h.Seen.Event != "" {
		item("last", h.Seen.Event)
	}
	if h.Proven.State == install.Yes {
		item("tested", provenText(&h.Proven))
	} else if len(h.Installed) > 0 && slices.Contains(setups.Labs().Hosts(), h.Host) {
		item("tested", "no. To test whether it obeys checkrein's decisions, run checkrein prove "+h.Host)
	}
}

// provenText says which build was proven, and what was seen of it.
func provenText(p *install.Proof) string {
	count := map[capability.Result]int{}
	for _, r := range p.Rows {
		count[r]++
	}
	var parts []string
	for _, r := range capability.Results() {
		if count[r] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[r], r))
		}
	}
	return fmt.Sprintf("%s (%s) on %s by checkrein %s: %s", cmp.Or(p.Version, "this build"), p.Mode, p.Time.Local().Format(time.DateOnly), p.Checkrein, strings.Join(parts, ", "))
}

func checkText(c install.Check) string {
	if c.Why == "" {
		return string(c.State)
	}
	return string(c.State) + ": " + c.Message().String()
}

func seenText(s *report.Report, seen install.Seen) string {
	switch {
	case seen.Why != "":
		return "events unknown: " + seen.Why
	case seen.Count == 0:
		return "no events yet"
	case seen.Last == nil:
		return term.Count(seen.Count, "event")
	}
	return term.Count(seen.Count, "event") + ", last " + s.Ago(*seen.Last)
}
