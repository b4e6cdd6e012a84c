// Package message combines a description of a problem or a state with what to do about it. The two
// stay separate from where a message is created to the screen and --json, so that readers need not
// look for a command in a sentence.
package message

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// A Message describes a problem or a state, and what the user can do about it.
type Message struct {
	What     string   `json:"what"`
	Remedies []Remedy `json:"remedies,omitempty"`
}

// A Remedy is one thing to do about a message: a command to copy, or an instruction.
type Remedy struct {
	Command string `json:"command,omitempty"` // to run in a terminal
	// Text is the purpose or condition of the command, such as "to restore it". Without a command it
	// is an instruction.
	Text string `json:"text,omitempty"`
	// OwnTerminal is set if the command must run in a terminal that was not started by an agent.
	OwnTerminal bool `json:"own_terminal,omitempty"`
}

// Then is the text of a command that is to be run after the remedy before it.
const Then = "then"

// New returns a message. It leaves out empty remedies.
func New(what string, remedies ...Remedy) Message {
	return Message{What: what}.With(remedies...)
}

// Run returns the remedy to run a command. purpose may be ""; it must fit before ", run", as in "to
// restore it" and "if this was intended".
func Run(command, purpose string) Remedy { return Remedy{Command: command, Text: purpose} }

// RunYourself is Run for a command that must run in a terminal that was not started by an agent.
func RunYourself(command, purpose string) Remedy {
	return Remedy{Command: command, Text: purpose, OwnTerminal: true}
}

// Do returns a remedy that is an instruction.
func Do(text string) Remedy { return Remedy{Text: text} }

// With returns m with further remedies. It leaves out empty ones and those that m already has.
func (m Message) With(remedies ...Remedy) Message {
	m.Remedies = m.Remedies[:len(m.Remedies):len(m.Remedies)]
	for _, r := range remedies {
		if r != (Remedy{}) && !m.hasRemedy(r) {
			m.Remedies = append(m.Remedies, r)
		}
	}
	return m
}

// hasRemedy reports whether m has r, or a remedy with the same command.
func (m Message) hasRemedy(r Remedy) bool {
	for _, own := range m.Remedies {
		if own == r || r.Command != "" && own.Command == r.Command {
			return true
		}
	}
	return false
}

// String returns the message in one line: "what: to restore it, run command; other remedy".
func (m Message) String() string {
	if len(m.Remedies) == 0 {
		return m.What
	}
	return m.What + ": " + JoinRemedies(m.Remedies)
}

// JoinRemedies returns remedies in one line: "to restore it, run command; other remedy".
func JoinRemedies(list []Remedy) string {
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

// Sentences returns the message as sentences: "What. To restore it, run command. Other remedy".
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

// String returns the remedy as part of a sentence: "to restore it, run command".
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

// An Error is an error with remedies. [FromError] finds it in a chain of errors.
type Error struct {
	message Message
	text    string
	cause   error
}

// Wrap returns an error that adds remedies to err. Its text is that of [Message.String].
func Wrap(err error, remedies ...Remedy) *Error {
	m := New(err.Error(), remedies...)
	return &Error{m, m.String(), err}
}

// WrapSentences is Wrap with the text of [Message.Sentences].
func WrapSentences(err error, remedies ...Remedy) *Error {
	m := New(err.Error(), remedies...)
	return &Error{m, m.Sentences(), err}
}

func (e *Error) Error() string { return e.text }

// Unwrap returns the error without its remedies.
func (e *Error) Unwrap() error { return e.cause }

// FromError returns err as a message. The remedies are those of the first [Error] in its chain, and
// What is the rest of its text.
func FromError(err error) Message {
	var e *Error
	if !errors.As(err, &e) {
		return Message{What: err.Error()}
	}
	m := e.message
	m.What = strings.Replace(err.Error(), e.text, m.What, 1)
	return m
}
