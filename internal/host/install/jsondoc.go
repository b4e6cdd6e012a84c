package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonDoc is a JSON file that is being edited. New values follow the file's layout.
type jsonDoc struct {
	root    hujson.Value
	bom     bool
	newline string // "" = the file, or the part being edited, is on one line
	indent  string
	space   string // between values on one line
	tight   bool   // no spaces anywhere
}

// A jsonObject is an object in a file, with its depth of nesting.
type jsonObject struct {
	*hujson.Object
	doc   *jsonDoc
	depth int
}

var bom = []byte("\xef\xbb\xbf")

// parseJSON parses a file. For a file that does not exist or is empty, it returns an object with the
// members top.
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

// bytes returns the contents of the edited file, or an error if they are not valid JSON.
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

// objectAt returns the object at keys. If it does not exist, objectAt returns nil, or adds it and its
// parents if create is set. It returns an error if a value at one of the keys is not an object.
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

// removeEmpty removes the object at keys if it is empty, and then each parent that this leaves empty.
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

// holdsOnly reports whether the file has no comments and each of its members is in top with the same
// value.
func (d *jsonDoc) holdsOnly(top []Member) bool {
	root := d.root.Value.(*hujson.Object)
	if !d.root.IsStandard() || len(root.Members) > len(top) {
		return false
	}
	for _, m := range top {
		if v := findMember(root, m.key); v != nil && !sameJSON(v, EncodeJSON(m.value)) {
			return false
		}
	}
	for i := range root.Members {
		if !hasKey(top, memberName(&root.Members[i])) {
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

func memberName(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// findMember returns the value of the last member of o with this key, which is the one that hosts use,
// or nil if there is none.
func findMember(o *hujson.Object, key string) *hujson.Value {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if memberName(&o.Members[i]) == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// stringMember returns the string member of v with this key, or "" if v is not an object or has no
// such member.
func stringMember(v *hujson.Value, key string) string {
	if o, ok := v.Value.(*hujson.Object); ok {
		if m := findMember(o, key); m != nil && m.Value.Kind() == '"' {
			return m.Value.(hujson.Literal).String()
		}
	}
	return ""
}

func (o *jsonObject) get(key string) *hujson.Value { return findMember(o.Object, key) }

// set replaces the value of a member, or adds the member at the end. The new value is written on one
// line.
func (o *jsonObject) set(key string, value any) {
	if v := o.get(key); v != nil {
		o.doc.replaceValue(v, EncodeJSON(value))
		return
	}
	d := o.doc
	var last *hujson.Value
	if n := len(o.Members); n > 0 {
		last = &o.Members[n-1].Value
		if isInline(o.Object) {
			d = d.inlineDoc(o.Members[n-1].Name.BeforeExtra)
		}
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(key)}, Value: d.parseInline(EncodeJSON(value))}
	if !d.tight {
		m.Value.BeforeExtra = []byte(" ")
	}
	m.Name.BeforeExtra, o.AfterExtra = d.splitBeforeBracket(o.AfterExtra, o.depth)
	m.Value.AfterExtra = takeTrailingComma(last)
	o.Members = append(o.Members, m)
}

// remove removes the member with this key unless a comment stands beside its value, and reports
// whether it did.
func (o *jsonObject) remove(key string) bool {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if memberName(&o.Members[i]) == key {
			if hasComment(&o.Members[i]) {
				return false
			}
			removeMember(o.Object, i)
			return true
		}
	}
	return false
}

// hasComment reports whether a comment stands beside the value of m.
func hasComment(m *hujson.ObjectMember) bool {
	return !IsBlank(m.Name.AfterExtra) || !IsBlank(m.Value.BeforeExtra) || !IsBlank(m.Value.AfterExtra)
}

// appendElement adds an element to a, which is at this depth of nesting.
func (d *jsonDoc) appendElement(a *hujson.Array, depth int, value json.RawMessage) {
	var last *hujson.Value
	if n := len(a.Elements); n > 0 {
		last = &a.Elements[n-1]
		if isInline(a) {
			d = d.inlineDoc(last.BeforeExtra)
		}
	}
	v := d.parseInline(value)
	v.BeforeExtra, a.AfterExtra = d.splitBeforeBracket(a.AfterExtra, depth)
	v.AfterExtra = takeTrailingComma(last)
	a.Elements = append(a.Elements, v)
}

// takeTrailingComma moves a trailing comma from the value that was last to the value to be added, and
// returns the AfterExtra of the latter.
func takeTrailingComma(last *hujson.Value) hujson.Extra {
	if last == nil || last.AfterExtra == nil {
		return nil
	}
	if len(last.AfterExtra) == 0 {
		last.AfterExtra = nil
	}
	return hujson.Extra{}
}

// splitBeforeBracket splits the text before a closing bracket in two, for an added value: what
// precedes the value, with the comments, and what follows it, so that the bracket gets a line of its
// own.
func (d *jsonDoc) splitBeforeBracket(after hujson.Extra, depth int) (before, rest hujson.Extra) {
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

// inlineDoc returns the layout for a part of the document that is written on one line. space is the
// text before the last value of that part.
func (d *jsonDoc) inlineDoc(space hujson.Extra) *jsonDoc {
	out := &jsonDoc{space: string(space), tight: d.tight}
	if out.space == "" && !d.tight {
		out.space = " "
	}
	return out
}

// isInline reports whether an object or a list is written on one line. The layout inside its values
// does not count.
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

// parseInline parses src, which install encoded, and gives it the spacing of the document.
func (d *jsonDoc) parseInline(src []byte) hujson.Value {
	if !d.tight {
		src = addSpaces(src)
	}
	v, err := hujson.Parse(src)
	if err != nil {
		panic(err) // install encoded it
	}
	return v
}

// addSpaces adds a space after each comma and colon outside strings.
func addSpaces(src []byte) []byte {
	var out []byte
	inside := false
	for i, c := range src {
		out = append(out, c)
		switch {
		case c == '"' && !endsInEscape(src[:i]):
			inside = !inside
		case !inside && (c == ',' || c == ':'):
			out = append(out, ' ')
		}
	}
	return out
}

// endsInEscape reports whether src ends with a backslash that escapes the next byte.
func endsInEscape(src []byte) bool {
	n := len(src) - len(bytes.TrimRight(src, `\`))
	return n%2 == 1
}

// replaceValue sets v to the JSON value src and keeps the layout around it.
func (d *jsonDoc) replaceValue(v *hujson.Value, src []byte) { v.Value = d.parseInline(src).Value }

// removeMember removes o.Members[i] and keeps the comments before it.
func removeMember(o *hujson.Object, i int) {
	lead := o.Members[i].Name.BeforeExtra
	trail := o.Members[i].Value.AfterExtra
	if i+1 < len(o.Members) {
		next := &o.Members[i+1].Name.BeforeExtra
		*next = keepComments(lead, *next)
	} else {
		o.AfterExtra = keepComments(lead, o.AfterExtra)
		if i > 0 {
			o.Members[i-1].Value.AfterExtra = trailingAfterRemoval(o.Members[i-1].Value.AfterExtra, trail)
		}
	}
	o.Members = append(o.Members[:i], o.Members[i+1:]...)
}

// removeElement removes a.Elements[i] and keeps the comments before it.
func removeElement(a *hujson.Array, i int) {
	lead := a.Elements[i].BeforeExtra
	trail := a.Elements[i].AfterExtra
	if i+1 < len(a.Elements) {
		next := &a.Elements[i+1].BeforeExtra
		*next = keepComments(lead, *next)
	} else {
		a.AfterExtra = keepComments(lead, a.AfterExtra)
		if i > 0 {
			a.Elements[i-1].AfterExtra = trailingAfterRemoval(a.Elements[i-1].AfterExtra, trail)
		}
	}
	a.Elements = append(a.Elements[:i], a.Elements[i+1:]...)
}

// trailingAfterRemoval returns the AfterExtra of a value that becomes the last one. own is its present
// AfterExtra, and last that of the removed value: the trailing comma stays or stays away as before.
func trailingAfterRemoval(own, last hujson.Extra) hujson.Extra {
	switch {
	case last == nil && IsBlank(own):
		return nil
	case last != nil && own == nil:
		return hujson.Extra{}
	}
	return own
}

// keepComments returns next, the text before the value after a removed one, preceded by the comments
// in removed.
func keepComments(removed, next hujson.Extra) hujson.Extra {
	comments := bytes.TrimRight(removed, " \t\r\n")
	if IsBlank(comments) {
		return next
	}
	if len(next) == 0 || next[0] != '\n' && next[0] != '\r' {
		next = append([]byte("\n"), next...)
	}
	return append(bytes.Clone(comments), next...)
}

// IsBlank reports whether b is empty or consists of white space.
func IsBlank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

// sameJSON reports whether v equals the JSON value want, apart from comments and the order of members.
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
