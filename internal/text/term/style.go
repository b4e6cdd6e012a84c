package term

import (
	"bytes"
	"strings"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// A Style is the meaning of a text, which determines its colour.
type Style uint8

// The styles. How each looks is in one place, looks.
const (
	Plain   Style = iota
	Strong        // what the eye should find first
	Faint         // what may be skipped
	Good          // allowed, healthy, on
	Bad           // denied, broken, found
	Warn          // asked, changed, to be looked at
	Name          // what a person types: commands, rules, hooks
	Title         // the head of a part
	Added         // a line of a difference
	Removed       // a line of a difference
)

// looks are the terminal codes of the styles.
var looks = [...]string{Strong: "1", Faint: "2", Good: "32", Bad: "1;31", Warn: "33", Name: "36", Title: "1", Added: "32", Removed: "31"}

// A Span is a text with one meaning. Text may come from anywhere: what could drive a
// terminal is spelled out when it is printed.
type Span struct {
	Style Style
	Text  string
	Whole bool // never broken over lines: a command to copy, a path
	Lines bool // Text keeps its line breaks
}

// T makes a span.
func T(style Style, text string) Span { return Span{Style: style, Text: text} }

// P makes a plain span.
func P(text string) Span { return Span{Text: text} }

// Lines makes a plain span whose line breaks and tabs Text keeps as layout: a message of
// several lines. Further lines are indented like those that Text breaks itself.
func Lines(text string) Span { return Span{Text: Tabs(strings.TrimSpace(text)), Lines: true} }

// Tabs replaces tabs by spaces, for lines of code.
func Tabs(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

// Command makes a span that people copy.
func Command(text string) Span { return Span{Style: Name, Text: text, Whole: true} }

// Code makes a span of a command, a path or data, which stays on one line however long.
func Code(style Style, text string) Span { return Span{Style: style, Text: text, Whole: true} }

// Label makes a faint span that is padded to a width, so that what follows lines up.
func Label(text string, width int) Span {
	return Span{Style: Faint, Text: text + strings.Repeat(" ", max(0, width-Columns(text))), Whole: true}
}

// Mark returns the sign at the beginning of a line that reports the state of a thing.
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

func (s *Screen) paint(b *bytes.Buffer, spans []Span) {
	for _, sp := range spans {
		text := visible.Line(sp.Text)
		if text == "" {
			continue
		}
		if look := s.look(sp.Style); look != "" {
			b.WriteString("\x1b[" + look + "m" + text + "\x1b[0m")
			continue
		}
		b.WriteString(text)
	}
}

func (s *Screen) look(style Style) string {
	if !s.colour || int(style) >= len(looks) {
		return ""
	}
	return looks[style]
}

// String returns spans as this screen prints them, for lines that others print.
func (s *Screen) String(spans ...Span) string {
	var b bytes.Buffer
	s.paint(&b, spans)
	return b.String()
}
