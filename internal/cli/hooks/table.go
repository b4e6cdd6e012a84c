package hooks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A hookScreen is the screen of hooks list.
type hookScreen struct {
	*report.Report
	root    string
	on      bool
	verbose bool
}

// report returns the screen for r.
func (r *listReport) report(env *console.Env, verbose bool) *report.Report {
	s := &hookScreen{report.New(env), r.Root, r.On, verbose}
	s.addHead(r)
	s.addHooks(r)
	s.addGit(r)
	for _, v := range r.Vanished {
		s.AddMessage(term.Bad, "vanished", v)
	}
	for _, p := range r.Problems {
		s.AddMessage(term.Warn, "unknown", p)
	}
	if l := r.Ledger; l != nil && !l.Whole {
		s.Text(0, 2, term.T(term.Faint, "runs are counted only in the newest "+term.FormatCount(l.Records, "record")+", since "+s.FormatClock(l.Since)))
	}
	return s.Report
}

// addHead adds whether hooks are on, broken files, and what differs from the defaults.
func (s *hookScreen) addHead(r *listReport) {
	if r.On {
		s.Line(term.Mark(term.Good), term.P(" hooks are on"))
	} else {
		s.AddMessage(term.Bad, "", OffMessage)
	}
	for _, line := range slices.Concat(r.Off, r.Guards) {
		s.AddMessage(term.Warn, "", line)
	}
	for _, f := range r.Files {
		if f.Broken {
			s.AddMessage(term.Bad, "", message.New(s.shortPath(f.Path)+" has an error", f.Remedies...))
		} else if s.verbose {
			s.Text(0, 2, term.Mark(term.Plain), term.P(" "+s.shortPath(f.Path)+"  "+term.FormatCount(f.Hooks, "hook")), term.T(term.Faint, " ("+f.Scope+")"))
		}
	}
	s.addGuards(r)
}

// addGuards adds one line that lists the default guards that work. With -v they are listed as hooks
// instead.
func (s *hookScreen) addGuards(r *listReport) {
	var on []string
	mark := term.Good
	for i := range r.Hooks {
		h := &r.Hooks[i]
		if !h.isWorkingDefault() {
			continue
		}
		text := guardText[h.Shows]
		if h.Shows == "packs" {
			text = term.FormatCount(len(shell.PackNames())+len(packs.SelfPacks)-len(r.PacksOff), "pack") + " on"
		}
		if h.Mode != "" && text != "" {
			mark, text = term.Warn, text+" ("+h.Mode+")"
		}
		if text != "" && !slices.Contains(on, text) {
			on = append(on, text)
		}
	}
	if len(on) == 0 || s.verbose {
		return
	}
	if !r.On {
		mark = term.Plain
	}
	s.Text(0, 2, term.Mark(mark), term.P(" default guards: "+strings.Join(on, ", ")), term.T(term.Faint, " (-v lists them)"))
}

// guardText has a short description of each default guard.
var guardText = map[string]string{"packs": "packs on", "guard_secrets": "secrets redacted", "protect_paths": "checkrein and your keys protected"}

// isWorkingDefault reports whether h is a default guard that works.
func (h *hookReport) isWorkingDefault() bool { return h.Origin == byDefault && h.isHealthy() }

// isHealthy reports whether nothing is known to be wrong with h.
func (h *hookReport) isHealthy() bool { return h.Health == "ok" || h.Health == "never run" }

// A hookLine is a line of the list: one hook with all of its events.
type hookLine struct {
	*hookReport          // the hook on its first event
	on          []string // the events, with the matcher
	all         []*hookReport
}

