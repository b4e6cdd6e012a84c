// Package toolnames holds what systems call tools and their arguments, so that a
// hook gets the names it was written for on every host.
package toolnames

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Word is a system's name for a tool, and for its arguments where they differ
// from checkrein's.
type Word struct {
	Canonical, Name string
	Args            [][2]string // canonical, the system's
}

// A Table is a system's vocabulary.
type Table []Word

func (t Table) word(canonical string) *Word {
	for i := range t {
		if t[i].Canonical == canonical {
			return &t[i]
		}
	}
	return nil
}

// ToolName is the system's name for a tool, "" when it has none.
func (t Table) ToolName(canonical string) string {
	if w := t.word(canonical); w != nil {
		return w.Name
	}
	return ""
}

// Translate returns the event with its tool in the system's words, and the tool
// as the host has it, nil when the words are the same. Two arguments that would
// get one name are an error: which of them the host obeys is not known here,
// and a hook would see but one of them.
func (t Table) Translate(ev checkrein.Event) (checkrein.Event, *checkrein.Tool, error) {
	w := t.foreign(&ev)
	if w == nil {
		return ev, nil, nil
	}
	host, local := ev.Tool, *ev.Tool
	input, err := w.rename(host)
	if err != nil {
		return ev, nil, err
	}
	local.Name, local.Input = w.Name, input
	ev.Tool = &local
	return ev, host, nil
}

// foreign returns the word for a tool that the host calls something else, or an
// argument of it; nil for any other.
func (t Table) foreign(ev *checkrein.Event) *Word {
	if ev.Tool == nil {
		return nil
	}
	if w := t.word(ev.Tool.Canonical); w != nil && (w.Name != ev.Tool.Name || w.renames(ev.Tool.Input)) {
		return w
	}
	return nil
}

// renames reports whether a call has an argument under another name than the system's.
func (w *Word) renames(input []byte) bool {
	found := false
	if len(w.Args) > 0 {
		rawjson.Each(input, func(key string, _ []byte) bool {
			canonical := tools.CanonicalName(key)
			for _, a := range w.Args {
				found = found || a[0] == canonical && a[1] != key
			}
			return !found
		})
	}
	return found
}

// arg is the system's name for an argument that some host calls name.
func (w *Word) arg(name string) string {
	canonical := tools.CanonicalName(name)
	for _, a := range w.Args {
		if a[0] == canonical {
			return a[1]
		}
	}
	return canonical
}

func (w *Word) rename(t *checkrein.Tool) (json.RawMessage, error) {
	if t.Input == nil {
		return nil, nil
	}
	out := object{'{'}
	var err error
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		name := w.arg(key)
		other, twice := out.get(name)
		switch {
		case rawjson.Kind(val) == 'n' && t.ArgKey(key) != key: // there is one that says something
		case !twice:
			out.set(name, val)
		case !rawjson.Equal(other, val):
			err = fmt.Errorf("the call has the argument %s twice, once under the name %q", name, key)
		}
		return err == nil
	})
	return json.RawMessage(append(out, '}')), err
}

// Localize maps a patch in the system's names to the keys that the host's call
// has.
func (t Table) Localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if t.foreign(&ev) == nil {
		return patch, nil
	}
	out := object{'{'}
	var err error
	rawjson.Each(patch, func(key string, val []byte) bool {
		hostKey := ev.Tool.ArgKey(key)
		if _, twice := out.get(hostKey); twice {
			err = fmt.Errorf("the rewrite sets the argument %q twice", hostKey)
		}
		out.set(hostKey, val)
		return true
	})
	return json.RawMessage(append(out, '}')), err
}

// An object is a JSON object that is being written and still open.
type object []byte

func (o *object) set(key string, val []byte) { *o = rawjson.AppendMember(*o, key, val) }

func (o *object) get(key string) ([]byte, bool) {
	b := *o
	return rawjson.Get(append(b[:len(b):len(b)], '}'), key)
}

// Native returns the JSON object that shows a hook an event in the host's words, nil
// when they are the same: the event, which the hook hears as name, and the tool, which
// is host unless that is nil.
func Native(ev *checkrein.Event, name string, host *checkrein.Tool) []byte {
	out := object{'{'}
	if ev.Native != "" && ev.Native != name {
		out.set("hook_event_name", rawjson.Quote(ev.Native))
	}
	if host != nil {
		out.set("tool_name", rawjson.Quote(host.Name))
		if host.Input != nil {
			out.set("tool_input", host.Input)
		}
		if host.Output != nil && !bytes.Equal(host.Output, ev.Tool.Output) {
			out.set("tool_response", host.Output)
		}
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, '}')
}
