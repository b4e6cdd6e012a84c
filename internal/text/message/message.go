// Package message holds what is wrong, or worth knowing, together with what to do about
// it. A message keeps the two apart from the place where it arises to the screen and
// --json, so that no reader has to look for a command in a sentence.
package message

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// A Message is what is so and what a person can do about it. It is an error too, so that
// a chain of errors can carry it; see [Of].
type Message struct {
	What     string   `json:"what"`
	Remedies []Remedy `json:"remedies,omitempty"`
}

// A Remedy is one way to act on a message: a command, an instruction or both.
type Remedy struct {
	Command string `json:"command,omitempty"` // to be copied into a terminal
	// Text is the command's purpose or condition, such as "to restore it"; without a command it is
	// what to do by hand.
	Text string `json:"text,omitempty"`
}

// New returns a message. Remedies that are empty are left out.
func New(what string, remedies ...Remedy) Message {
	return Message{What: what}.With(remedies...)
}

// Run returns the remedy to run a command. Purpose, which may be "", reads well before
// ", run": "to restore it", "if this was intended".
func Run(command, purpose string) Remedy { return Remedy{Command: command, Text: purpose} }

// Do returns a remedy without a command to copy.
func Do(text string) Remedy { return Remedy{Text: text} }

// With returns m with further remedies. Those that are empty, or that m has, are left out.
func (m Message) With(remedies ...Remedy) Message {
	m.Remedies = m.Remedies[:len(m.Remedies):len(m.Remedies)]
	for _, r := range remedies {
		if r != (Remedy{}) && !m.has(r) {
			m.Remedies = append(m.Remedies, r)
		}
	}
	return m
}

// has reports whether m has a remedy with the command of r or, where r has none, its text.
func (m Message) has(r Remedy) bool {
	for _, own := range m.Remedies {
		if own.Command == r.Command && (r.Command != "" || own.Text == r.Text) {
			return true
		}
	}
	return false
}

// String returns the message in one line, "what: to restore it, run command; other remedy".
func (m Message) String() string { return m.What + m.tail(": ") }

// Error returns the message in one line.
func (m Message) Error() string { return m.String() }

// tail returns the remedies in one line behind a separator, "" without remedies.
func (m Message) tail(sep string) string {
	var b strings.Builder
	for _, r := range m.Remedies {
		b.WriteString(sep)
		b.WriteString(r.String())
		sep = "; "
	}
	return b.String()
}

// Sentences returns the message as "What. To restore it, run command. Other remedy".
func (m Message) Sentences() string {
	var b strings.Builder
	b.WriteString(m.What)
	for _, r := range m.Remedies {
		text := r.String()
		_, n := utf8.DecodeRuneInString(text)
		b.WriteString(". " + strings.ToUpper(text[:n]) + text[n:])
	}
	return b.String()
}

// String returns the remedy in running text, "to restore it, run command".
func (r Remedy) String() string {
	switch {
	case r.Command == "":
		return r.Text
	case r.Text == "":
		return "run " + r.Command
	}
	return r.Text + ", run " + r.Command
}

// Of returns the message that err carries: the remedies of the first [Message] in its chain,
// and as What all of its text but those. The message of an error without one is its text.
func Of(err error) Message {
	m, text := Message{}, err.Error()
	if !errors.As(err, &m) {
		return Message{What: text}
	}
	m.What = strings.Replace(text, m.String(), m.What, 1)
	return m
}
