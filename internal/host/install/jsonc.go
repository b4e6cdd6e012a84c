package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/tailscale/hujson"
)

// A jsonForm is a JSON file, with comments or without, in which each event has a
// list of hooks.
type jsonForm struct {
	host   string
	at     []string // the keys down to the object of events
	top    []member // what else a new file needs
	nested bool     // hooks stand in groups that share a matcher: [{"hooks":[…]}]
	key    string   // the member of a hook that is its command line
	hook   func(entry) []member
	// group is what a new group or a flat hook has beside that.
	group []member
	// quiet are members of a hook or its group that keep it from being asked
	// each time, or from being heard.
	quiet []string
	// runs reports whether the host runs an entry, where it knows entries by their
	// places and runs none that the person has not trusted; nil = it runs any.
	runs func(entry) bool
}

// A member is a key of an object with its value.
type member struct {
	key   string
	value any
}

// object is an object whose members keep their order.
func object(list []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.key))
		b.WriteByte(':')
		b.Write(encode(m.value))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode is json.Marshal that leaves < > & as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only what we made is written
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (f *jsonForm) put(src []byte, want []entry) ([]byte, error) {
	doc, err := parseJSON(src, f.top)
	if err != nil {
		return nil, err
	}
	events, err := doc.objectAt(f.at, true)
	if err != nil {
		return nil, err
	}
	changed := src == nil
	for _, w := range want {
		did, err := f.putOne(doc, events, w)
		if err != nil {
			return nil, err
		}
		changed = changed || did
	}
	wanted := func(event string) bool {
		return slices.ContainsFunc(want, func(w entry) bool { return w.event == event })
	}
	if f.dropFrom(events, wanted, nil) {
		changed = true
	}
	if !changed {
		return src, nil
	}
	return doc.bytes()
}

// putOne makes the entries of one event right, and reports whether they were not.
func (f *jsonForm) putOne(doc *jsonDoc, events *jsonObject, w entry) (bool, error) {
	hook := object(f.hook(w))
	list := events.get(w.event)
	if list == nil {
		events.set(w.event, []json.RawMessage{f.grouped(hook)})
		return true, nil
	}
	array, ok := list.Value.(*hujson.Array)
	if !ok {
		return false, fmt.Errorf("%s is not a list: correct the file first", strings.Join(append(slices.Clone(f.at), w.event), "."))
	}
	if f.runs != nil {
		if changed, done := f.renew(doc, events, array, w); done {
			return changed, nil
		}
	}
	first, changed := true, false
	f.walk(array, func(in *hujson.Array, i int, _ *hujson.Value) bool {
		if !first {
			changed = true
			return false
		}
		first = false
		if !sameJSON(&in.Elements[i], hook) {
			doc.replace(&in.Elements[i], hook)
			changed = true
		}
		return true
	})
	if first {
		doc.append(array, events.depth+1, f.grouped(hook))
		changed = true
	}
	return changed, nil
}

// grouped is a hook as a list of an event has it.
func (f *jsonForm) grouped(hook json.RawMessage) json.RawMessage {
	if !f.nested {
		return hook
	}
	return object(append(slices.Clone(f.group), member{"hooks", []json.RawMessage{hook}}))
}

// walk calls keep for each hook of ours in an event's list; one that is not kept
// is removed, and its group if nothing else is in it.
func (f *jsonForm) walk(array *hujson.Array, keep func(in *hujson.Array, i int, group *hujson.Value) bool) {
	if !f.nested {
		f.walkFlat(array, nil, keep)
		return
	}
	for i := 0; i < len(array.Elements); i++ {
		group, ok := array.Elements[i].Value.(*hujson.Object)
		if !ok {
			continue
		}
		inner := find(group, "hooks")
		if inner == nil {
			continue
		}
		hooks, ok := inner.Value.(*hujson.Array)
		if !ok {
			continue
		}
		before := len(hooks.Elements)
		f.walkFlat(hooks, &array.Elements[i], keep)
		switch {
		case before == 0 || len(hooks.Elements) > 0:
		case f.runs != nil && i+1 < len(array.Elements):
			array.Elements[i].Value = emptyPlace()
		default:
			removeElement(array, i)
			i--
		}
	}
}

