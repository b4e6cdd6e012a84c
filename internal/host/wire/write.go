package wire

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// The functions in this file write parts of replies that several hosts have in common. Each host
// decides which parts to write for which event.

// ObjectReply returns a reply that prints o, or nothing if o is empty. o must not be closed yet.
func ObjectReply(o rawjson.Object) Reply {
	if o.Close(); len(o) == len("{}") {
		return Reply{}
	}
	return Reply{Stdout: append(o, '\n')}
}

// WriteBlock writes a decision to block, with its reason.
func WriteBlock(o *rawjson.Object, reason string) {
	o.Text("decision", "block")
	o.Text("reason", reason)
}

// WriteSpecific writes hookSpecificOutput for the event native. write adds further members.
func WriteSpecific(o *rawjson.Object, native string, write func()) {
	o.Open("hookSpecificOutput")
	o.Text("hookEventName", native)
	write()
	o.Close()
}

// WriteContext writes context for the model to hookSpecificOutput, unless there is none.
func WriteContext(o *rawjson.Object, native string, context []string) {
	if len(context) > 0 {
		WriteSpecific(o, native, func() { o.Text("additionalContext", JoinLines(context)) })
	}
}

// WritePermission writes the decision on a permission request. It reports false and writes nothing if
// there is no decision.
func WritePermission(o *rawjson.Object, s *Combined) bool {
	if s.Decision != checkrein.Allow && s.Decision != checkrein.Deny {
		return false
	}
	WriteSpecific(o, "PermissionRequest", func() {
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

// DiffArguments returns an object that turns oldArgs into newArgs in a host that merges an answer into
// the arguments. A null removes an argument.
func DiffArguments(oldArgs, newArgs []byte) []byte {
	o := rawjson.Object{'{'}
	rawjson.Each(newArgs, func(key string, val []byte) bool {
		o.Raw(key, val)
		return true
	})
	rawjson.Each(oldArgs, func(key string, _ []byte) bool {
		if _, ok := rawjson.Get(newArgs, key); !ok {
			o.Raw(key, []byte("null"))
		}
		return true
	})
	o.Close()
	return o
}

// WriteReplacement writes val as a string, which may be empty. It writes nothing if val is nil.
func WriteReplacement(o *rawjson.Object, key string, val []byte) {
	if val == nil {
		return
	}
	if rawjson.Kind(val) != '"' {
		val = rawjson.Quote(string(val))
	}
	o.Raw(key, val)
}

// WithKind returns ev with the kind k.
func WithKind(ev checkrein.Event, k checkrein.Kind) checkrein.Event {
	ev.Kind = k
	return ev
}

// PartsText returns the text of a tool's output, which is a string, a part or a list of these, and
// reports whether it consists only of text.
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

// partText returns the text of one part. It reports false if the part is not text.
func partText(part []byte) (string, bool) {
	if val, ok := rawjson.Get(part, "text"); ok {
		part = val
	}
	return rawjson.Text(part)
}

// OutputText returns an output as text that is not empty, to be used as a reason.
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
