package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/junit"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A result is a report as --json prints it.
type result struct {
	Version   int      `json:"version"` // of this format
	Calls     int      `json:"calls"`
	Unchanged int      `json:"unchanged"`
	Changes   []change `json:"changes"`
	Lost      []lost   `json:"cannot_be_replayed"`
	Builds    int      `json:"changed_from_other_builds,omitempty"`
	Skipped   []string `json:"not_read,omitempty"`
	Damage    []string `json:"damage,omitempty"` // then the rest is empty
	Failed    []string `json:"failed,omitempty"` // the directions of --fail-on that are not empty
}

// A change has the changes in one direction.
type change struct {
	Direction string `json:"direction"`
	Title     string `json:"-"`
	Count     int    `json:"count"`
	Rules     []rule `json:"rules"`
}

// A rule has the changes that a rule made in one direction.
type rule struct {
	Rule     string           `json:"rule"`
	Count    int              `json:"count"`
	Examples []replay.Example `json:"examples"`
}

// A lost counts the calls that could not be decided again for a reason.
type lost struct {
	Reason  string `json:"reason"`
	Kind    string `json:"kind"`
	What    string `json:"what,omitempty"`
	Count   int    `json:"count"`
	Example string `json:"example"`
}

// newResult returns r as a result.
func (f *flags) newResult(r *replay.Report) *result {
	out := &result{Version: 1, Calls: r.Calls, Unchanged: r.Unchanged, Changes: []change{}, Lost: []lost{}, Builds: r.Builds, Skipped: r.Skipped, Damage: r.Damage}
	for i := range r.Groups {
		g := &r.Groups[i]
		c := change{Direction: g.Name, Title: g.Title, Count: g.Count}
		for _, one := range g.Rules {
			c.Rules = append(c.Rules, rule{one.Name, one.Count, append([]replay.Example{}, one.Examples...)})
		}
		out.Changes = append(out.Changes, c)
		if slices.Contains(f.failOn, g.Name) || slices.Contains(f.failOn, anyChange) {
			out.Failed = append(out.Failed, g.Name)
		}
	}
	if len(r.Lost) > 0 && slices.Contains(f.failOn, notReplayed) {
		out.Failed = append(out.Failed, notReplayed)
	}
	for i := range r.Lost {
		l := &r.Lost[i]
		out.Lost = append(out.Lost, lost{l.String(), l.Kind, l.What, l.Count, l.Example})
	}
	return out
}

// print prints the report, and returns an error if it has damage or changes that --fail-on names.
func (f *flags) print(env *console.Env, r *replay.Report) error {
	out := f.newResult(r)
	var err error
	if f.junit != "" {
		err = writeJUnit(env.Path(f.junit), out)
	}
	switch {
	case err != nil:
	case f.json:
		err = base.PrintJSON(env, out)
	case f.markdown:
		_, err = fmt.Fprint(env.Stdout, f.formatMarkdown(out))
	default:
		err = f.newScreen(env, out).Show()
	}
	return base.OrFinding(base.AsFailure(err), len(out.Damage)+len(out.Failed) > 0, "the policy changes decisions, or a ledger was tampered with")
}

// headline returns the counts in one line.
func (r *result) headline() string {
	if r.Calls == 0 && len(r.Damage) == 0 {
		return "no calls, so nothing was compared"
	}
	if len(r.Damage) > 0 {
		return "nothing was decided again, because the records were tampered with or damaged"
	}
	changed, lost := 0, 0
	for _, c := range r.Changes {
		changed += c.Count
	}
	for _, l := range r.Lost {
		lost += l.Count
	}
	return fmt.Sprintf("%s: %s changed, %s unchanged, %s cannot be replayed", term.FormatCount(r.Calls, "call"), term.FormatNumber(changed), term.FormatNumber(r.Unchanged), term.FormatNumber(lost))
}

// arrow returns how the answer to a call changed.
func arrow(e *replay.Example) string {
	if e.Was.Word == e.Is.Word {
		return e.Is.Word + ", by " + deciders(&e.Was) + " → " + deciders(&e.Is)
	}
	return e.Was.Word + " → " + e.Is.Word
}

