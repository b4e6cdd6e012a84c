// Package report prints the reports of commands.
package report

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/term"
)

// A Paper is a text for people in parts, each with a title.
type Paper struct {
	*term.Screen
	Begun   bool
	reasons []string // those that the text has already
}

func NewPaper(s *term.Screen) *Paper { return &Paper{Screen: s} }

// NoteReason records a reason that the text contains.
func (p *Paper) NoteReason(reason string) {
	if reason != "" {
		p.reasons = append(p.reasons, reason)
	}
}

// WithoutShown returns a sentence without a reason that the text contains already.
func (p *Paper) WithoutShown(text string) string {
	for _, reason := range p.reasons {
		before, after, ok := strings.Cut(text, ": "+reason)
		if ok && (after == "" || after[0] == ';') {
			return before + after
		}
	}
	return text
}

// Repeats reports whether a text repeats a reason that the paper contains already.
func (p *Paper) Repeats(text string) bool {
	return slices.ContainsFunc(p.reasons, func(reason string) bool { return strings.Contains(text, reason) })
}

// Section begins a part.
func (p *Paper) Section(title string) {
	if p.Begun {
		p.Blank()
	}
	p.Begun = true
	p.Line(term.T(term.Title, title))
}

// LabelWidth is how wide the labels of items are, with the space after them.
const LabelWidth = 11

// Item prints one labelled value, nothing when it is empty; further lines of the value
// begin below the first.
func (p *Paper) Item(label, value string) { p.Styled(label, term.Plain, value) }

func (p *Paper) Styled(label string, style term.Style, value string) {
	p.printItem(label, value, func(line string) term.Span { return term.T(style, line) })
}

// Code is an item whose lines are not broken: a command, a path or data.
func (p *Paper) Code(label, value string) {
	p.printItem(label, value, func(line string) term.Span { return term.Code(term.Plain, line) })
}

func (p *Paper) printItem(label, value string, span func(line string) term.Span) {
	if value == "" {
		return
	}
	for i, line := range Lines(p.Home(value)) {
		if i > 0 {
			p.Text(2+LabelWidth, 2+LabelWidth, span(line))
			continue
		}
		p.Text(2, 2+LabelWidth, term.Label(label, LabelWidth), span(line))
	}
}

// Point prints one sentence, indented by so many steps.
func (p *Paper) Point(depth int, text string) { p.StyledPoint(depth, term.Plain, text) }

func (p *Paper) StyledPoint(depth int, style term.Style, text string) {
	for i, line := range Lines(p.Home(text)) {
		indent := 2 * depth
		if i > 0 {
			indent += 2
		}
		p.Text(indent, 2*depth+2, term.T(style, line))
	}
}

// Lines are the lines of a value, with room in place of tabs.
func Lines(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    "), "\n")
}
