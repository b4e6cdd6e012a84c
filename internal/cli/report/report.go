// Package report collects the output of a command as sections of items and messages, and prints it for
// people or as JSON.
package report

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Report is the output of a command. Its methods add to it; Print prints all of it.
type Report struct {
	*term.Screen // has the width, and formats times and paths
	Sections     []Section
	Messages     []Message // the messages in the sections, for JSON
	reasons      []string  // the reasons that the report contains, from NoteReason
}

// A Section is a part of a report, with a blank line before it.
type Section struct {
	Title string // may be ""
	Items []Item
}

// An Item is a table or text in a section.
type Item struct {
	Indent int
	Table  *term.Table
	Hang   int // the indentation of further lines of the text
	Text   []term.Span
	Line   bool // do not wrap Text
}

// New returns an empty report for standard output.
func New(env *console.Env) *Report {
	return &Report{Screen: base.Screen(env, env.Stdout), Messages: []Message{}}
}

// Print prints data as JSON if asJSON is set, and the report for people otherwise.
func (r *Report) Print(env *console.Env, asJSON bool, data any) error {
	if asJSON {
		return base.PrintJSON(env, data)
	}
	return r.Show()
}

// Show prints the report for people.
func (r *Report) Show() error {
	for i, s := range r.Sections {
		if i > 0 {
			r.Screen.Blank()
		}
		if s.Title != "" {
			r.Screen.Text(0, 0, term.T(term.Title, s.Title))
		}
		for _, it := range s.Items {
			switch {
			case it.Table != nil:
				r.Screen.Table(it.Indent, it.Table)
			case it.Line:
				r.Screen.Line(it.Text...)
			default:
				r.Screen.Text(it.Indent, it.Hang, it.Text...)
			}
		}
	}
	return r.Err()
}

// BeginSection begins a section with a title.
func (r *Report) BeginSection(title string) { r.Sections = append(r.Sections, Section{Title: title}) }

// Blank begins a section without a title.
func (r *Report) Blank() { r.BeginSection("") }

// add adds an item to the last section.
func (r *Report) add(it Item) {
	if len(r.Sections) == 0 {
		r.BeginSection("")
	}
	last := &r.Sections[len(r.Sections)-1]
	last.Items = append(last.Items, it)
}

// Text adds text that is wrapped as [term.Screen.Text] does.
func (r *Report) Text(indent, hang int, spans ...term.Span) {
	r.add(Item{Indent: indent, Hang: hang, Text: spans})
}

// Line adds a line that is not wrapped.
func (r *Report) Line(spans ...term.Span) { r.add(Item{Line: true, Text: spans}) }

// Fit adds a line, truncated to the width of the screen.
func (r *Report) Fit(spans ...term.Span) {
	if w := r.Width(); w > 0 {
		spans = term.Truncate(spans, w)
	}
	r.Line(spans...)
}

// Table adds a table.
func (r *Report) Table(indent int, t *term.Table) { r.add(Item{Indent: indent, Table: t}) }

// NoteReason notes that the report contains this reason, so that Unless and Repeats do not repeat it.
func (r *Report) NoteReason(reason string) {
	if reason != "" {
		r.reasons = append(r.reasons, reason)
	}
}

// ReasonUnlessShown returns reason after prefix, or "" if the report contains the reason.
func (r *Report) ReasonUnlessShown(prefix, reason string) string {
	if slices.Contains(r.reasons, reason) {
		return ""
	}
	return prefix + reason
}

// Repeats reports whether text contains a reason that the report contains.
func (r *Report) Repeats(text string) bool {
	return slices.ContainsFunc(r.reasons, func(reason string) bool { return strings.Contains(text, reason) })
}

// LabelWidth is the width of a label, including the space after it.
const LabelWidth = 11

// Item adds a labelled value, or nothing if value is "". Further lines of the value are indented like
// the first.
func (r *Report) Item(label, value string) { r.StyledItem(label, term.Plain, value) }

// StyledItem is Item with a style for the value.
func (r *Report) StyledItem(label string, style term.Style, value string) {
	r.addValue(label, value, func(line string) term.Span { return term.T(style, line) })
}

// Code is Item for a value whose lines are not wrapped: a command, a path or data.
func (r *Report) Code(label, value string) {
	r.addValue(label, value, func(line string) term.Span { return term.Code(term.Plain, line) })
}

// addValue adds a labelled value. span formats each of its lines.
func (r *Report) addValue(label, value string, span func(line string) term.Span) {
	if value == "" {
		return
	}
	for i, line := range Lines(r.ShortenPaths(value)) {
		if i > 0 {
			r.Text(2+LabelWidth, 2+LabelWidth, span(line))
			continue
		}
		r.Text(2, 2+LabelWidth, term.Label(label, LabelWidth), span(line))
	}
}

// Point adds a sentence, indented by depth levels.
func (r *Report) Point(depth int, text string) { r.StyledPoint(depth, term.Plain, text) }

// StyledPoint is Point with a style.
func (r *Report) StyledPoint(depth int, style term.Style, text string) {
	for i, line := range Lines(r.ShortenPaths(text)) {
		indent := 2 * depth
		if i > 0 {
			indent += 2
		}
		r.Text(indent, 2*depth+2, term.T(style, line))
	}
}

// Lines returns the lines of text, with tabs replaced by spaces.
func Lines(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    "), "\n")
}
