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
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// report returns the screen: the problems, a row for each host that is installed, seen or asked for,
// and a line with the other hosts. asked means that the command line names the host.
func (r *statusReport) report(env *console.Env, asked, verbose bool) *report.Report {
	s := report.New(env)
	if !r.On {
		s.AddMessage(term.Bad, "", hooks.OffMessage)
	}
	for i := range r.Wrong {
		s.AddMessage(term.Bad, "configuration", configErrorMessage(&r.Wrong[i], i == len(r.Wrong)-1))
	}
	for _, m := range r.Tampered {
		s.AddMessage(term.Bad, "state", m)
	}
	if r.Unsealed != nil {
		s.AddMessage(term.Warn, "state", *r.Unsealed)
	}
	for _, m := range r.Guards {
		s.AddMessage(term.Warn, "guards", m)
	}
	if r.Unrecorded != nil {
		s.AddMessage(term.Warn, "ledger", message.New(r.Unrecorded.Text(), message.Run("checkrein audit query --kind gap", "")))
	}
	if u := r.Undo; u != nil {
		text := term.FormatCount(u.Saves, "save") + ", the latest " + s.Ago(u.Latest)
		s.AddMessage(term.Plain, "undo", message.New(text, message.Run("checkrein undo --list --all", "")))
	}
	hasRow := func(h *install.Report) bool { return asked || len(h.Installed) > 0 || !h.Works() || h.Seen.Count > 0 }
	for i := range r.Evidence {
		e := &r.Evidence[i]
		if !slices.ContainsFunc(r.Hosts, func(h install.Report) bool { return h.Host == e.Host && hasRow(&h) }) {
			s.AddMessage(term.Warn, "hooks of "+e.Host, e.message(s))
		}
	}
	if r.Models != "" {
		s.AddMessage(term.Plain, "models", message.New(r.Models, doctor.Remedies("models-variables")...))
	}
	hosts := &term.Table{Columns: []term.Column{{}, {Give: 1, Least: 8}, {Give: 2, Least: 12}}}
	var here, rest []string
	for i := range r.Hosts {
		h := &r.Hosts[i]
		switch {
		case hasRow(h):
			r.addHost(s, hosts, h, asked || verbose)
		case h.Present:
			here = append(here, h.Host)
		default:
			rest = append(rest, h.Host)
		}
	}
	s.Table(0, hosts)
	for i := range r.Running {
		s.AddMessage(term.Plain, "", runningMessage(s, &r.Running[i]))
	}
	if r.GitUnscanned {
		s.AddMessage(term.Plain, "", message.New("git does not ask checkrein in this repository, so commits and pushes are not scanned for secrets", message.Run("checkrein git install", "")))
	}
	if len(here) > 0 {
		s.AddMessage(term.Plain, "", message.New("on this machine, not installed: "+strings.Join(here, ", "), message.Run("checkrein install --all", "")))
	}
	if len(rest) > 0 {
		s.Text(0, 2, term.Mark(term.Plain), term.T(term.Faint, " not found here: "+strings.Join(rest, ", ")))
	}
	r.Messages = s.Messages
	return s
}

// configErrorMessage returns a message about a mistake in a configuration file. With withCommand,
// as for the last one, it has the command that shows all mistakes.
func configErrorMessage(p *problems.Problem, withCommand bool) message.Message {
	m := p.Message
	switch {
	case p.Line > 0:
		m.What = fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
	case p.File != "":
		m.What = p.File + ": " + p.What
	}
	if withCommand {
		m = m.With(message.Run("checkrein validate", ""))
	}
	return m
}

// runningMessage returns a message about a live agent.
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

// addHost adds a row for the host of h to t, with its evidence and findings below, and with its details
// if open is set.
func (r *statusReport) addHost(s *report.Report, t *term.Table, h *install.Report, open bool) {
	found := hostFindings(h)
	mark := term.Good
	switch {
	case len(found) > 0 && found[0].Level == doctor.Error:
		mark = term.Bad
	case len(found) > 0, len(h.Installed) == 0, h.Seen.Count == 0, h.Seen.Why != "":
		mark = term.Warn
	}
	var scopes []string
	for i := range h.Installed {
		scopes = append(scopes, string(h.Installed[i].Scope))
	}
	where := term.P(strings.Join(scopes, ", "))
	switch {
	case len(scopes) > 0:
	case len(h.Gone) > 0:
		where = term.T(term.Bad, "no longer installed")
	default:
		where = term.T(term.Warn, "not installed")
	}
	t.AddRow([]term.Span{term.Mark(mark), term.T(term.Strong, " "+h.Title)}, []term.Span{where}, []term.Span{term.P(seenText(s, h.Seen))})
	for i := range r.Evidence {
		if e := &r.Evidence[i]; e.Host == h.Host {
			e.addBelow(s, t)
		}
	}
	if open {
		addHostDetails(s, t, h)
	}
	for _, f := range found {
		style := term.Warn
		if f.Level == doctor.Error {
			style = term.Bad
		}
		s.AddMessageBelow(t, style, h.Host, f.Message)
	}
	if len(h.Installed)+len(h.Gone) == 0 {
		t.AddBelow(term.Command("checkrein install " + h.Host))
	}
}

// hostFindings returns the findings that doctor would report about the host of h, worst first.
func hostFindings(h *install.Report) []doctor.Finding {
	r := doctor.NewReport()
	if of, ok := host.Find(h.Host); ok {
		r.AddHost(h, of, "")
	}
	r.Sort()
	return r.Findings
}

// addHostDetails adds the files and events of a host, whether it runs and trusts checkrein's hooks,
// and what was proven about it.
func addHostDetails(s *report.Report, t *term.Table, h *install.Report) {
	item := func(name, text string) {
		if text != "" {
			t.AddBelow(term.Label(name, 9), term.P(text))
		}
	}
	for _, site := range h.Installed {
		paths := make([]string, len(site.Files))
		for i, f := range site.Files {
			paths[i] = s.ShortPath(f.Path)
		}
		item(string(site.Scope), strings.Join(paths, ", "))
		item("", term.FormatCount(len(site.Events), "event")+": "+strings.Join(site.Events, ", "))
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

// provenText returns the tested version, when it was tested, and how many rows had each result.
func provenText(p *install.Proof) string {
	count := map[capability.Result]int{}
	for _, r := range p.Rows {
		count[r]++
	}
	var parts []string
	for _, r := range capability.AllResults() {
		if count[r] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[r], r))
		}
	}
	return fmt.Sprintf("%s (%s) on %s by checkrein %s: %s", cmp.Or(p.Version, "this build"), p.Mode, p.Time.Local().Format(time.DateOnly), p.Checkrein, strings.Join(parts, ", "))
}

// checkText returns the state of c and, if it has one, the reason.
func checkText(c install.Check) string {
	if c.Why == "" {
		return string(c.State)
	}
	return string(c.State) + ": " + c.Message().String()
}

// seenText returns how many events of a host arrived, and how long ago the last one did.
func seenText(s *report.Report, seen install.Seen) string {
	switch {
	case seen.Why != "":
		return "events unknown: " + seen.Why
	case seen.Count == 0:
		return "no events yet"
	case seen.Last == nil:
		return term.FormatCount(seen.Count, "event")
	}
	return term.FormatCount(seen.Count, "event") + ", last " + s.Ago(*seen.Last)
}
