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

// A hookScreen is a report about hooks.
type hookScreen struct {
	*report.Report
	root    string
	on      bool
	verbose bool
}

// report returns the list for people.
func (r *listReport) report(env *console.Env, verbose bool) *report.Report {
	s := &hookScreen{report.New(env), r.Root, r.On, verbose}
	s.head(r)
	s.hooks(r)
	s.git(r)
	for _, v := range r.Vanished {
		s.Message(term.Bad, "vanished", v)
	}
	for _, p := range r.Problems {
		s.Message(term.Warn, "unknown", p)
	}
	if l := r.Ledger; l != nil && !l.Whole {
		s.Text(0, 2, term.T(term.Faint, "runs are counted only in the newest "+term.Count(l.Records, "record")+", since "+s.Clock(l.Since)))
	}
	return s.Report
}

// head reports whether hooks are on, and what is not as it comes.
func (s *hookScreen) head(r *listReport) {
	if r.On {
		s.Line(term.Mark(term.Good), term.P(" hooks are on"))
	} else {
		s.Message(term.Bad, "", OffMessage)
	}
	for _, line := range slices.Concat(r.Off, r.Guards) {
		s.Message(term.Warn, "", line)
	}
	for _, f := range r.Files {
		if f.Broken {
			s.Message(term.Bad, "", message.New(s.near(f.Path)+" has an error", f.Remedies...))
		} else if s.verbose {
			s.Text(0, 2, term.Mark(term.Plain), term.P(" "+s.near(f.Path)+"  "+term.Count(f.Hooks, "hook")), term.T(term.Faint, " ("+f.Scope+")"))
		}
	}
	s.guards(r)
}

