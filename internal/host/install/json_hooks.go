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

// A JSONForm is the form of a JSON file, with or without comments, that has a list of hooks for each
// event.
type JSONForm struct {
	Host   string
	At     []string // the keys that lead to the object with the events
	Top    []Member // other members that a new file needs
	nested bool     // hooks are in groups that share a matcher: [{"hooks":[…]}]
	Key    string   // the member of a hook that holds its command line
	Hook   func(Entry) []Member
	Gate   []Member // further members of a hook that the host must not continue without
	// group holds the members of a new group other than its hooks.
	group []Member
	// NarrowingKeys are the keys of members of a hook or its group that keep the host from calling the
	// hook every time or from waiting for its answer.
	NarrowingKeys []string
	// Runs reports whether the host runs an entry. It is set for hosts that identify entries by their
	// positions and run only those that the user trusted; nil = the host runs all entries.
	Runs func(Entry) bool
}

// A Member is a member of a JSON object.
type Member struct {
	key   string
	value any
}

// NewMembers returns members with the alternating keys and values in pairs.
func NewMembers(pairs ...any) []Member {
	out := make([]Member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Member{pairs[i].(string), pairs[i+1]})
	}
	return out
}

// EncodeObject returns a JSON object with the members of list in their order.
func EncodeObject(list []Member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(EncodeJSON(m.key))
		b.WriteByte(':')
		b.Write(EncodeJSON(m.value))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// EncodeJSON returns v as JSON without HTML escapes. It panics if v cannot be encoded.
func EncodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // install only encodes its own values
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
		did, err := f.putEntry(doc, events, w)
		if err != nil {
			return nil, err
		}
		changed = changed || did
	}
	wanted := func(event string) bool {
		return slices.ContainsFunc(want, func(w Entry) bool { return w.Event == event })
	}
	if f.dropEvents(events, wanted, nil) {
		changed = true
	}
	if !changed {
		return src, nil
	}
	return doc.bytes()
}

// putEntry adds or updates the entry of an event, and reports whether it changed the document.
func (f *JSONForm) putEntry(doc *jsonDoc, events *jsonObject, w Entry) (bool, error) {
	members := f.Hook(w)
	if w.Closed {
		members = append(members, f.Gate...)
	}
	hook := EncodeObject(members)
	list := events.get(w.Event)
	if list == nil {
		events.set(w.Event, []json.RawMessage{f.listElement(hook)})
		return true, nil
	}
	array, ok := list.Value.(*hujson.Array)
	if !ok {
		return false, fmt.Errorf("%s is not a list: correct the file first", strings.Join(append(slices.Clone(f.At), w.Event), "."))
	}
	if f.Runs != nil {
		if changed, done := f.replaceTrusted(doc, events, array, w); done {
			return changed, nil
		}
	}
	first, changed := true, false
	f.filterOwn(array, func(in *hujson.Array, i int, _ *hujson.Value) bool {
		if !first {
			changed = true
			return false
		}
		first = false
		if !sameJSON(&in.Elements[i], hook) {
			doc.replaceValue(&in.Elements[i], hook)
			changed = true
		}
		return true
	})
	if first {
		doc.appendElement(array, events.depth+1, f.listElement(hook))
		changed = true
	}
	return changed, nil
}

// listElement returns hook as an element of an event's list: the hook itself, or a group that holds
// it.
func (f *JSONForm) listElement(hook json.RawMessage) json.RawMessage {
	if !f.nested {
		return hook
	}
	return EncodeObject(append(slices.Clone(f.group), Member{"hooks", []json.RawMessage{hook}}))
}

// filterOwn calls keep for each of checkrein's hooks in array, the list of an event. It removes the
// hooks for which keep returns false, and the groups that this leaves empty.
func (f *JSONForm) filterOwn(array *hujson.Array, keep func(in *hujson.Array, i int, group *hujson.Value) bool) {
	if !f.nested {
		f.filterOwnFlat(array, nil, keep)
		return
	}
	for i := 0; i < len(array.Elements); i++ {
		group, ok := array.Elements[i].Value.(*hujson.Object)
		if !ok {
			continue
		}
		inner := findMember(group, "hooks")
		if inner == nil {
			continue
		}
		hooks, ok := inner.Value.(*hujson.Array)
		if !ok {
			continue
		}
		before := len(hooks.Elements)
		f.filterOwnFlat(hooks, &array.Elements[i], keep)
		switch {
		case before == 0 || len(hooks.Elements) > 0:
		case f.Runs != nil && i+1 < len(array.Elements):
			array.Elements[i].Value = emptyGroup()
		default:
			removeElement(array, i)
			i--
		}
	}
}

