// Package card splits the reason for a decision into a sentence and a command, to be shown on a
// screen.
package card

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Card is a reason that is split into a sentence and the command or payload that it is about.
type Card struct {
	Sentence string `json:"sentence"`
	Command  string `json:"command,omitempty"`
}

// FromReason splits a reason of the form "[tag] Sentence: payload". It drops the tag and capitalises
// the sentence. The text after the first ": " is the command if it looks like one: it has a space or
// more than twelve characters.
func FromReason(reason string) Card {
	s := stripTag(strings.TrimSpace(reason))
	card := Card{Sentence: s}
	if head, tail, ok := strings.Cut(s, ": "); ok && strings.TrimSpace(head) != "" {
		tail = strings.TrimSpace(tail)
		if strings.ContainsRune(tail, ' ') || utf8.RuneCountInString(tail) > 12 {
			card = Card{Sentence: strings.TrimSpace(head), Command: tail}
		}
	}
	card.Sentence = capitalise(card.Sentence)
	return card
}

// stripTag returns s without a leading tag in brackets.
func stripTag(s string) string {
	if !strings.HasPrefix(s, "[") {
		return s
	}
	tag, rest, ok := strings.Cut(s[1:], "]")
	if !ok || tag == "" || strings.ContainsAny(tag, "[\n") {
		return s
	}
	return strings.TrimSpace(rest)
}

// capitalise returns s with its first letter in upper case.
func capitalise(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
