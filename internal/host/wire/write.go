package wire

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// This file has the words that several hosts have in common. Which of them are written on
// which event is for each host to say.

// One returns the reply that is one object, or nothing when that is empty.
func One(o rawjson.Object) Reply {
	if o.Close(); len(o) == len("{}") {
		return Reply{}
	}
	return Reply{Stdout: append(o, '\n')}
}

// Block writes a decision to block, with its reason.
func Block(o *rawjson.Object, reason string) {
	o.Text("decision", "block")
	o.Text("reason", reason)
}

// Own writes the part that names its event and is the event's own.
func Own(o *rawjson.Object, native string, write func()) {
	o.Open("hookSpecificOutput")
	o.Text("hookEventName", native)
	write()
	o.Close()
}

// Told writes context in that part.
func Told(o *rawjson.Object, native string, context []string) {
	if len(context) > 0 {
		Own(o, native, func() { o.Text("additionalContext", Lines(context)) })
	}
}

// Permission writes the decision about a request for permission, and reports whether there
// is one.
func Permission(o *rawjson.Object, s *Said) bool {
	if s.Decision != checkrein.Allow && s.Decision != checkrein.Deny {
		return false
	}
	Own(o, "PermissionRequest", func() {
		o.Open("decision")
		o.Text("behavior", s.Decision.String())
		if s.Decision == checkrein.Deny {
			o.Text("message", Reason(&s.Verdict))
		} else if s.Input != nil {
			o.Raw("updatedInput", s.Input)
		}
		o.Close()
	})
	return true
}

// Arguments returns the arguments that make new ones of the old where a host adds them to
// those that are there: null removes one.
func Arguments(was, is []byte) []byte {
	o := rawjson.Object{'{'}
	rawjson.Each(is, func(key string, val []byte) bool {
		o.Raw(key, val)
		return true
	})
	rawjson.Each(was, func(key string, _ []byte) bool {
		if _, ok := rawjson.Get(is, key); !ok {
			o.Raw(key, []byte("null"))
		}
		return true
	})
	o.Close()
	return o
}

// Replaced writes what takes the place of a text, and may be empty.
func Replaced(o *rawjson.Object, key string, val []byte) {
	if val == nil {
		return
	}
	if rawjson.Kind(val) != '"' {
		val = rawjson.Quote(string(val))
	}
	o.Raw(key, val)
}

// As returns an event as one of another kind.
func As(ev checkrein.Event, k checkrein.Kind) checkrein.Event {
	ev.Kind = k
	return ev
}

// PartsText returns the text of what a tool gave the model, which is a text, a part or a
// list of these; and whether there is nothing else in it.
func PartsText(content []byte) (string, bool) {
	if rawjson.Kind(content) != '[' {
		return partText(content)
	}
	var texts []string
	whole := true
	rawjson.Elements(content, func(_ int, part []byte) bool {
		text, ok := partText(part)
		if ok {
			texts = append(texts, text)
		}
		whole = whole && ok
		return true
	})
	return strings.Join(texts, "\n"), whole
}

// partText returns the text of one part, false for one that is something else.
func partText(part []byte) (string, bool) {
	if val, ok := rawjson.Get(part, "text"); ok {
		part = val
	}
	return rawjson.Text(part)
}

// OutputText returns an output as a text that is not empty, which a reason must be.
func OutputText(out []byte) string {
	text, whole := PartsText(out)
	switch {
	case whole && text == "":
		return "(no output)"
	case whole:
		return text
	case text != "":
		return text + "\n(content that is not text was left out)"
	}
	return string(out)
}