// groupHooks returns a line for each hook as its author sees it: entries with the same name, file and
// command are one hook on several events.
func (s *hookScreen) groupHooks(r *listReport) []*hookLine {
	var out []*hookLine
	for i := range r.Hooks {
		h := &r.Hooks[i]
		if h.isWorkingDefault() && !s.verbose {
			continue
		}
		on := h.Event
		if on == "native:"+base.ServerEvent {
			on = "start of this MCP server"
		}
		if h.Match != "" && h.Match != "*" {
			on += " " + h.Match
		}
		k := slices.IndexFunc(out, func(l *hookLine) bool {
			return l.ID == h.ID && l.Scope == h.Scope && WithoutLine(l.Origin) == WithoutLine(h.Origin) && l.Shows == h.Shows && l.Folder == h.Folder &&
				l.Approval == h.Approval && l.Mode == h.Mode && (l.Health == h.Health || l.isHealthy() && h.isHealthy())
		})
		if k < 0 {
			k, out = len(out), append(out, &hookLine{hookReport: h})
		}
		out[k].on = append(out[k].on, on)
		out[k].all = append(out[k].all, h)
	}
	return out
}

// addHooks adds a table with a row for each hook, grouped by file.
func (s *hookScreen) addHooks(r *listReport) {
	lines := s.groupHooks(r)
	if len(lines) == 0 {
		if len(r.Hooks) == 0 {
			s.Line(term.P("no hooks"))
		} else if !s.verbose {
			s.Text(0, 2, term.Mark(term.Plain), term.P(" you have no hooks of your own here. To write a starter file, run "), term.Command("checkrein init"))
		}
		return
	}
	t := &term.Table{Columns: []term.Column{{Title: "HOOK", Give: 5, Least: 24}, {Title: "ON", Give: 3, Least: 14}, {Title: "RUNS", Give: 4, Least: 10}, {Title: "LAST RUN"}, {Title: "LAST ACTED"}, {Title: "STATE", Give: 1, Least: 12}}}
	from := ""
	for _, l := range lines {
		file := l.Scope + ": " + s.shortPath(WithoutLine(l.Origin))
		if l.Origin == byDefault {
			file = "on by default"
		}
		if file != from {
			from = file
			t.AddIndented(0, term.T(term.Title, file))
		}
		s.addRow(t, l)
	}
	s.Blank()
	s.Table(0, t)
}

// addRow adds the row of a hook to t, with its details below.
func (s *hookScreen) addRow(t *term.Table, l *hookLine) {
	mark, style := term.Good, term.Plain
	switch {
	case l.Health == "off", l.Health == "faulted":
		mark, style = term.Warn, term.Warn
	case !l.isHealthy():
		mark, style = term.Bad, term.Bad
	case !s.on && l.Scope != "managed":
		mark = term.Plain
	case l.Mode != "":
		mark, style = term.Warn, term.Warn
	}
	state := l.Health
	if l.isHealthy() {
		if state = l.Approval; state == "not needed" {
			state = s.stateText(l)
		} else if l.Mode != "" {
			state += ", " + l.Mode
		}
	} else if l.Approval == "not approved" && l.Health != l.Approval {
		state += ", not approved"
	}
	last, catch := latestRun(l.all, func(h *hookReport) *runRecord { return h.LastRun }), latestRun(l.all, func(h *hookReport) *runRecord { return h.LastCatch })
	runs, _, more := strings.Cut(s.shortPath(l.Shows), "\n")
	if more {
		runs += " …"
	}
	if runs == l.ID {
		runs = ""
	}
	t.AddRow([]term.Span{term.Mark(mark), term.P(" "), term.T(term.Name, l.ID)}, []term.Span{term.P(strings.Join(l.on, ", "))}, []term.Span{term.T(term.Faint, runs)},
		[]term.Span{term.P(s.ago(last))}, []term.Span{term.P(s.ago(catch))}, []term.Span{term.T(style, state)})
	s.addDetails(t, l)
	if s.verbose && catch != nil {
		t.AddBelow(term.T(term.Faint, "last acted: "), term.P(actionText(catch)))
	}
}

// stateText returns the state of a hook that needs no approval.
func (s *hookScreen) stateText(l *hookLine) string {
	if !s.on && l.Scope != "managed" {
		return "off"
	}
	state := cmp.Or(l.Mode, "on")
	if l.implied {
		state += ", built in"
	}
	return state
}

