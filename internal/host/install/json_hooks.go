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

// A JSONForm is a JSON file, with comments or without, in which each event has a
// list of hooks.
type JSONForm struct {
	Host   string
	At     []string // the keys down to the object of events
	Top    []Member // what else a new file needs
	nested bool     // hooks stand in groups that share a matcher: [{"hooks":[…]}]
	Key    string   // the member of a hook that is its command line
	Hook   func(Entry) []Member
	// group is what a new group or a flat hook has beside that.
	group []Member
	// Quiet are members of a hook or its group that keep it from being asked
	// each time, or from being heard.
	Quiet []string
	// Runs reports whether the host runs an entry, where it knows entries by their
	// places and runs none that the person has not trusted; nil = it runs any.
	Runs func(Entry) bool
}

// A Member is a key of an object with its value.
type Member struct {
	key   string
	value any
}

// Members returns members from their keys and values, in turn.
func Members(pairs ...any) []Member {
	out := make([]Member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Member{pairs[i].(string), pairs[i+1]})
	}
	return out
}

// Object is an object whose members keep their order.
func Object(list []Member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Encode(m.key))
		b.WriteByte(':')
		b.Write(Encode(m.value))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Encode is json.Marshal that leaves < > & as they are.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only what we made is written
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (f *JSONForm) Put(src []byte, want []Entry) ([]byte, error) {
	doc, err := parseJSON(src, f.Top)
	if err != nil {
		return nil, err
	}
	events, err := doc.objectAt(f.At, true)
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
		return slices.ContainsFunc(want, func(w Entry) bool { return w.Event == event })
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
func (f *JSONForm) putOne(doc *jsonDoc, events *jsonObject, w Entry) (bool, error) {
	hook := Object(f.Hook(w))
	list := events.get(w.Event)
	if list == nil {
		events.set(w.Event, []json.RawMessage{f.grouped(hook)})
		return true, nil
	}
	array, ok := list.Value.(*hujson.Array)
	if !ok {
		return false, fmt.Errorf("%s is not a list: correct the file first", strings.Join(append(slices.Clone(f.At), w.Event), "."))
	}
	if f.Runs != nil {
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
func (f *JSONForm) grouped(hook json.RawMessage) json.RawMessage {
	if !f.nested {
		return hook
	}
	return Object(append(slices.Clone(f.group), Member{"hooks", []json.RawMessage{hook}}))
}

// walk calls keep for each hook of ours in an event's list; one that is not kept
// is removed, and its group if nothing else is in it.
func (f *JSONForm) walk(array *hujson.Array, keep func(in *hujson.Array, i int, group *hujson.Value) bool) {
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
		case f.Runs != nil && i+1 < len(array.Elements):
			array.Elements[i].Value = emptyPlace()
		default:
			removeElement(array, i)
			i--
		}
	}
}

func (f *JSONForm) walkFlat(array *hujson.Array, group *hujson.Value, keep func(in *hujson.Array, i int, group *hujson.Value) bool) {
	for i := 0; i < len(array.Elements); i++ {
		if _, ok := hostfiles.Ours(text(&array.Elements[i], f.Key), f.Host); ok && !keep(array, i, group) {
			removeElement(array, i)
			i--
		}
	}
}

// dropFrom removes our hooks of the events that are not wanted, and what is
// empty then.
// Places, if any, removes what only keeps the places of others.
func (f *JSONForm) dropFrom(events *jsonObject, wanted func(event string) bool, places func(*hujson.Array) bool) bool {
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
		if did && before > 0 && len(array.Elements) == 0 && IsBlank(array.AfterExtra) && !hasComment(&events.Members[i]) {
			removeMember(events.Object, i)
			i--
		}
	}
	return changed
}

func (f *JSONForm) Drop(src []byte) ([]byte, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	events, err := doc.objectAt(f.At, false)
	if err != nil || events == nil || !f.dropFrom(events, func(string) bool { return false }, dropPlaces) {
		return src, nil // nothing of ours is in a file of another shape
	}
	doc.removeEmpty(f.At)
	if doc.holdsOnly(f.Top) {
		return nil, nil
	}
	return doc.bytes()
}

func (f *JSONForm) Find(src []byte) ([]Entry, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	events, err := doc.objectAt(f.At, false)
	if err != nil || events == nil {
		return nil, err
	}
	var out []Entry
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
func (f *JSONForm) entry(event string, list, in *hujson.Array, i int, group *hujson.Value) Entry {
	e := Entry{Event: event, Command: text(&in.Elements[i], f.Key), Index: i, Narrowed: f.narrowed(&in.Elements[i], group)}
	for k := range list.Elements {
		if group == &list.Elements[k] {
			e.Group = k
		}
	}
	if group == nil {
		e.Group, e.Index = i, 0
	}
	if o, ok := in.Elements[i].Value.(*hujson.Object); ok {
		if n := find(o, "timeout"); n != nil && n.Value.Kind() == '0' {
			e.Timeout = int(n.Value.(hujson.Literal).Int())
		}
	}
	return e
}

// narrowed returns what keeps a hook from being asked each time.
func (f *JSONForm) narrowed(hook, group *hujson.Value) string {
	for _, v := range []*hujson.Value{hook, group} {
		if v == nil {
			continue
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for _, key := range f.Quiet {
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
func (f *JSONForm) others(src []byte) []string {
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
		line := text(&hujson.Value{Value: o}, f.Key)
		if _, mine := hostfiles.Ours(line, f.Host); !mine && callsCheckrein(line) {
			out = append(out, line)
		}
	}
	return out
}

var errNoObject = errors.New("the file is not a JSON object: correct it first")

// GroupForm is hooks in groups with a matcher, timeouts in seconds.
func GroupForm(host string) *JSONForm {
	return &JSONForm{
		Host: host, At: []string{"hooks"}, nested: true, Key: "command",
		Hook: func(e Entry) []Member {
			return []Member{{"type", "command"}, {"command", e.Command}, {"timeout", e.Timeout}}
		},
		Quiet: []string{"matcher", "if", "async", "asyncRewake"},
	}
}

// HookName is what hosts call our hooks where a hook has a name.
const HookName = "checkrein"

// MillisForm is hooks in groups with a matcher, timeouts in milliseconds.
func MillisForm(host string) *JSONForm {
	return &JSONForm{
		Host: host, At: []string{"hooks"}, nested: true, Key: "command",
		Hook: func(e Entry) []Member {
			return []Member{{"name", HookName}, {"type", "command"}, {"command", e.Command}, {"timeout", e.Timeout * 1000}}
		},
		Quiet: []string{"matcher", "async"},
	}
}
