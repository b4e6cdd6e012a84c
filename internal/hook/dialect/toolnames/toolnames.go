// Package toolnames translates the names of tools and their arguments between systems, so that a hook
// gets the names for which it was written on every host.
package toolnames

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Entry holds a system's name for a tool, and its names for the arguments that checkrein names
// differently.
type Entry struct {
	Canonical, Name string
	Args            [][2]string // pairs of canonical name and system's name
}

// A Table is a system's vocabulary.
type Table []Entry

func (t Table) lookup(canonical string) *Entry {
	for i := range t {
		if t[i].Canonical == canonical {
			return &t[i]
		}
	}
	return nil
}

// ToolName returns the system's name for the tool canonical, or "" if it has none.
func (t Table) ToolName(canonical string) string {
	if w := t.lookup(canonical); w != nil {
		return w.Name
	}
	return ""
}

// Translate returns ev with its tool call in the system's names, and the host's own tool call, or nil
// if the names are the same. It returns an error if two arguments would get the same name, because a
// hook would see only one and it is unknown which one the host uses.
func (t Table) Translate(ev checkrein.Event) (checkrein.Event, *checkrein.Tool, error) {
	w := t.foreignEntry(&ev)
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

// foreignEntry returns the entry for the tool of ev if the host's name for the tool or for an argument
// differs. Otherwise it returns nil.
func (t Table) foreignEntry(ev *checkrein.Event) *Entry {
	if ev.Tool == nil {
		return nil
	}
	if w := t.lookup(ev.Tool.Canonical); w != nil && (w.Name != ev.Tool.Name || w.hasForeignArg(ev.Tool.Input)) {
		return w
	}
	return nil
}

// hasForeignArg reports whether input has an argument under another name than the system's.
func (w *Entry) hasForeignArg(input []byte) bool {
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

// argName returns the system's name for the argument that some host calls name.
func (w *Entry) argName(name string) string {
	canonical := tools.CanonicalName(name)
	for _, a := range w.Args {
		if a[0] == canonical {
			return a[1]
		}
	}
	return canonical
}

// renameArgs returns the arguments of t under the system's names. It returns an error if two of them
// with different values get the same name.
func (w *Entry) renameArgs(t *checkrein.Tool) (json.RawMessage, error) {
	if t.Input == nil {
		return nil, nil
	}
	out := object{'{'}
	var err error
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		name := w.argName(key)
		other, twice := out.get(name)
		switch {
		case rawjson.Kind(val) == 'n' && t.ArgKey(key) != key: // the argument has its value under another key
		case !twice:
			out.set(name, val)
		case !rawjson.Equal(other, val):
			err = fmt.Errorf("the call has the argument %s twice, once under the name %q", name, key)
		}
		return err == nil
	})
	return json.RawMessage(append(out, '}')), err
}

// Localize translates a rewrite of the arguments of ev from the system's names to the keys that the
// host's call has.
func (t Table) Localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if t.foreignEntry(&ev) == nil {
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

// An object builds a JSON object. It has no closing brace yet.
type object []byte

func (o *object) set(key string, val []byte) { *o = rawjson.AppendMember(*o, key, val) }

func (o *object) get(key string) ([]byte, bool) {
	b := *o
	return rawjson.Get(append(b[:len(b):len(b)], '}'), key)
}

// NativeNames returns a JSON object with the host's names for the event and its tool call, or nil if
// they are the same. The payload calls the event name; host is the host's own tool call, or nil if it
// is the same.
func NativeNames(ev *checkrein.Event, name string, host *checkrein.Tool) []byte {
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
