package report

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Notice prints a message: its mark and what is so, and below it a line for each remedy.
func Notice(s *term.Screen, mark term.Style, head []term.Span, m message.Message) {
	spans := append([]term.Span{term.Mark(mark), term.P(" ")}, head...)
	s.Text(0, 2, append(spans, term.P(s.Home(m.What)))...)
	PrintRemedies(s, 4, m.Remedies...)
}

// NoticeBelow is Notice, under a row.
func NoticeBelow(s *term.Screen, t *term.Table, mark term.Style, m message.Message) {
	t.Below(term.Mark(mark), term.P(" "+s.Home(m.What)))
	for _, r := range m.Remedies {
		t.Under(8, RemedySpans(s, r)...)
	}
}

// PrintRemedies prints what to do, each on a line of its own.
func PrintRemedies(s *term.Screen, indent int, remedies ...message.Remedy) {
	for _, r := range remedies {
		s.Text(indent, indent+2, RemedySpans(s, r)...)
	}
}

// RemedySpans returns a remedy with the command first, to be copied; its purpose is a
// comment behind it.
func RemedySpans(s *term.Screen, r message.Remedy) []term.Span {
	switch {
	case r.Line != "":
		return []term.Span{term.P(s.Home(r.Text) + ": "), term.Command(s.Home(r.Line))}
	case r.Command == "":
		return []term.Span{term.P(s.Home(r.Text))}
	}
	comment := r.Text
	if r.OwnTerminal {
		comment = strings.TrimPrefix(comment+", in your own terminal", ", ")
	}
	spans := []term.Span{term.Command(s.Home(r.Command))}
	if comment != "" {
		spans = append(spans, term.P("  "), term.T(term.Faint, "# "+s.Home(comment)))
	}
	return spans
}
