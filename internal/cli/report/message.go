package report

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Message is a message in a report.
type Message struct {
	Level string `json:"level"` // error, warn, info or ok
	About string `json:"about,omitempty"`
	message.Message
}

// levels are the names of marks in JSON.
var levels = map[term.Style]string{term.Bad: "error", term.Warn: "warn", term.Plain: "info", term.Good: "ok"}

// Message adds a message: its mark, its subject, which may be "", and its text; below that a line for
// each remedy.
func (r *Report) Message(mark term.Style, about string, m message.Message) {
	r.Text(0, 2, r.messageSpans(mark, about, m)...)
	r.Remedies(4, m.Remedies...)
}

// Finding is Message, indented, with details between the text and the remedies.
func (r *Report) Finding(mark term.Style, about string, m message.Message, details ...[]term.Span) {
	r.Text(2, 4, r.messageSpans(mark, about, m)...)
	for _, spans := range details {
		r.Text(4, 6, spans...)
	}
	r.Remedies(4, m.Remedies...)
}

// MessageBelow is Message, under the last row of a table that is about its subject.
func (r *Report) MessageBelow(t *term.Table, mark term.Style, about string, m message.Message) {
	r.Messages = append(r.Messages, Message{levels[mark], about, m})
	t.AddBelow(term.Mark(mark), term.P(" "+r.ShortenPaths(m.What)))
	for _, remedy := range m.Remedies {
		t.AddIndented(8, r.Remedy(remedy)...)
	}
}

// messageSpans records a message and returns its first line.
func (r *Report) messageSpans(mark term.Style, about string, m message.Message) []term.Span {
	r.Messages = append(r.Messages, Message{levels[mark], about, m})
	spans := []term.Span{term.Mark(mark), term.P(" ")}
	if about != "" {
		spans = append(spans, term.T(term.Strong, about+": "))
	}
	return append(spans, term.P(r.ShortenPaths(m.What)))
}

// Remedies adds remedies, each on a line of its own.
func (r *Report) Remedies(indent int, list ...message.Remedy) {
	for _, remedy := range list {
		r.Text(indent, indent+2, r.Remedy(remedy)...)
	}
}

// Remedy returns a remedy with the command first, to be copied, and its purpose as a comment.
func (r *Report) Remedy(of message.Remedy) []term.Span {
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