// filterOwnFlat is filterOwn for a list of hooks without groups. group is the group that holds the
// list, or nil.
func (f *JSONForm) filterOwnFlat(array *hujson.Array, group *hujson.Value, keep func(in *hujson.Array, i int, group *hujson.Value) bool) {
	for i := 0; i < len(array.Elements); i++ {
		if _, ok := hostfiles.OwnProgram(stringMember(&array.Elements[i], f.Key), f.Host); ok && !keep(array, i, group) {
			removeElement(array, i)
			i--
		}
	}
}

// dropEvents removes checkrein's hooks of events that are not wanted, and lists that this leaves
// empty. dropPlaces, if not nil, also removes the groups that only keep positions from a list.
// dropEvents reports whether it changed anything.
func (f *JSONForm) dropEvents(events *jsonObject, wanted func(event string) bool, dropPlaces func(*hujson.Array) bool) bool {
	changed := false
	for i := 0; i < len(events.Members); i++ {
		array, ok := events.Members[i].Value.Value.(*hujson.Array)
		if !ok || wanted(memberName(&events.Members[i])) {
			continue
		}
		before := len(array.Elements)
		did := false
		f.filterOwn(array, func(*hujson.Array, int, *hujson.Value) bool { did = true; return false })
		if dropPlaces != nil && dropPlaces(array) {
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
	if err != nil || events == nil || !f.dropEvents(events, func(string) bool { return false }, dropEmptyGroups) {
		return src, nil // a file without such an object cannot have checkrein's entries
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
		event := memberName(&events.Members[i])
		f.filterOwn(array, func(in *hujson.Array, j int, group *hujson.Value) bool {
			out = append(out, f.readEntry(event, array, in, j, group))
			return true
		})
	}
	return out, nil
}

// readEntry returns the entry for the hook in.Elements[i], which is in list, the list of event; group
// is the element of list that holds it, or nil.
func (f *JSONForm) readEntry(event string, list, in *hujson.Array, i int, group *hujson.Value) Entry {
	e := Entry{Event: event, Command: stringMember(&in.Elements[i], f.Key), Index: i, Narrowed: f.narrowingMember(&in.Elements[i], group)}
	for k := range list.Elements {
		if group == &list.Elements[k] {
			e.Group = k
		}
	}
	if group == nil {
		e.Group, e.Index = i, 0
	}
	if o, ok := in.Elements[i].Value.(*hujson.Object); ok {
		if n := findMember(o, "timeout"); n != nil && n.Value.Kind() == '0' {
			e.Timeout = int(n.Value.(hujson.Literal).Int())
		}
	}
	return e
}

// narrowingMember returns the member of hook or group that keeps the host from calling the hook every
// time, as "key value", or "" if there is none.
func (f *JSONForm) narrowingMember(hook, group *hujson.Value) string {
	for _, v := range []*hujson.Value{hook, group} {
		if v == nil {
			continue
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			continue
		}
		for _, key := range f.NarrowingKeys {
			m := findMember(o, key)
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

// foreignLines returns the command lines in src that call checkrein but that install did not write.
func (f *JSONForm) foreignLines(src []byte) []string {
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
		line := stringMember(&hujson.Value{Value: o}, f.Key)
		if _, mine := hostfiles.OwnProgram(line, f.Host); !mine && callsCheckrein(line) {
			out = append(out, line)
		}
	}
	return out
}

var errNoObject = errors.New("the file is not a JSON object: correct it first")

// GroupForm returns the form of files that have hooks in groups with a common matcher, and timeouts in
// seconds.
func GroupForm(host string) *JSONForm {
	return &JSONForm{
		Host: host, At: []string{"hooks"}, nested: true, Key: "command",
		Hook: func(e Entry) []Member {
			return []Member{{"type", "command"}, {"command", e.Command}, {"timeout", e.Timeout}}
		},
		NarrowingKeys: []string{"matcher", "if", "async", "asyncRewake"},
	}
}

// HookName is the name of checkrein's hooks in files where hooks have names.
const HookName = "checkrein"

// MillisForm returns a form like that of [GroupForm], but with named hooks and timeouts in
// milliseconds.
func MillisForm(host string) *JSONForm {
	return &JSONForm{
		Host: host, At: []string{"hooks"}, nested: true, Key: "command",
		Hook: func(e Entry) []Member {
			return []Member{{"name", HookName}, {"type", "command"}, {"command", e.Command}, {"timeout", e.Timeout * 1000}}
		},
		NarrowingKeys: []string{"matcher", "async"},
	}
}
