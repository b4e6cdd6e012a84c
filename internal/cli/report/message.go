package report

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Message is a message in a report.
type Message struct {
	Level string `json:"level"`           // error, warn, info or ok
	About string `json:"about,omitempty"` // the subject
	message.Message
}

// levels has the name of each mark in JSON.
var levels = map[term.Style]string{term.Bad: "error", term.Warn: "warn", term.Plain: "info", term.Good: "ok"}

// AddMessage adds a message: its mark, its subject about, unless that is "", and its text. Each remedy
// is on a line below.
func (r *Report) AddMessage(mark term.Style, about string, m message.Message) {
	r.Text(0, 2, r.recordMessage(mark, about, m)...)
	r.AddRemedies(4, m.Remedies...)
}

// AddFinding is AddMessage, indented, with details between the text and the remedies.
func (r *Report) AddFinding(mark term.Style, about string, m message.Message, details ...[]term.Span) {
	r.Text(2, 4, r.recordMessage(mark, about, m)...)
	for _, spans := range details {
		r.Text(4, 6, spans...)
	}
	r.AddRemedies(4, m.Remedies...)
}

// AddMessageBelow adds a message under the last row of t, which is about its subject.
func (r *Report) AddMessageBelow(t *term.Table, mark term.Style, about string, m message.Message) {
	r.Messages = append(r.Messages, Message{levels[mark], about, m})
	t.AddBelow(term.Mark(mark), term.P(" "+r.ShortenPaths(m.What)))
	for _, remedy := range m.Remedies {
		t.AddIndented(8, r.RemedySpans(remedy)...)
	}
}

// recordMessage adds a message to r.Messages, and returns its first line.
func (r *Report) recordMessage(mark term.Style, about string, m message.Message) []term.Span {
	r.Messages = append(r.Messages, Message{levels[mark], about, m})
	spans := []term.Span{term.Mark(mark), term.P(" ")}
	if about != "" {
		spans = append(spans, term.T(term.Strong, about+": "))
	}
	return append(spans, term.P(r.ShortenPaths(m.What)))
}

// AddRemedies adds remedies, each on a line of its own.
func (r *Report) AddRemedies(indent int, list ...message.Remedy) {
	for _, remedy := range list {
		r.Text(indent, indent+2, r.RemedySpans(remedy)...)
	}
}

// RemedySpans returns a remedy as text. A command comes first, to be copied, and its purpose follows
// as a comment.
func (r *Report) RemedySpans(of message.Remedy) []term.Span {
	if of.Command == "" {
		return []term.Span{term.P(r.ShortenPaths(of.Text))}
	}
	comment := of.Text
	if of.OwnTerminal {
		comment = strings.TrimPrefix(comment+", in your own terminal", ", ")
	}
	spans := []term.Span{term.Command(r.ShortenPaths(of.Command))}
	if comment != "" {
		spans = append(spans, term.P("  "), term.T(term.Faint, "# "+r.ShortenPaths(comment)))
	}
	return spans
}
