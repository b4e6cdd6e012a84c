package term

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// A Style is the meaning of a text, which determines its colour.
type Style uint8

// The styles. Their colours are in colourCodes.
const (
	Plain   Style = iota
	Strong        // text to be noticed first
	Faint         // text that may be skipped
	Good          // allowed, healthy, on
	Bad           // denied, broken, found
	Warn          // asked, changed, to be checked
	Name          // what users type: commands, rules, hooks
	Title         // the heading of a section
	Added         // an added line of a diff
	Removed       // a removed line of a diff
)

// colourCodes lists the terminal codes of the styles.
var colourCodes = [...]string{Strong: "1", Faint: "2", Good: "32", Bad: "1;31", Warn: "33", Name: "36", Title: "1", Added: "32", Removed: "31"}

// A Span is a text with one style. The text may come from anywhere: printing escapes whatever could
// control the terminal.
type Span struct {
	Style Style
	Text  string
	Whole bool // the text is never wrapped, as for a command to copy or a path
	Lines bool // line breaks in the text are kept
}

// T returns a span with this style.
func T(style Style, text string) Span { return Span{Style: style, Text: text} }

// P returns a plain span.
func P(text string) Span { return Span{Text: text} }

// Lines returns a plain span whose line breaks are kept, for a message of several lines. Tabs become
// spaces. The method Text indents further lines like those that it wraps.
func Lines(text string) Span { return Span{Text: ExpandTabs(strings.TrimSpace(text)), Lines: true} }

// ExpandTabs replaces each tab in lines of code with four spaces.
func ExpandTabs(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

// Command returns a span for a command that users copy.
func Command(text string) Span { return Span{Style: Name, Text: text, Whole: true} }

// Code returns a span for a command, a path or data, which is never wrapped.
func Code(style Style, text string) Span { return Span{Style: style, Text: text, Whole: true} }

// Label returns a faint span that is padded to width columns, so that the text after it is aligned.
func Label(text string, width int) Span {
	return Span{Style: Faint, Text: text + strings.Repeat(" ", max(0, width-Columns(text))), Whole: true}
}

// Mark returns the sign that begins a line about a state: ✓, ✗, ! or ·.
func Mark(style Style) Span {
	switch style {
	case Good:
		return T(Good, "✓")
	case Bad:
		return T(Bad, "✗")
	case Warn:
		return T(Warn, "!")
	}
	return T(Faint, "·")
}

// writeSpans writes spans to b with their colours.
func (s *Screen) writeSpans(b *bytes.Buffer, spans []Span) {
	for _, sp := range spans {
		text := visible.EscapeLine(sp.Text)
		if text == "" {
			continue
		}
		if look := s.colourCode(sp.Style); look != "" {
			b.WriteString("\x1b[" + look + "m" + text + "\x1b[0m")
			continue
		}
		b.WriteString(text)
	}
}

// colourCode returns the terminal code of a style, or "" if there is none or the screen has no
// colours.
func (s *Screen) colourCode(style Style) string {
	if !s.colour || int(style) >= len(colourCodes) {
		return ""
	}
	return colourCodes[style]
}

// Render returns spans as this screen prints them, for callers that print lines themselves.
func (s *Screen) Render(spans ...Span) string {
	var b bytes.Buffer
	s.writeSpans(&b, spans)
	return b.String()
}
