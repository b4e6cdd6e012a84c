package record

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
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
	values := e.Found() // what is in the subject was searched
	if len(values) == 0 {
		return
	}
	s, ev := &e.secrets, e.Event
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
	if len(s.Input)+len(s.Output)+len(s.Text)+len(s.Messages) == 0 {
		return // it was in something else that was searched
	}
	b.Open("secrets")
	b.Texts("input", s.Input)
	b.Texts("output", s.Output)
	b.Texts("replaced", s.Replaced)
	b.Texts("text", s.Text)
	b.Texts("messages", s.Messages)
	b.Close()
}

// holds reports whether a string of a JSON value has a text in it.
func holds(val []byte, text string) (yes bool) {
	rawjson.Strings(val, func(s string) bool {
		yes = strings.Contains(s, text)
		return !yes
	})
	return yes
}
