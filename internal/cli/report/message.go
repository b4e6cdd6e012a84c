package report

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A Message is a message as a report shows it.
type Message struct {
	Level string `json:"level"` // error, warn, info or ok
	About string `json:"about,omitempty"`
	message.Message
}

var levels = map[term.Style]string{term.Bad: "error", term.Warn: "warn", term.Plain: "info", term.Good: "ok"}

// Message adds a message: its mark, what it is about, which may be "", and what is so; below
// that a line for each remedy.
func (r *Report) Message(mark term.Style, about string, m message.Message) {
	r.Text(0, 2, r.head(mark, about, m)...)
	r.Remedies(4, m.Remedies...)
}

// Finding is Message, set in, with details between what is so and its remedies.
func (r *Report) Finding(mark term.Style, about string, m message.Message, details ...[]term.Span) {
	r.Text(2, 4, r.head(mark, about, m)...)
	for _, spans := range details {
		r.Text(4, 6, spans...)
	}
	r.Remedies(4, m.Remedies...)
}

// MessageBelow is Message, under the last row of a table that is about something.
func (r *Report) MessageBelow(t *term.Table, mark term.Style, about string, m message.Message) {
	r.Messages = append(r.Messages, Message{levels[mark], about, m})
	t.Below(term.Mark(mark), term.P(" "+r.Home(m.What)))
	for _, remedy := range m.Remedies {
		t.Under(8, r.Remedy(remedy)...)
	}
}

func (r *Report) head(mark term.Style, about string, m message.Message) []term.Span {
	r.Messages = append(r.Messages, Message{levels[mark], about, m})
	spans := []term.Span{term.Mark(mark), term.P(" ")}
	if about != "" {
		spans = append(spans, term.T(term.Strong, about+": "))
	}
	return append(spans, term.P(r.Home(m.What)))
}

// Remedies adds what to do, each on a line of its own.
func (r *Report) Remedies(indent int, list ...message.Remedy) {
	for _, remedy := range list {
		r.Text(indent, indent+2, r.Remedy(remedy)...)
	}
}

// Remedy returns a remedy with the command first, to be copied; its purpose is a comment
// behind it.
func (r *Report) Remedy(of message.Remedy) []term.Span {
	if of.Command == "" {
		return []term.Span{term.P(r.Home(of.Text))}
	}
	comment := of.Text
	if of.OwnTerminal {
		comment = strings.TrimPrefix(comment+", in your own terminal", ", ")
	}
	spans := []term.Span{term.Command(r.Home(of.Command))}
	if comment != "" {
		spans = append(spans, term.P("  "), term.T(term.Faint, "# "+r.Home(comment)))
	}
	return spans
}