// guards describes in one line which guards are on by default, where none of them is in
// trouble.
func (s *hookScreen) guards(r *listReport) {
	var on []string
	mark := term.Good
	for i := range r.Hooks {
		h := &r.Hooks[i]
		if !h.usual() {
			continue
		}
		text := guardText[h.Shows]
		if h.Shows == "packs" {
			text = term.Count(len(shell.PackNames())+len(packs.SelfPacks)-len(r.PacksOff), "pack") + " on"
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

// guardText is what a guard does that is on by default.
var guardText = map[string]string{"packs": "packs on", "guard_secrets": "secrets redacted", "protect_paths": "checkrein and your keys protected"}

// usual reports whether a hook is a guard that is on by default and in no trouble.
func (h *hookReport) usual() bool { return h.Origin == byDefault && h.fine() }

// fine reports whether a hook does its work, as far as anyone knows.
func (h *hookReport) fine() bool { return h.Health == "ok" || h.Health == "never run" }

// A hookLine is a hook with all events that it is on.
type hookLine struct {
	*hookReport          // on the first of them
	on          []string // events, with what is matched
	all         []*hookReport
}

// lines puts what is one hook for its author together: one name in one file that runs
// the same, whatever events it is on.
func (s *hookScreen) lines(r *listReport) []*hookLine {
	var out []*hookLine
	for i := range r.Hooks {
		h := &r.Hooks[i]
		if h.usual() && !s.verbose {
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
				l.Approval == h.Approval && l.Mode == h.Mode && (l.Health == h.Health || l.fine() && h.fine())
		})
		if k < 0 {
			k, out = len(out), append(out, &hookLine{hookReport: h})
		}
		out[k].on = append(out[k].on, on)
		out[k].all = append(out[k].all, h)
	}
	return out
}

// hooks prints a row for each hook, by the file that it is from.
func (s *hookScreen) hooks(r *listReport) {
	lines := s.lines(r)
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
		file := l.Scope + ": " + s.near(WithoutLine(l.Origin))
		if l.Origin == byDefault {
			file = "on by default"
		}
		if file != from {
			from = file
			t.Under(0, term.T(term.Title, file))
		}
		s.row(t, l)
	}
	s.Blank()
	s.Table(0, t)
}

func (s *hookScreen) row(t *term.Table, l *hookLine) {
	mark, style := term.Good, term.Plain
	switch {
	case l.Health == "off", l.Health == "faulted":
		mark, style = term.Warn, term.Warn
	case !l.fine():
		mark, style = term.Bad, term.Bad
	case !s.on && l.Scope != "managed":
		mark = term.Plain
	case l.Mode != "":
		mark, style = term.Warn, term.Warn
	}
	state := l.Health
	if l.fine() {
		if state = l.Approval; state == "not needed" {
			state = s.works(l)
		} else if l.Mode != "" {
			state += ", " + l.Mode
		}
	} else if l.Approval == "not approved" && l.Health != l.Approval {
		state += ", not approved"
	}
	last, catch := latest(l.all, func(h *hookReport) *ran { return h.LastRun }), latest(l.all, func(h *hookReport) *ran { return h.LastCatch })
	runs, _, _ := strings.Cut(s.near(l.Shows), "\n")
	if runs == l.ID {
		runs = ""
	}
	t.Row([]term.Span{term.Mark(mark), term.P(" "), term.T(term.Name, l.ID)}, []term.Span{term.P(strings.Join(l.on, ", "))}, []term.Span{term.T(term.Faint, runs)},
		[]term.Span{term.P(s.ago(last))}, []term.Span{term.P(s.ago(catch))}, []term.Span{term.T(style, state)})
	s.below(t, l)
	if s.verbose && catch != nil {
		t.Below(term.T(term.Faint, "last acted: "), term.P(catchText(catch)))
	}
}

// works is the state of a hook that needs no approval.
func (s *hookScreen) works(l *hookLine) string {
	if !s.on && l.Scope != "managed" {
		return "off"
	}
	state := cmp.Or(l.Mode, "on")
	if l.implied {
		state += ", built in"
	}
	return state
}

// latest is the last of what the parts of a hook did.
func latest(list []*hookReport, of func(*hookReport) *ran) *ran {
	var out *ran
	for _, h := range list {
		if r := of(h); r != nil && (out == nil || r.At.After(out.At)) {
			out = r
		}
	}
	return out
}

func (s *hookScreen) ago(r *ran) string {
	if r == nil {
		return "never"
	}
	return s.Ago(r.At)
}

// near is a path as seen from the project, or from home.
func (s *hookScreen) near(path string) string {
	if filepath.IsAbs(path) {
		return s.Path(base.RelativePath(s.root, path))
	}
	return path
}

// below reports what is wrong with a hook, and what to do.
func (s *hookScreen) below(t *term.Table, l *hookLine) {
	if l.Folder != "" {
		t.Below(term.P("in the folder " + l.Folder))
	}
	if l.Health != "changed" && l.Health != "not approved" {
		s.say(t, l.HealthWhy)
	}
	if l.Approval == "not approved" && l.Health != "missing" {
		s.say(t, l.Why)
	}
	if l.Health != "missing" {
		s.drifted(t, l)
	}
	for _, r := range l.Remedies {
		t.Below(s.Remedy(r)...)
	}
}

// say adds a sentence below a hook.
func (s *hookScreen) say(t *term.Table, text string) {
	if text != "" {
		t.Below(term.P(s.Home(base.OneLine(text))))
	}
}

// drifted reports what is not as it was approved, with the times of the files.
func (s *hookScreen) drifted(t *term.Table, l *hookLine) {
	if l.Approval == "changed" && len(l.Drift) == 0 {
		s.say(t, l.Why)
	}
	for _, d := range l.Drift {
		text := d.Name + " " + d.Why
		if !d.MTime.IsZero() {
			text += ", written " + s.Ago(d.MTime)
		}
		if !d.Approved.IsZero() {
			text += ", approved at " + s.Clock(d.Approved)
		}
		s.say(t, text)
	}
}

func catchText(c *ran) string {
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

// git shows the layer that git runs itself.
func (s *hookScreen) git(r *listReport) {
	g := r.Git
	if g == nil {
		return
	}
	where := s.near(g.Path)
	if g.Setting != "" {
		where += ", set by core.hooksPath in " + s.near(g.From)
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
			s.Message(term.Bad, "", message.New(filepath.Base(h.Path)+" "+h.Health))
		}
	}
	for _, w := range g.Warnings {
		s.Message(term.Warn, "", message.New(w))
	}
}