func (f *jsonForm) walkFlat(array *hujson.Array, group *hujson.Value, keep func(in *hujson.Array, i int, group *hujson.Value) bool) {
	for i := 0; i < len(array.Elements); i++ {
		if _, ok := hostfiles.Ours(text(&array.Elements[i], f.key), f.host); ok && !keep(array, i, group) {
			removeElement(array, i)
			i--
		}
	}
}

// dropFrom removes our hooks of the events that are not wanted, and what is
// empty then.
// Places, if any, removes what only keeps the places of others.
func (f *jsonForm) dropFrom(events *jsonObject, wanted func(event string) bool, places func(*hujson.Array) bool) bool {
	changed := false
	for i := 0; i < len(events.Members); i++ {
		array, ok := events.Members[i].Value.Value.(*hujson.Array)
		if !ok || wanted(name(&events.Members[i])) {
			continue
		}
		before := len(array.Elements)
		did := false
		f.walk(array, func(*hujson.Array, int, *hujson.Value) bool { did = true; return false })
		if places != nil && places(array) {
			did = true
		}
		changed = changed || did
		if did && before > 0 && len(array.Elements) == 0 && isBlank(array.AfterExtra) && !hasComment(&events.Members[i]) {
			removeMember(events.Object, i)
			i--
		}
	}
	return changed
}

func (f *jsonForm) drop(src []byte) ([]byte, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	events, err := doc.objectAt(f.at, false)
	if err != nil || events == nil || !f.dropFrom(events, func(string) bool { return false }, dropPlaces) {
		return src, nil // nothing of ours is in a file of another shape
	}
	doc.removeEmpty(f.at)
	if doc.holdsOnly(f.top) {
		return nil, nil
	}
	return doc.bytes()
}

func (f *jsonForm) find(src []byte) ([]entry, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	events, err := doc.objectAt(f.at, false)
	if err != nil || events == nil {
		return nil, err
	}
	var out []entry
	for i := range events.Members {
		array, ok := events.Members[i].Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		event := name(&events.Members[i])
		f.walk(array, func(in *hujson.Array, j int, group *hujson.Value) bool {
			out = append(out, f.entry(event, array, in, j, group))
			return true
		})
	}
	return out, nil
}

// entry reads a hook of ours in an event's list.
func (f *jsonForm) entry(event string, list, in *hujson.Array, i int, group *hujson.Value) entry {
	e := entry{event: event, command: text(&in.Elements[i], f.key), index: i, narrowed: f.narrowed(&in.Elements[i], group)}
	for k := range list.Elements {
		if group == &list.Elements[k] {
			e.group = k
		}
	}
	if group == nil {
		e.group, e.index = i, 0
	}
	if o, ok := in.Elements[i].Value.(*hujson.Object); ok {
		if n := find(o, "timeout"); n != nil && n.Value.Kind() == '0' {
			e.timeout = int(n.Value.(hujson.Literal).Int())
		}
	}
	return e
}

// narrowed says what keeps a hook from being asked each time.
func (f *jsonForm) narrowed(hook, group *hujson.Value) string {
	for _, v := range []*hujson.Value{hook, group} {
		if v == nil {
			continue
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for _, key := range f.quiet {
			m := find(o, key)
			if m == nil {
				continue
			}
			if s := string(m.Pack()); !slices.Contains([]string{`""`, `"*"`, `".*"`, "false", "null"}, strings.TrimSpace(s)) {
				return key + " " + strings.TrimSpace(s)
			}
		}
	}
	return ""
}

// others lists the command lines in a file that call us but are not ours.
func (f *jsonForm) others(src []byte) []string {
	v, err := hujson.Parse(src)
	if err != nil {
		return nil
	}
	var out []string
	for at := range v.All() {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			continue
		}
		line := text(&hujson.Value{Value: o}, f.key)
		if _, mine := hostfiles.Ours(line, f.host); !mine && mentions(line) {
			out = append(out, line)
		}
	}
	return out
}

var errNoObject = errors.New("the file is not a JSON object: correct it first")
