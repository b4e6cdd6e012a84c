package hooks

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// below says what is wrong with a hook, and what to do.
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
		s.runs(t, l)
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

// details are for who wants to know all.
func (s *hookScreen) details(t *term.Table, l *hookLine, catch *ran) {
	item := func(name, text string) { t.Below(term.T(term.Faint, name+" "), term.P(text)) }
	if l.Shows != l.ID {
		t.Below(term.T(term.Faint, "runs "), term.Code(term.Plain, s.near(base.OneLine(l.Shows))))
	}
	var lines []string
	for _, h := range l.all {
		lines = append(lines, strings.TrimPrefix(h.Origin, WithoutLine(h.Origin)+":"))
	}
	if l.Origin != byDefault {
		item("line", strings.Join(lines, ", "))
	}
	for i, h := range l.all {
		if h.Latency != nil {
			item("takes", fmt.Sprintf("%s (median), %s (95th percentile), on %s", brief(h.Latency.Median), brief(h.Latency.P95), l.on[i]))
		}
	}
	if catch != nil {
		item("last acted:", catchText(catch))
	}
	for _, h := range l.all {
		if h.Earlier {
			t.Below(term.P("its definition has changed since it last ran"))
			break
		}
	}
}

// runLines is how much of what would run is listed.
const runLines = 6

// runs shows what a person's own hook would run of the project.
func (s *hookScreen) runs(t *term.Table, l *hookLine) {
	for _, r := range l.Runs {
		t.Below(term.P("would run " + partName(base.RelativePath(s.root, r.Path), r.Part) + ":"))
		n := 0
		for line := range strings.Lines(r.Text) {
			if n++; n <= runLines {
				t.Under(8, term.P("| "+strings.TrimRight(line, "\n")))
			}
		}
		if n > runLines || n == 0 {
			t.Below(s.Remedy(message.Run(l.look, "to see all of it"))...)
		}
	}
}

// drifted says what is not as it was approved, with the times of the files.
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
		text += ", session " + audit.ShortSession(c.Session) + " of " + c.Host
	}
	if c.Reason != "" {
		text += ": " + base.OneLine(c.Reason)
	}
	return text
}

// brief is a time in three digits.
func brief(ms float64) string {
	switch {
	case ms < 0.1:
		return fmt.Sprintf("%.0f µs", ms*1000)
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
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
