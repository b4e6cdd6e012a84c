// Package message holds what is wrong, or worth knowing, together with what to do about
// it. A message keeps the two apart from the place where it arises to the screen and
// --json, so that no reader has to look for a command in a sentence.
package message

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// A Message is what is so and what a person can do about it.
type Message struct {
	What     string   `json:"what"`
	Remedies []Remedy `json:"remedies,omitempty"`
}

// A Remedy is one way to act on a message: a command to copy, or an instruction.
type Remedy struct {
	Command string `json:"command,omitempty"` // for a terminal
	// Text is the command's purpose or condition, such as "to restore it"; without one it is
	// what to do by hand.
	Text string `json:"text,omitempty"`
	// OwnTerminal is set if the command needs a terminal that no agent started.
	OwnTerminal bool `json:"own_terminal,omitempty"`
}

// Then is the purpose of a command to run after the remedy before it.
const Then = "then"

// New returns a message. Remedies that are empty are left out.
func New(what string, remedies ...Remedy) Message {
	return Message{What: what}.With(remedies...)
}

// Run returns the remedy to run a command. Purpose, which may be "", reads well before
// ", run": "to restore it", "if this was intended".
func Run(command, purpose string) Remedy { return Remedy{Command: command, Text: purpose} }

// RunYourself is Run for a command that needs a terminal that no agent started.
func RunYourself(command, purpose string) Remedy {
	return Remedy{Command: command, Text: purpose, OwnTerminal: true}
}

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

// has reports whether m has a remedy with the command of r or, where r has none, the same.
func (m Message) has(r Remedy) bool {
	for _, own := range m.Remedies {
		if own == r || r.Command != "" && own.Command == r.Command {
			return true
		}
	}
	return false
}

// String returns the message in one line, "what: to restore it, run command; other remedy".
func (m Message) String() string {
	if len(m.Remedies) == 0 {
		return m.What
	}
	return m.What + ": " + Join(m.Remedies)
}

// Join returns remedies in one line, "to restore it, run command; other remedy".
func Join(list []Remedy) string {
	var b strings.Builder
	for i, r := range list {
		switch {
		case i == 0:
		case r.Text == Then:
			b.WriteString(", ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(r.String())
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
	if r.Command == "" {
		return r.Text
	}
	run := "run " + r.Command
	if r.OwnTerminal {
		run += " in your own terminal"
	}
	switch r.Text {
	case "":
		return run
	case Then:
		return "then " + run
	}
	return r.Text + ", " + run
}

// An Error is an error that carries a message through a chain of errors.
type Error struct {
	message Message
	text    string
	cause   error
}

// Wrap returns an error that adds remedies to err, written as [Message.String] does.
func Wrap(err error, remedies ...Remedy) *Error {
	m := New(err.Error(), remedies...)
	return &Error{m, m.String(), err}
}

// WrapSentences is Wrap, written as [Message.Sentences] does.
func WrapSentences(err error, remedies ...Remedy) *Error {
	m := New(err.Error(), remedies...)
	return &Error{m, m.Sentences(), err}
}

func (e *Error) Error() string { return e.text }

// Unwrap returns the error without its remedies.
func (e *Error) Unwrap() error { return e.cause }

// Of returns the message that err carries: the remedies of the first [Error] in its chain,
// and as What all of its text but those. The message of an error without one is its text.
func Of(err error) Message {
	var e *Error
	if !errors.As(err, &e) {
		return Message{What: err.Error()}
	}
	m := e.message
	m.What = strings.Replace(err.Error(), e.text, m.What, 1)
	return m
}