// latestRun returns the latest of the runs that of returns for the reports in list, or nil if there is
// none.
func latestRun(list []*hookReport, of func(*hookReport) *runRecord) *runRecord {
	var out *runRecord
	for _, h := range list {
		if r := of(h); r != nil && (out == nil || r.At.After(out.At)) {
			out = r
		}
	}
	return out
}

// ago returns how long ago r was, or "never" if r is nil.
func (s *hookScreen) ago(r *runRecord) string {
	if r == nil {
		return "never"
	}
	return s.Ago(r.At)
}

// shortPath returns an absolute path relative to the project or to the home directory, and other paths
// unchanged.
func (s *hookScreen) shortPath(path string) string {
	if filepath.IsAbs(path) {
		return s.ShortPath(base.RelativePath(s.root, path))
	}
	return path
}

// addDetails adds below a row what is wrong with its hook, and what to do.
func (s *hookScreen) addDetails(t *term.Table, l *hookLine) {
	if l.Folder != "" {
		t.AddBelow(term.P("in the folder " + l.Folder))
	}
	if l.Health != "changed" && l.Health != "not approved" {
		s.addSentence(t, l.HealthWhy)
	}
	if l.Approval == "not approved" && l.Health != "missing" {
		s.addSentence(t, l.Why)
	}
	if l.Health != "missing" {
		s.addDrift(t, l)
	}
	for _, r := range l.Remedies {
		t.AddBelow(s.RemedySpans(r)...)
	}
}

// addSentence adds text below a row, unless it is "".
func (s *hookScreen) addSentence(t *term.Table, text string) {
	if text != "" {
		t.AddBelow(term.P(s.ShortenPaths(base.OneLine(text))))
	}
}

// addDrift adds below a row what changed since its hook was approved, with the modification times of
// files.
func (s *hookScreen) addDrift(t *term.Table, l *hookLine) {
	if l.Approval == "changed" && len(l.Drift) == 0 {
		s.addSentence(t, l.Why)
	}
	for _, d := range l.Drift {
		text := d.Name + " " + d.Why
		if !d.MTime.IsZero() {
			text += ", written " + s.Ago(d.MTime)
		}
		if !d.Approved.IsZero() {
			text += ", approved at " + s.FormatClock(d.Approved)
		}
		s.addSentence(t, text)
	}
}

// actionText returns what a hook did in the run c, with its record and reason.
func actionText(c *runRecord) string {
	what := c.Decision
	if what != "deny" && what != "ask" {
		what = strings.Join(c.Effects, ", ")
	}
	text := fmt.Sprintf("%s, record %d", what, c.Record)
	if c.Session != "" {
		text += ", session " + c.Session + " of " + c.Host
	}
	if c.Reason != "" {
		text += ": " + base.OneLine(c.Reason)
	}
	return text
}

// addGit adds the hooks that git itself runs.
func (s *hookScreen) addGit(r *listReport) {
	g := r.Git
	if g == nil {
		return
	}
	where := s.shortPath(g.Path)
	if g.Setting != "" {
		where += ", set by core.hooksPath in " + s.shortPath(g.From)
	}
	var names []string
	for _, h := range g.Hooks {
		about := "not checkrein's"
		if h.Ours {
			about = "runs checkrein"
		}
		if !h.Tracked {
			about += ", not tracked by git"
		}
		names = append(names, h.Name+" ("+about+")")
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	if len(g.Hooks) > 0 || len(g.Warnings) > 0 || s.verbose {
		s.Blank()
		s.Text(0, 2, term.T(term.Title, "git hooks"), term.P(" in "+where+": "+strings.Join(names, ", ")))
	}
	for _, h := range g.Hooks {
		if h.Health != "ok" {
			s.AddMessage(term.Bad, "", message.New(filepath.Base(h.Path)+" "+h.Health))
		}
	}
	for _, w := range g.Warnings {
		s.AddMessage(term.Warn, "", message.New(w))
	}
}
