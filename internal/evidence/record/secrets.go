package record

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxMarked limits how many secrets of an event are recorded.
const maxMarked = 16

// Secrets returns the secrets that the last call of [Entry.Members] found in the event.
func (e *Entry) Secrets() Secrets { return e.secrets }

// encodeSecrets writes which secrets are in which parts of the event. Later events of the session are
// compared with that, since a secret that the host had to hide from the model must not appear in what
// the model writes.
func (e *Entry) encodeSecrets(b *rawjson.Object) {
	e.secrets = Secrets{}
	if e.Found == nil || e.Mark == nil {
		return
	}
	s, ev := &e.secrets, e.Event
	e.addPromptWords()
	values := e.Found() // the subject has been searched by now
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
			put(&s.Input, containsText(t.Input, value))
			out := containsText(t.Output, value)
			put(&s.Output, out)
			v := &e.Outcome.Verdict
			put(&s.Replaced, out && ev.Kind == checkrein.ToolResponseTransform && v.Output != nil && !e.Shadow && !containsText(v.Output, value))
		}
		put(&s.Text, strings.Contains(ev.Text, value))
		put(&s.Messages, containsText(ev.Messages, value))
	}
	if len(s.Input)+len(s.Output)+len(s.Text)+len(s.Messages)+len(s.Said) == 0 {
		return // they are in other texts that were searched
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

// Limits for the words of a prompt.
const (
	maxSaid    = 1024
	saidDigits = 8 // digits of each word's marker
)

// addPromptWords records the markers of words in a prompt that may be secrets. A user who types a
// password does not say that it is one, and the model has it anyway.
func (e *Entry) addPromptWords() {
	switch e.Event.Kind {
	case checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit:
	default:
		return
	}
	s := &e.secrets
	var packed []byte
	seen := map[string]bool{}
	s.SaidMore = !secret.EachPossibleValue(e.Event.Text, func(word string) bool {
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

// PromptWords returns, for each word of a prompt that may be a secret, the digits in its marker. It
// returns nil if Said is invalid.
func (s *Secrets) PromptWords() []string {
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

// containsText reports whether a string or a member name in the JSON value val contains text.
func containsText(val []byte, text string) (yes bool) {
	look := func(s string) bool {
		yes = strings.Contains(s, text)
		return !yes
	}
	if rawjson.EachStringValue(val, look); !yes {
		rawjson.EachKey(val, look)
	}
	return yes
}
