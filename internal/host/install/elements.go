package install

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Elements is a JSON file that names a plugin of ours: an element in a list, and
// perhaps settings of the plugin.
type Elements struct {
	Top     []Member // of a new file
	List    []string // the keys down to the list
	Element string
	Mine    func(element string) bool // also an older one of ours
	Members []Placed
	Object  []string // what is ours altogether, if anything
}

// A Placed value is a member somewhere in the file.
type Placed struct {
	At    []string // the keys down to its object
	Key   string
	Value any
}

func (f *Elements) Put(src []byte, _ []Entry) ([]byte, error) {
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
		if v := o.get(p.Key); v == nil || !sameJSON(v, Encode(p.Value)) {
			o.set(p.Key, p.Value)
			changed = true
		}
	}
	if src != nil && !changed {
		return src, nil
	}
	return doc.bytes()
}

// array is the list, if the file has it.
func (f *Elements) array(doc *jsonDoc) (*hujson.Array, error) {
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

func (f *Elements) putElement(doc *jsonDoc) (changed bool, err error) {
	a, err := f.array(doc)
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
		s, ok := f.isMine(&a.Elements[i])
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
		doc.append(a, n+1, json.RawMessage(Encode(f.Element)))
	}
	return changed || !found, nil
}

func (f *Elements) isMine(v *hujson.Value) (string, bool) {
	s, ok := v.Value.(hujson.Literal)
	if !ok || s.Kind() != '"' {
		return "", false
	}
	return s.String(), s.String() == f.Element || f.Mine(s.String())
}

func (f *Elements) Drop(src []byte) ([]byte, error) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return nil, err
	}
	changed := false
	a, err := f.array(doc)
	if err != nil {
		return src, nil // nothing of ours is in a file of another shape
	}
	if a != nil {
		before := len(a.Elements)
		for i := 0; i < len(a.Elements); i++ {
			if _, ok := f.isMine(&a.Elements[i]); ok {
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

// Find has no entries: the events are in the plugin.
func (f *Elements) Find(src []byte) ([]Entry, error) {
	_, err := parseJSON(src, nil)
	return nil, err
}

// names reports whether the file names the plugin.
func (f *Elements) names(src []byte) bool {
	at, list := f.position(src)
	return at < len(list)
}

// behind lists what stands behind the plugin in its list.
func (f *Elements) behind(src []byte) []string {
	at, list := f.position(src)
	if at >= len(list) {
		return nil
	}
	return list[at+1:]
}

// position finds the plugin in its list.
func (f *Elements) position(src []byte) (int, []string) {
	doc, err := parseJSON(src, nil)
	if err != nil {
		return 0, nil
	}
	a, err := f.array(doc)
	if err != nil || a == nil {
		return 0, nil
	}
	at := len(a.Elements)
	var list []string
	for i := range a.Elements {
		if s, _ := f.isMine(&a.Elements[i]); s == f.Element {
			at = min(at, i)
		}
		list = append(list, strings.TrimSpace(string(a.Elements[i].Pack())))
	}
	return at, list
}
