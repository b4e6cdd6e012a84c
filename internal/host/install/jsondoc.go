package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonDoc is a JSON file that is edited: what is put in looks like the rest.
type jsonDoc struct {
	root    hujson.Value
	bom     bool
	newline string // "" = the file, or the part at hand, is one line
	indent  string
	space   string // between values of one line
	tight   bool   // no spaces anywhere
}

// A jsonObject is an object in a file, so deep.
type jsonObject struct {
	*hujson.Object
	doc   *jsonDoc
	depth int
}

var bom = []byte("\xef\xbb\xbf")

// parseJSON reads a file; one that is not there, or empty, is an object with
// these members.
func parseJSON(src []byte, top []Member) (*jsonDoc, error) {
	d := &jsonDoc{newline: "\n", indent: "  "}
	src, d.bom = bytes.CutPrefix(src, bom)
	if len(bytes.TrimSpace(src)) == 0 {
		d.root = hujson.Value{Value: &hujson.Object{AfterExtra: []byte("\n")}, AfterExtra: []byte("\n")}
		root := jsonObject{d.root.Value.(*hujson.Object), d, 0}
		for _, m := range top {
			root.set(m.key, m.value)
		}
		return d, nil
	}
	v, err := hujson.Parse(bytes.Clone(src))
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON: %w. Correct it first", err)
	}
	d.root = v
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errNoObject
	}
	switch {
	case bytes.Contains(src, []byte("\r\n")):
		d.newline = "\r\n"
	case bytes.IndexByte(bytes.TrimSpace(src), '\n') < 0 && len(root.Members) > 0:
		d.newline, d.indent, d.tight = "", "", !bytes.Contains(src, []byte(`": `))
	}
	if len(root.Members) > 0 && d.newline != "" {
		extra := root.Members[0].Name.BeforeExtra
		if i := bytes.LastIndexByte(extra, '\n'); i >= 0 && len(extra) > i+1 && IsBlank(extra[i:]) {
			d.indent = string(extra[i+1:])
		}
	}
	return d, nil
}

// bytes returns the file, after a look at what was made.
func (d *jsonDoc) bytes() ([]byte, error) {
	out := d.root.Pack()
	if _, err := hujson.Parse(out); err != nil {
		return nil, fmt.Errorf("checkrein's edit would make the file invalid JSON, so the file was not changed: %w", err)
	}
	if d.bom {
		out = append(append([]byte{}, bom...), out...)
	}
	return out, nil
}

// objectAt follows keys from the root; with create it makes what is missing.
func (d *jsonDoc) objectAt(keys []string, create bool) (*jsonObject, error) {
	at := &jsonObject{d.root.Value.(*hujson.Object), d, 0}
	for i, key := range keys {
		v := at.get(key)
		if v == nil || v.Value.Kind() == 'n' {
			if !create {
				return nil, nil
			}
			at.set(key, json.RawMessage("{}"))
			v = at.get(key)
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not an object: correct the file first", strings.Join(keys[:i+1], "."))
		}
		at = &jsonObject{o, d, i + 1}
	}
	return at, nil
}

// removeEmpty removes the objects on the way down these keys that are empty.
func (d *jsonDoc) removeEmpty(keys []string) {
	for n := len(keys); n > 0; n-- {
		at, err := d.objectAt(keys[:n], false)
		if err != nil || at == nil || len(at.Members) > 0 || !IsBlank(at.AfterExtra) {
			return
		}
		if parent, _ := d.objectAt(keys[:n-1], false); parent == nil || !parent.remove(keys[n-1]) {
			return
		}
	}
}

// holdsOnly reports whether nothing but these members is in the file.
func (d *jsonDoc) holdsOnly(top []Member) bool {
	root := d.root.Value.(*hujson.Object)
	if !d.root.IsStandard() || len(root.Members) > len(top) {
		return false
	}
	for _, m := range top {
		if v := find(root, m.key); v != nil && !sameJSON(v, Encode(m.value)) {
			return false
		}
	}
	for i := range root.Members {
		if !hasKey(top, name(&root.Members[i])) {
			return false
		}
	}
	return true
}

