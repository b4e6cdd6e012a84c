// Package toolnames translates the names of tools and their arguments between systems, so that a hook
// gets the names it was written for on every host.
package toolnames

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Word is a system's name for a tool, and for its arguments if they differ from checkrein's.
type Word struct {
	Canonical, Name string
	Args            [][2]string // pairs of the canonical name and the system's
}

// A Table is a system's vocabulary.
type Table []Word

func (t Table) lookup(canonical string) *Word {
	for i := range t {
		if t[i].Canonical == canonical {
			return &t[i]
		}
	}
	return nil
}

// ToolName returns the system's name for a tool; "" if it has none.
func (t Table) ToolName(canonical string) string {
	if w := t.lookup(canonical); w != nil {
		return w.Name
	}
	return ""
}

// Translate returns the event with its tool in the system's names, and the host's tool; nil if the
// names are the same. It is an error if two arguments would get the same name: which of them the host
// uses is not known here, and a hook would see only one.
func (t Table) Translate(ev checkrein.Event) (checkrein.Event, *checkrein.Tool, error) {
	w := t.foreignWord(&ev)
	if w == nil {
		return ev, nil, nil
	}
	host, local := ev.Tool, *ev.Tool
	input, err := w.renameArgs(host)
	if err != nil {
		return ev, nil, err
	}
	local.Name, local.Input = w.Name, input
	ev.Tool = &local
	return ev, host, nil
}

// foreignWord returns the word for a tool that the host names differently, or an argument of it; nil
// for any other.
func (t Table) foreignWord(ev *checkrein.Event) *Word {
	if ev.Tool == nil {
		return nil
	}
	if w := t.lookup(ev.Tool.Canonical); w != nil && (w.Name != ev.Tool.Name || w.hasForeignArg(ev.Tool.Input)) {
		return w
	}
	return nil
}

// hasForeignArg reports whether a call has an argument under another name than the system's.
func (w *Word) hasForeignArg(input []byte) bool {
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

// argName returns the system's name for an argument that some host calls name.
func (w *Word) argName(name string) string {
	canonical := tools.CanonicalName(name)
	for _, a := range w.Args {
		if a[0] == canonical {
			return a[1]
		}
	}
	return canonical
}

// renameArgs returns the call's arguments under the system's names.
func (w *Word) renameArgs(t *checkrein.Tool) (json.RawMessage, error) {
	if t.Input == nil {
		return nil, nil
	}
	out := object{'{'}
	var err error
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		name := w.argName(key)
		other, twice := out.get(name)
		switch {
		case rawjson.Kind(val) == 'n' && t.ArgKey(key) != key: // another key has the value
		case !twice:
			out.set(name, val)
		case !rawjson.Equal(other, val):
			err = fmt.Errorf("the call has the argument %s twice, once under the name %q", name, key)
		}
		return err == nil
	})
	return json.RawMessage(append(out, '}')), err
}

// Localize translates a patch from the system's names to the keys of the host's call.
func (t Table) Localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if t.foreignWord(&ev) == nil {
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

// An object is a JSON object that is being written, without its closing brace.
type object []byte

func (o *object) set(key string, val []byte) { *o = rawjson.AppendMember(*o, key, val) }

func (o *object) get(key string) ([]byte, bool) {
	b := *o
	return rawjson.Get(append(b[:len(b):len(b)], '}'), key)
}

// Native returns the JSON object that shows a hook the event in the host's names; nil if they are the
// same. Name is the name of the event in the payload; the tool is host unless that is nil.
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
