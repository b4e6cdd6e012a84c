package install

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A PluginList is the form of a JSON file with a list of plugins that includes checkrein's, and
// possibly with settings of that plugin.
type PluginList struct {
	Top     []Member // the members of a new file
	List    []string // the keys that lead to the list
	Element string
	Mine    func(element string) bool // reports whether an earlier version of checkrein wrote the element
	Members []PlacedMember
	Object  []string // the keys that lead to an object that is only checkrein's, if there is one
}

// A PlacedMember is a member of an object in the file that checkrein's plugin needs.
type PlacedMember struct {
	At    []string // the keys that lead to its object
	Key   string
	Value any
}

func (f *PluginList) Put(src []byte, _ []Entry) ([]byte, error) {
	doc, err := parseJSON(src, f.Top)
	if err != nil {
		return nil, err
	}
	changed, err := f.putElement(doc)
	if err != nil {
		return nil, err
	}
	for _, p := range f.Members {
		o, err := doc.objectAt(p.At, true)
		if err != nil {
			return nil, err
		}
		if v := o.get(p.Key); v == nil || !sameJSON(v, EncodeJSON(p.Value)) {
			o.set(p.Key, p.Value)
			changed = true
		}
	}
	if src != nil && !changed {
		return src, nil
	}
	return doc.bytes()
}

// pluginArray returns the list of plugins in doc, or nil if there is none.
func (f *PluginList) pluginArray(doc *jsonDoc) (*hujson.Array, error) {
	n := len(f.List) - 1
	o, err := doc.objectAt(f.List[:n], false)
	if err != nil || o == nil {
		return nil, err
	}
	v := o.get(f.List[n])
	if v == nil || v.Value.Kind() == 'n' {
		return nil, nil
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s is not a list: correct the file first", strings.Join(f.List, "."))
	}
	return a, nil
}

// putElement adds checkrein's element to the list or updates it, and removes duplicates of it. It
// reports whether it changed doc.
func (f *PluginList) putElement(doc *jsonDoc) (changed bool, err error) {
	a, err := f.pluginArray(doc)
	if err != nil {
		return false, err
	}
	n := len(f.List) - 1
	if a == nil {
		o, err := doc.objectAt(f.List[:n], true)
		if err != nil {
			return false, err
		}
		o.set(f.List[n], []string{f.Element})
		return true, nil
	}
	found := false
	for i := 0; i < len(a.Elements); i++ {
		s, ok := f.ownElement(&a.Elements[i])
		switch {
		case !ok:
		case found:
			removeElement(a, i)
			i--
			changed = true
		default:
			found = true
			if s != f.Element {
				a.Elements[i].Value = hujson.String(f.Element)
				changed = true
			}
		}
	}
	if !found {
		doc.appendElement(a, n+1, json.RawMessage(EncodeJSON(f.Element)))
	}
	return changed || !found, nil
}

// ownElement returns the text of an element and reports whether checkrein wrote it.
func (f *PluginList) ownElement(v *hujson.Value) (string, bool) {
	s, ok := v.Value.(hujson.Literal)
	if !ok || s.Kind() != '"' {
		return "", false
	}
	return s.String(), s.String() == f.Element || f.Mine(s.String())
}

func (f *PluginList) Drop(src []byte) ([]byte, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	changed := false
	a, err := f.pluginArray(doc)
	if err != nil {
		return src, nil // a value that is not a list cannot have checkrein's element
	}
	if a != nil {
		before := len(a.Elements)
		for i := 0; i < len(a.Elements); i++ {
			if _, ok := f.ownElement(&a.Elements[i]); ok {
				removeElement(a, i)
				i--
			}
		}
		changed = len(a.Elements) != before
		if changed && len(a.Elements) == 0 && IsBlank(a.AfterExtra) {
			if o, _ := doc.objectAt(f.List[:len(f.List)-1], false); o != nil {
				o.remove(f.List[len(f.List)-1])
			}
			doc.removeEmpty(f.List[:len(f.List)-1])
		}
	}
	if n := len(f.Object); n > 0 {
		if o, err := doc.objectAt(f.Object[:n-1], false); err == nil && o != nil && o.remove(f.Object[n-1]) {
			doc.removeEmpty(f.Object[:n-1])
			changed = true
		}
	}
	switch {
	case !changed:
		return src, nil
	case doc.holdsOnly(f.Top):
		return nil, nil
	}
	return doc.bytes()
}

// Find returns no entries, because the plugin itself subscribes to events. It returns an error if src
// is not valid.
func (f *PluginList) Find(src []byte) ([]Entry, error) {
	_, err := parseJSON(src, nil)
	return nil, err
}

// listsPlugin reports whether the list in src has checkrein's current element.
func (f *PluginList) listsPlugin(src []byte) bool {
	at, list := f.findPlugin(src)
	return at < len(list)
}

// pluginsAfter returns the elements that follow checkrein's in the list.
func (f *PluginList) pluginsAfter(src []byte) []string {
	at, list := f.findPlugin(src)
	if at >= len(list) {
		return nil
	}
	return list[at+1:]
}

// findPlugin returns the index of checkrein's element in the list, and the list. If the element is
// missing, the index is the length of the list.
func (f *PluginList) findPlugin(src []byte) (int, []string) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return 0, nil
	}
	a, err := f.pluginArray(doc)
	if err != nil || a == nil {
		return 0, nil
	}
	at := len(a.Elements)
	var list []string
	for i := range a.Elements {
		if s, _ := f.ownElement(&a.Elements[i]); s == f.Element {
			at = min(at, i)
		}
		list = append(list, strings.TrimSpace(string(a.Elements[i].Pack())))
	}
	return at, list
}