func hasKey(list []Member, key string) bool {
	for _, m := range list {
		if m.key == key {
			return true
		}
	}
	return false
}

func name(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// find returns a member's value, nil if there is none. Of several the last one
// counts, as hosts have it.
func find(o *hujson.Object, key string) *hujson.Value {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if name(&o.Members[i]) == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// text is the text in a member of an object, "" if there is none.
func text(v *hujson.Value, key string) string {
	if o, ok := v.Value.(*hujson.Object); ok {
		if m := find(o, key); m != nil && m.Value.Kind() == '"' {
			return m.Value.(hujson.Literal).String()
		}
	}
	return ""
}

func (o *jsonObject) get(key string) *hujson.Value { return find(o.Object, key) }

// set replaces a member's value or adds the member at the end. A value of ours
// stands on one line.
func (o *jsonObject) set(key string, value any) {
	if v := o.get(key); v != nil {
		o.doc.replace(v, Encode(value))
		return
	}
	d := o.doc
	var last *hujson.Value
	if n := len(o.Members); n > 0 {
		last = &o.Members[n-1].Value
		if isInline(o.Object) {
			d = d.inline(o.Members[n-1].Name.BeforeExtra)
		}
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(key)}, Value: d.value(Encode(value))}
	if !d.tight {
		m.Value.BeforeExtra = []byte(" ")
	}
	m.Name.BeforeExtra, o.AfterExtra = d.join(o.AfterExtra, o.depth)
	m.Value.AfterExtra = trailing(last)
	o.Members = append(o.Members, m)
}

// remove removes a member, unless someone put a comment beside its value.
func (o *jsonObject) remove(key string) bool {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if name(&o.Members[i]) == key {
			if hasComment(&o.Members[i]) {
				return false
			}
			removeMember(o.Object, i)
			return true
		}
	}
	return false
}

func hasComment(m *hujson.ObjectMember) bool {
	return !IsBlank(m.Name.AfterExtra) || !IsBlank(m.Value.BeforeExtra) || !IsBlank(m.Value.AfterExtra)
}

// append adds an element to a list that is so deep.
func (d *jsonDoc) append(a *hujson.Array, depth int, value json.RawMessage) {
	var last *hujson.Value
	if n := len(a.Elements); n > 0 {
		last = &a.Elements[n-1]
		if isInline(a) {
			d = d.inline(last.BeforeExtra)
		}
	}
	v := d.value(value)
	v.BeforeExtra, a.AfterExtra = d.join(a.AfterExtra, depth)
	v.AfterExtra = trailing(last)
	a.Elements = append(a.Elements, v)
}

// trailing takes a comma behind the last value over to a new last one.
func trailing(last *hujson.Value) hujson.Extra {
	if last == nil || last.AfterExtra == nil {
		return nil
	}
	if len(last.AfterExtra) == 0 {
		last.AfterExtra = nil
	}
	return hujson.Extra{}
}

// join splits what stands before a closing bracket: comments stay before what is
// added, and the bracket gets a line of its own.
func (d *jsonDoc) join(after hujson.Extra, depth int) (before, rest hujson.Extra) {
	if d.newline == "" {
		return append([]byte(d.space), bytes.TrimLeft(after, " ")...), nil
	}
	comments := bytes.TrimRight(after, " \t\r\n")
	if IsBlank(comments) {
		comments = nil
	}
	before = append(bytes.Clone(comments), d.newline+strings.Repeat(d.indent, depth+1)...)
	return before, []byte(d.newline + strings.Repeat(d.indent, depth))
}

// inline is the document for a part of it that stands on one line; the space is
// what stands before its last value.
func (d *jsonDoc) inline(space hujson.Extra) *jsonDoc {
	out := &jsonDoc{space: string(space), tight: d.tight}
	if out.space == "" && !d.tight {
		out.space = " "
	}
	return out
}