// deciders returns what decided a, or what its verdict does.
func deciders(a *replay.Answer) string {
	var out []string
	for i := range a.By {
		if name := a.By[i].Name(); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if out = append(out, a.Effects...); len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// shownCall returns the call of an example for people.
func shownCall(e *replay.Example) string {
	text := e.Tool
	if text == "" {
		text = e.Event
	}
	if e.Call != "" {
		text += ": " + e.Call
	}
	return visible.EscapeLine(text)
}

// newScreen returns the report for people.
func (f *flags) newScreen(env *console.Env, r *result) *report.Report {
	s := report.New(env)
	style := term.Good
	if len(r.Changes)+len(r.Lost) > 0 || r.Calls == 0 {
		style = term.Warn
	}
	if len(r.Damage)+len(r.Failed) > 0 {
		style = term.Bad
	}
	s.Text(0, 2, term.Mark(style), term.P(" "), term.T(term.Strong, r.headline()))
	for _, text := range r.Damage {
		s.Point(1, visible.EscapeLine(text))
	}
	if len(r.Damage) > 0 {
		if f.badLedger {
			s.Text(2, 4, term.P("for details, run "), term.Command("checkrein audit verify"))
		}
		return s
	}
	for _, c := range r.Changes {
		s.BeginSection(fmt.Sprintf("%s: %s", c.Title, term.FormatNumber(c.Count)))
		for _, one := range c.Rules {
			s.Text(2, 4, term.T(term.Name, one.Rule), term.P("  "+term.FormatNumber(one.Count)))
			for i := range one.Examples {
				e := &one.Examples[i]
				s.Text(4, 6, term.T(term.Strong, e.ID), term.P("  "+arrow(e)+"  "), term.Code(term.Plain, shownCall(e)))
			}
		}
	}
	if len(r.Lost) > 0 {
		s.BeginSection("Cannot be replayed")
	}
	for _, l := range r.Lost {
		s.Text(2, 4, term.P(term.FormatNumber(l.Count)+"  "+visible.EscapeLine(l.Reason)+", such as "), term.T(term.Strong, l.Example))
	}
	if r.Builds > 0 {
		s.Text(0, 0, term.T(term.Faint, term.FormatCount(r.Builds, "changed call")+" decided by another build of checkrein"))
	}
	for _, text := range r.Skipped {
		s.Text(0, 2, term.T(term.Warn, "not read: "), term.P(s.ShortenPaths(visible.EscapeLine(text))))
	}
	if r.hasRecord() {
		s.Blank()
		s.Text(0, 0, term.T(term.Faint, "to see one call under both, run "), term.Command("checkrein explain ID"+f.policyFlag()))
	}
	return s
}

// hasRecord reports whether an example is a record of this machine's ledger, which explain can show.
func (r *result) hasRecord() bool {
	return slices.ContainsFunc(r.Changes, func(c change) bool {
		return slices.ContainsFunc(c.Rules, func(one rule) bool {
			return slices.ContainsFunc(one.Examples, func(e replay.Example) bool { return !e.InFile })
		})
	})
}

// policyFlag returns the flag for the new policy, after a space, or "" without one.
func (f *flags) policyFlag() string {
	if f.policy == "" {
		return ""
	}
	return " --policy " + f.policy
}

// Marker is the first line of the Markdown, by which a script finds its comment again.
const marker = "<!-- checkrein replay -->"

// formatMarkdown returns the report as Markdown.
func (f *flags) formatMarkdown(r *result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### checkrein replay\n\n**%s**\n", marker, r.headline())
	for i, text := range r.Damage {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", code(text))
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "\n#### %s: %d\n\n| rule | calls | example | answer | call |\n|---|---:|---|---|---|\n", c.Title, c.Count)
		for _, one := range c.Rules {
			name, count := code(one.Rule), fmt.Sprint(one.Count)
			for i := range one.Examples {
				e := &one.Examples[i]
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, count, code(e.ID), cell(arrow(e)), code(shownCall(e)))
				name, count = "", ""
			}
			if len(one.Examples) == 0 {
				fmt.Fprintf(&b, "| %s | %s | | | |\n", name, count)
			}
		}
	}
	if len(r.Lost) > 0 {
		b.WriteString("\n<details><summary>Cannot be replayed</summary>\n\n| calls | why | example |\n|---:|---|---|\n")
		for _, l := range r.Lost {
			fmt.Fprintf(&b, "| %d | %s | %s |\n", l.Count, cell(l.Reason), code(l.Example))
		}
		b.WriteString("\n</details>\n")
	}
	return b.String()
}

// code returns text as code in a cell of a table.
func code(text string) string {
	text = strings.ReplaceAll(visible.EscapeLine(text), "|", "\\|")
	if !strings.Contains(text, "`") {
		return "`" + text + "`"
	}
	return "`` " + strings.ReplaceAll(text, "``", "` `") + " ``"
}

// cell returns text for a cell of a table, without markup.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "&", "&amp;", "`", "'", "@", "&#64;").Replace(visible.EscapeLine(text))
}

// writeJUnit writes the report to the file at path, with a test for each direction and rule. It fails if
// --fail-on names the direction; reasons for which calls cannot be replayed are skipped tests.
func writeJUnit(path string, r *result) error {
	out := junit.Suite{Name: "checkrein replay"}
	add := func(c junit.Case) { out.Cases = append(out.Cases, c) }
	for _, text := range r.Damage {
		add(junit.Case{Class: "damage", Name: text, Failure: &junit.Note{Message: r.headline(), Text: text}})
	}
	for _, c := range r.Changes {
		for _, one := range c.Rules {
			var lines []string
			for i := range one.Examples {
				e := &one.Examples[i]
				lines = append(lines, visible.EscapeLine(e.ID+"  "+arrow(e)+"  ")+shownCall(e))
			}
			t := junit.Case{Class: c.Direction, Name: one.Rule}
			if text := strings.Join(lines, "\n"); slices.Contains(r.Failed, c.Direction) {
				t.Failure = &junit.Note{Message: fmt.Sprintf("%s: %s", c.Title, term.FormatCount(one.Count, "call")), Text: text}
			} else {
				t.Output = text
			}
			add(t)
		}
	}
	for _, l := range r.Lost {
		add(junit.Case{Class: "cannot-be-replayed", Name: l.Reason, Skipped: &junit.Note{Message: term.FormatCount(l.Count, "call")}})
	}
	if len(r.Damage) == 0 {
		add(junit.Case{Class: "unchanged", Name: term.FormatCount(r.Unchanged, "call")})
	}
	return junit.WriteFile(path, out.Name, out)
}
