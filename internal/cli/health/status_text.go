package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/hostlab"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/term"
)

// printStatus prints what is not as usual, a line for each host that is installed, seen
// or asked for, and one for the rest.
func printStatus(s *term.Screen, r *statusReport, asked, verbose bool) {
	if !r.On {
		report.Notice(s, 0, term.Mark(term.Bad), nil, hooks.OffText)
	}
	for i := range r.Wrong {
		wrongRow(s, &r.Wrong[i], i == len(r.Wrong)-1)
	}
	for _, line := range r.Tampered {
		report.Notice(s, 0, term.Mark(term.Bad), []term.Span{term.T(term.Strong, "state: ")}, line)
	}
	if r.Unsealed != "" {
		report.Notice(s, 0, term.Mark(term.Warn), []term.Span{term.T(term.Strong, "state: ")}, r.Unsealed)
	}
	for _, line := range r.Guards {
		report.Notice(s, 0, term.Mark(term.Warn), []term.Span{term.T(term.Strong, "guards: ")}, line)
	}
	if r.Unrecorded != nil {
		report.Notice(s, 0, term.Mark(term.Warn), []term.Span{term.T(term.Strong, "ledger: ")}, r.Unrecorded.Text(), "checkrein audit query --kind gap")
	}
	if r.Models != "" {
		report.Notice(s, 0, term.Mark(term.Plain), []term.Span{term.T(term.Strong, "models: ")}, r.Models, "write base_url, proxy or ca_file under providers in your models.yaml")
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
		s.Text(0, 2, term.Mark(term.Plain), term.P(" "+runningText(s, &r.Running[i])))
	}
	if r.GitUnscanned {
		report.Notice(s, 0, term.Mark(term.Plain), nil, "git does not ask checkrein in this repository, so commits and pushes are not scanned for secrets", "checkrein git install")
	}
	if len(here) > 0 {
		report.Notice(s, 0, term.Mark(term.Plain), nil, "on this machine, not installed: "+strings.Join(here, ", "), "checkrein install --all")
	}
	if len(rest) > 0 {
		s.Text(0, 2, term.Mark(term.Plain), term.T(term.Faint, " not found here: "+strings.Join(rest, ", ")))
	}
}

// wrongRow is a mistake in a configuration file; the last one says what shows them all.
func wrongRow(s *term.Screen, p *problems.Problem, last bool) {
	text := p.What
	switch {
	case p.Line > 0:
		text = fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
	case p.File != "":
		text = p.File + ": " + p.What
	}
	more := ""
	if last {
		more = "checkrein validate"
	}
	report.Notice(s, 0, term.Mark(term.Bad), []term.Span{term.T(term.Strong, "configuration: ")}, text, p.Remedy, more)
}

func runningText(s *term.Screen, h *runningHost) string {
	text := fmt.Sprintf("running: %s (process %d)", h.Host, h.PID)
	if h.Background {
		text = fmt.Sprintf("running: %s (process %d), in the background", h.Host, h.PID)
	}
	switch {
	case h.Far:
		text += " elsewhere, for example in a container"
	case h.Since != nil:
		text += ", started " + s.Ago(*h.Since)
	}
	if h.Background {
		text += fmt.Sprintf("; if you have quit %s, it left this process running: to end it, run kill %d", h.Host, h.PID)
	}
	return text
}

// hostRow adds a host, and below it what is wrong with it.
func hostRow(s *term.Screen, t *term.Table, h *install.Report, open bool) {
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
	for _, text := range wrong {
		noticeBelow(s, t, term.Mark(term.Bad), text)
	}
	for _, text := range odd {
		noticeBelow(s, t, term.Mark(term.Warn), text)
	}
	if len(h.Installed)+len(wrong) == 0 {
		t.Below(term.Command("checkrein install " + h.Host))
	}
}

// noticeBelow is notice, under a row.
func noticeBelow(s *term.Screen, t *term.Table, mark term.Span, text string) {
	what, remedies := report.SplitMessage(text)
	t.Below(append([]term.Span{mark, term.P(" ")}, report.CommandSpans(s.Home(what))...)...)
	for _, r := range remedies {
		t.Under(8, report.RemedySpans(s.Home(r))...)
	}
}

// hostTroubles are the things that do not work, and those to look at.
func hostTroubles(h *install.Report) (wrong, odd []string) {
	wrong = append(wrong, h.Gone...)
	if h.Silent != nil {
		text := h.Silent.Says() + "; " + h.Silent.Remedy(h)
		if h.Silent.Now {
			wrong = append(wrong, text)
		} else {
			odd = append(odd, text)
		}
	}
	if h.Ended != nil {
		odd = append(odd, h.Ended.Says()+"; "+h.Ended.Remedy(h.Host))
	}
	if h.Unstarted != nil {
		odd = append(odd, h.Unstarted.Says()+"; "+h.Unstarted.Remedy(h.Host))
	}
	if h.Unread != nil {
		odd = append(odd, h.Unread.Says()+"; "+h.Unread.Remedy())
	}
	for _, site := range h.Installed {
		if len(site.Gates) > 0 {
			wrong = append(wrong, fmt.Sprintf("not connected, so checkrein blocks nothing there: %s: checkrein install %s --scope %s", strings.Join(site.Gates, ", "), h.Host, site.Scope))
		}
	}
	wrong = append(wrong, h.Problems...)
	if c := h.Trusted; c != nil && (c.State == install.No || c.State == install.NotYet) {
		wrong = append(wrong, allOf(c.Why, h.Installed))
	}
	for i := range h.Proven.Not {
		if u := &h.Proven.Not[i]; u.Gate {
			wrong = append(wrong, u.Says(h.Title, h.Proven.Version)+": do not rely on denials there until a newer build passes checkrein prove "+h.Host)
		} else {
			odd = append(odd, u.Says(h.Title, h.Proven.Version)+": checkrein prove "+h.Host+" looks again")
		}
	}
	if h.Proven.Stale {
		odd = append(odd, h.Proven.Why+", so what comes with checkrein is taken for granted: checkrein prove "+h.Host)
	}
	if h.Proven.Lost != "" {
		odd = append(odd, h.Proven.Lost)
	}
	if h.Proven.Broken != "" {
		odd = append(odd, h.Proven.Broken)
	}
	for _, site := range h.Installed {
		for _, n := range slices.Concat(site.Notes, site.Elsewhere) {
			if len(site.Gates) == 0 || !strings.HasPrefix(n, "not connected: ") { // which the gates say
				odd = append(odd, n)
			}
		}
	}
	return wrong, slices.Concat(odd, h.Notes, h.Foreign)
}

// allOf is text with a count in place of a list of all events that are wired.
func allOf(text string, sites []install.Site) string {
	for i := range sites {
		if events := sites[i].Events; len(events) > 2 {
			all := fmt.Sprintf("all %d events", len(events))
			text = strings.Replace(text, strings.Join(events, ", "), all, 1)
			text = strings.Replace(text, all+", "+all, all, 1) // in two scopes
		}
	}
	return text
}

// hostDetails are the files and events of a host, and what it makes of our hooks.
func hostDetails(s *term.Screen, t *term.Table, h *install.Report) {
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
	} else if len(h.Installed) > 0 && slices.Contains(hostlab.Hosts(), h.Host) {
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
	return string(c.State) + ": " + c.Why
}

func seenText(s *term.Screen, seen install.Seen) string {
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
