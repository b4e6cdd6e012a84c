package install

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// elements is a JSON file that names a plugin of ours: an element in a list, and
// perhaps settings of the plugin.
type elements struct {
	top     []member // of a new file
	list    []string // the keys down to the list
	element string
	mine    func(element string) bool // also an older one of ours
	members []placed
	object  []string // what is ours altogether, if anything
}

// A placed value is a member somewhere in the file.
type placed struct {
	at    []string // the keys down to its object
	key   string
	value any
}

func (f *elements) put(src []byte, _ []entry) ([]byte, error) {
	doc, err := parseJSON(src, f.top)
	if err != nil {
		return nil, err
	}
	changed, err := f.putElement(doc)
	if err != nil {
		return nil, err
	}
	for _, p := range f.members {
		o, err := doc.objectAt(p.at, true)
		if err != nil {
			return nil, err
		}
		if v := o.get(p.key); v == nil || !sameJSON(v, encode(p.value)) {
			o.set(p.key, p.value)
			changed = true
		}
	}
	if src != nil && !changed {
		return src, nil
	}
	return doc.bytes()
}

// array is the list, if the file has it.
func (f *elements) array(doc *jsonDoc) (*hujson.Array, error) {
	n := len(f.list) - 1
	o, err := doc.objectAt(f.list[:n], false)
	if err != nil || o == nil {
		return nil, err
	}
	v := o.get(f.list[n])
	if v == nil || v.Value.Kind() == 'n' {
		return nil, nil
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s is not a list: correct the file first", strings.Join(f.list, "."))
	}
	return a, nil
}

func (f *elements) putElement(doc *jsonDoc) (changed bool, err error) {
	a, err := f.array(doc)
	if err != nil {
		return false, err
	}
	n := len(f.list) - 1
	if a == nil {
		o, err := doc.objectAt(f.list[:n], true)
		if err != nil {
			return false, err
		}
		o.set(f.list[n], []string{f.element})
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
			if s != f.element {
				a.Elements[i].Value = hujson.String(f.element)
				changed = true
			}
		}
	}
	if !found {
		doc.append(a, n+1, json.RawMessage(encode(f.element)))
	}
	return changed || !found, nil
}

func (f *elements) isMine(v *hujson.Value) (string, bool) {
	s, ok := v.Value.(hujson.Literal)
	if !ok || s.Kind() != '"' {
		return "", false
	}
	return s.String(), s.String() == f.element || f.mine(s.String())
}

func (f *elements) drop(src []byte) ([]byte, error) {
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
		if changed && len(a.Elements) == 0 && isBlank(a.AfterExtra) {
			if o, _ := doc.objectAt(f.list[:len(f.list)-1], false); o != nil {
				o.remove(f.list[len(f.list)-1])
			}
			doc.removeEmpty(f.list[:len(f.list)-1])
		}
	}
	if n := len(f.object); n > 0 {
		if o, err := doc.objectAt(f.object[:n-1], false); err == nil && o != nil && o.remove(f.object[n-1]) {
			doc.removeEmpty(f.object[:n-1])
			changed = true
		}
	}
	switch {
	case !changed:
		return src, nil
	case doc.holdsOnly(f.top):
		return nil, nil
	}
	return doc.bytes()
}

// find has no entries: the events are in the plugin.
func (f *elements) find(src []byte) ([]entry, error) {
	_, err := parseJSON(src, nil)
	return nil, err
}

// names reports whether the file names the plugin.
func (f *elements) names(src []byte) bool {
	at, list := f.position(src)
	return at < len(list)
}

// behind lists what stands behind the plugin in its list.
func (f *elements) behind(src []byte) []string {
	at, list := f.position(src)
	if at >= len(list) {
		return nil
	}
	return list[at+1:]
}

// position finds the plugin in its list.
func (f *elements) position(src []byte) (int, []string) {
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
		if s, _ := f.isMine(&a.Elements[i]); s == f.element {
			at = min(at, i)
		}
		list = append(list, strings.TrimSpace(string(a.Elements[i].Pack())))
	}
	return at, list
}