// isInline reports whether an object or a list stands on one line, as far as its
// own layout goes.
func isInline(v hujson.ValueTrimmed) bool {
	var extras []hujson.Extra
	switch v := v.(type) {
	case *hujson.Object:
		extras = append(extras, v.AfterExtra)
		for i := range v.Members {
			extras = append(extras, v.Members[i].Name.BeforeExtra)
		}
	case *hujson.Array:
		extras = append(extras, v.AfterExtra)
		for i := range v.Elements {
			extras = append(extras, v.Elements[i].BeforeExtra)
		}
	}
	return !slices.ContainsFunc(extras, func(e hujson.Extra) bool { return !IsBlank(e) || bytes.IndexByte(e, '\n') >= 0 })
}

// value is a value on one line.
func (d *jsonDoc) value(src []byte) hujson.Value {
	if !d.tight {
		src = spaced(src)
	}
	v, err := hujson.Parse(src)
	if err != nil {
		panic(err) // we made it
	}
	return v
}

// spaced puts a space behind each comma and colon.
func spaced(src []byte) []byte {
	var out []byte
	inside := false
	for i, c := range src {
		out = append(out, c)
		switch {
		case c == '"' && !escaped(src[:i]):
			inside = !inside
		case !inside && (c == ',' || c == ':'):
			out = append(out, ' ')
		}
	}
	return out
}

// escaped reports whether what follows a text is escaped by its last backslash.
func escaped(src []byte) bool {
	n := len(src) - len(bytes.TrimRight(src, `\`))
	return n%2 == 1
}

// replace puts another value in a value's place.
func (d *jsonDoc) replace(v *hujson.Value, src []byte) { v.Value = d.value(src).Value }

func removeMember(o *hujson.Object, i int) {
	lead := o.Members[i].Name.BeforeExtra
	trail := o.Members[i].Value.AfterExtra
	if i+1 < len(o.Members) {
		next := &o.Members[i+1].Name.BeforeExtra
		*next = merge(lead, *next)
	} else {
		o.AfterExtra = merge(lead, o.AfterExtra)
		if i > 0 {
			o.Members[i-1].Value.AfterExtra = keepTrailing(o.Members[i-1].Value.AfterExtra, trail)
		}
	}
	o.Members = append(o.Members[:i], o.Members[i+1:]...)
}

func removeElement(a *hujson.Array, i int) {
	lead := a.Elements[i].BeforeExtra
	trail := a.Elements[i].AfterExtra
	if i+1 < len(a.Elements) {
		next := &a.Elements[i+1].BeforeExtra
		*next = merge(lead, *next)
	} else {
		a.AfterExtra = merge(lead, a.AfterExtra)
		if i > 0 {
			a.Elements[i-1].AfterExtra = keepTrailing(a.Elements[i-1].AfterExtra, trail)
		}
	}
	a.Elements = append(a.Elements[:i], a.Elements[i+1:]...)
}

// keepTrailing is what stands behind a value that becomes the last one: a comma
// follows it if one followed the last before.
func keepTrailing(own, last hujson.Extra) hujson.Extra {
	switch {
	case last == nil && IsBlank(own):
		return nil
	case last != nil && own == nil:
		return hujson.Extra{}
	}
	return own
}

// merge keeps the comments of what went, before what follows.
func merge(gone, next hujson.Extra) hujson.Extra {
	comments := bytes.TrimRight(gone, " \t\r\n")
	if IsBlank(comments) {
		return next
	}
	if len(next) == 0 || next[0] != '\n' && next[0] != '\r' {
		next = append([]byte("\n"), next...)
	}
	return append(bytes.Clone(comments), next...)
}

func IsBlank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

// sameJSON reports whether a value of a file means the same as one of ours,
// whatever the order of members.
func sameJSON(v *hujson.Value, want []byte) bool {
	c := v.Clone()
	c.Standardize()
	var a, b any
	if json.Unmarshal(bytes.TrimSpace(c.Pack()), &a) != nil || json.Unmarshal(want, &b) != nil {
		return false
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
