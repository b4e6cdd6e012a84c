package desk

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/term"
)

// A paper is a text for people in parts, each with a title.
type paper struct {
	*term.Screen
	begun   bool
	reasons []string // those that the text has already
}

func newPaper(s *term.Screen) *paper { return &paper{Screen: s} }

// noteReason records a reason that the text contains.
func (p *paper) noteReason(reason string) {
	if reason != "" {
		p.reasons = append(p.reasons, reason)
	}
}

// withoutShown returns a sentence without a reason that the text contains already.
func (p *paper) withoutShown(text string) string {
	for _, reason := range p.reasons {
		before, after, ok := strings.Cut(text, ": "+reason)
		if ok && (after == "" || after[0] == ';') {
			return before + after
		}
	}
	return text
}

// repeats reports whether a text repeats a reason that the paper contains already.
func (p *paper) repeats(text string) bool {
	return slices.ContainsFunc(p.reasons, func(reason string) bool { return strings.Contains(text, reason) })
}

// section begins a part.
func (p *paper) section(title string) {
	if p.begun {
		p.Blank()
	}
	p.begun = true
	p.Line(term.T(term.Title, title))
}

// labelWidth is how wide the labels of items are, with the space after them.
const labelWidth = 11

// item prints one labelled value, nothing when it is empty; further lines of the value
// begin below the first.
func (p *paper) item(label, value string) { p.styled(label, term.Plain, value) }

func (p *paper) styled(label string, style term.Style, value string) {
	p.printItem(label, value, func(line string) term.Span { return term.T(style, line) })
}

// code is an item whose lines are not broken: a command, a path or data.
func (p *paper) code(label, value string) {
	p.printItem(label, value, func(line string) term.Span { return term.Code(term.Plain, line) })
}

func (p *paper) printItem(label, value string, span func(line string) term.Span) {
	if value == "" {
		return
	}
	for i, line := range linesOf(p.Home(value)) {
		if i > 0 {
			p.Text(2+labelWidth, 2+labelWidth, span(line))
			continue
		}
		p.Text(2, 2+labelWidth, term.Label(label, labelWidth), span(line))
	}
}

// point prints one sentence, indented by so many steps.
func (p *paper) point(depth int, text string) { p.say(depth, term.Plain, text) }

func (p *paper) say(depth int, style term.Style, text string) {
	for i, line := range linesOf(p.Home(text)) {
		indent := 2 * depth
		if i > 0 {
			indent += 2
		}
		p.Text(indent, 2*depth+2, term.T(style, line))
	}
}

// advice prints what a person can do. What they copy stays in one piece: a command, or
// the line for a file.
func (p *paper) advice(depth int, text string) {
	text = strings.Replace(p.Home(text), "  (", " (", 1) // where a command must be given
	spans := spoken(text)
	if place, line, ok := strings.Cut(text, ": "); ok && (strings.HasPrefix(line, "packs: ") || strings.HasPrefix(line, "{")) {
		spans = []term.Span{term.P(place + ": "), term.Command(line)}
	}
	p.Text(2*depth, 2*depth+2, spans...)
}

// linesOf are the lines of a value, with room in place of tabs.
func linesOf(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    "), "\n")
}
