package conformance

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A Field is a member that a document lists for the payload of an event.
type Field struct {
	Name   string   // with dots for members of nested objects
	Types  []string // its possible JSON types
	When   string   // when it is present; "" means always
	Values []string // its possible values; nil means any
	Line   int
}

// Every is the event under which a document lists the fields of all payloads.
const Every = "*"

// A FieldTable maps events to the fields that a document lists for them.
type FieldTable map[string][]Field

// Of returns the fields of an event, after those of every event.
func (t FieldTable) Of(event string) []Field { return slices.Concat(t[Every], t[event]) }

//go:embed fields.yaml
var fields []byte

var types = []string{"string", "integer", "number", "boolean", "object", "array", "null", "any"}

// Fields returns the documents' tables of payload fields, by the document's name.
func Fields() (map[string]FieldTable, error) {
	root, _, err := yamldoc.Parse(fields)
	if err != nil {
		return nil, err
	}
	out := map[string]FieldTable{}
	var e []error
	for _, doc := range root.Pairs {
		if !slices.Contains(Documents, doc.Key) {
			e = append(e, fmt.Errorf("line %d: there is no document %q", doc.Line, doc.Key))
		}
		out[doc.Key] = FieldTable{}
		for _, event := range doc.Value.Pairs {
			list := []Field{}
			for _, item := range event.Value.Items {
				f, err := parseField(item)
				list, e = append(list, f), append(e, err)
			}
			out[doc.Key][event.Key] = list
		}
	}
	return out, errors.Join(e...)
}

func parseField(n *yamldoc.Node) (Field, error) {
	f := Field{Line: n.Line}
	for _, p := range n.Pairs {
		switch p.Key {
		case "name":
			f.Name = p.Value.ScalarText()
		case "type":
			f.Types = strings.Split(p.Value.ScalarText(), " or ")
		case "when":
			f.When = p.Value.ScalarText()
		case "values":
			for _, v := range p.Value.Items {
				f.Values = append(f.Values, v.ScalarText())
			}
		default:
			return f, fmt.Errorf("line %d: unknown key %q", p.Line, p.Key)
		}
	}
	if f.Name == "" || len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(t string) bool { return !slices.Contains(types, t) }) {
		return f, fmt.Errorf("line %d: a field needs a name and a type, which is one of %s", f.Line, strings.Join(types, ", "))
	}
	return f, nil
}

// Check reports whether payload has the field, and returns an error if it must have it or if its type
// or value is wrong.
func (f Field) Check(payload map[string]any) (bool, error) {
	var value any = payload
	for _, name := range strings.Split(f.Name, ".") {
		object, _ := value.(map[string]any)
		member, ok := object[name]
		if !ok {
			if f.When != "" {
				return false, nil
			}
			return false, fmt.Errorf("%s is missing", f.Name)
		}
		value = member
	}
	is := jsonType(value)
	if !slices.Contains(f.Types, is) && !slices.Contains(f.Types, "any") && (is != "integer" || !slices.Contains(f.Types, "number")) {
		return true, fmt.Errorf("%s is of type %s, not %s", f.Name, is, strings.Join(f.Types, " or "))
	}
	if text, _ := value.(string); f.Values != nil && !slices.Contains(f.Values, text) {
		return true, fmt.Errorf("%s is %q, not one of %s", f.Name, text, strings.Join(f.Values, ", "))
	}
	return true, nil
}

// jsonType returns the JSON type of a value that was decoded with UseNumber.
func jsonType(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "null"
}
