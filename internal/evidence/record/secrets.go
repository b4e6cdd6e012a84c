package record

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxMarked bounds the secrets of an event that are told from each other.
const maxMarked = 16

// Secrets are those that [Entry.Members] found in the event.
func (e *Entry) Secrets() Secrets { return e.secrets }

// marked writes in which parts of the event which secrets are. What comes later in the
// session is held against it: a secret that a host was told to keep from the model, and
// that the model writes all the same.
func (e *Entry) marked(b *rawjson.Object) {
	e.secrets = Secrets{}
	if e.Found == nil || e.Mark == nil {
		return
	}
	s, ev := &e.secrets, e.Event
	e.said()
	values := e.Found() // what is in the subject was searched
	for _, value := range values[:min(len(values), maxMarked)] {
		id := ""
		put := func(list *[]string, has bool) {
			if !has {
				return
			}
			if id == "" {
				id = e.Mark(value)
			}
			*list = append(*list, id)
		}
		if t := ev.Tool; t != nil {
			put(&s.Input, holds(t.Input, value))
			out := holds(t.Output, value)
			put(&s.Output, out)
			v := &e.Outcome.Verdict
			put(&s.Replaced, out && ev.Kind == checkrein.ToolResponseTransform && v.Output != nil && !e.Shadow && !holds(v.Output, value))
		}
		put(&s.Text, strings.Contains(ev.Text, value))
		put(&s.Messages, holds(ev.Messages, value))
	}
	if len(s.Input)+len(s.Output)+len(s.Text)+len(s.Messages)+len(s.Said) == 0 {
		return // it was in something else that was searched
	}
	b.Open("secrets")
	b.Texts("input", s.Input)
	b.Texts("output", s.Output)
	b.Texts("replaced", s.Replaced)
	b.Texts("text", s.Text)
	b.Texts("messages", s.Messages)
	b.Text("said", s.Said)
	b.Flag("said_more", s.SaidMore)
	b.Close()
}

// What is kept of the words of a prompt.
const (
	maxSaid    = 1024
	saidDigits = 8 // of each: the digits in its marker
)

// said takes down by what the words of a prompt are known again that may be secrets. A
// person who types a password need not say that it is one, and the model knows it all the
// same.
func (e *Entry) said() {
	switch e.Event.Kind {
	case checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit:
	default:
		return
	}
	s := &e.secrets
	var packed []byte
	seen := map[string]bool{}
	s.SaidMore = !secret.PossibleValues(e.Event.Text, func(word string) bool {
		if seen[word] {
			return true
		}
		if len(seen) == maxSaid {
			return false
		}
		seen[word] = true
		id, err := hex.DecodeString(e.Mark(word))
		if err == nil && len(id) == saidDigits/2 {
			packed = append(packed, id...)
		}
		return true
	})
	s.Said = base64.StdEncoding.EncodeToString(packed)
}

// SaidWords are the words of a prompt that may be secrets, each as a marker has it.
func (s *Secrets) SaidWords() []string {
	packed, err := base64.StdEncoding.DecodeString(s.Said)
	if err != nil {
		return nil
	}
	digits := hex.EncodeToString(packed)
	out := make([]string, 0, len(digits)/saidDigits)
	for ; len(digits) >= saidDigits; digits = digits[saidDigits:] {
		out = append(out, digits[:saidDigits])
	}
	return out
}

// holds reports whether a string of a JSON value has a text in it, or the name of a member.
func holds(val []byte, text string) (yes bool) {
	look := func(s string) bool {
		yes = strings.Contains(s, text)
		return !yes
	}
	if rawjson.Strings(val, look); !yes {
		rawjson.Names(val, look)
	}
	return yes
}
