package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/fields"
)

// An input is what templates see of an event: the payload that hooks read, by the
// names that its fields have in Go. Every known field is there, empty when the
// event has none. The whole payload lies under "", which no template can name.
type input map[string]any

// A record is an object within the payload whose members have Go names too, such
// as a message. The object itself lies under "".
type record map[string]any

// goName is what Go calls a field: tool_input is ToolInput.
func goName(field string) string {
	var out strings.Builder
	for _, word := range strings.Split(field, "_") {
		switch {
		case word == "":
		case word == "id" || word == "url" || word == "usd" || word == "api":
			out.WriteString(strings.ToUpper(word))
		default:
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// inputNames are the names that a template may use at its top.
func inputNames() []string {
	var out []string
	for _, f := range fields.All() {
		out = append(out, goName(f.Name))
	}
	return out
}

// readInput reads a payload. A field is what is called exactly so: a member whose
// name only resembles one does not take its place.
func readInput(payload []byte) (input, error) {
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		return nil, fmt.Errorf("reading the payload: %w", err)
	}
	in := input{"": json.RawMessage(payload)}
	for _, f := range fields.All() {
		var empty any
		switch f.Type {
		case fields.StringValue:
			empty = ""
		case fields.NumberValue:
			empty = 0
		case fields.BoolValue:
			empty = false
		}
		name := goName(f.Name)
		in[name] = empty
		v, ok := members[f.Name]
		switch {
		case !ok:
		case f.Name == "tool_input" || f.Name == "tool_response": // whose members are the tool's own
			in[name] = numbers(v, false)
		default:
			in[name] = named(v)
		}
	}
	return in, nil
}

// named gives objects Go names. Of members that get the same one the one that is
// spelt as hosts spell theirs has it.
func named(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := record{"": v}
		for _, usual := range [...]bool{false, true} { // the later ones stay
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if name := goName(key); name != "" && snake(key) == usual {
					out[name] = named(v[key])
				}
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = named(v[i])
		}
		return out
	}
	return numbers(v, true)
}

// snake reports whether a name is spelt like tool_input.
func snake(name string) bool {
	return name == strings.ToLower(name) && !strings.Contains("_"+name+"_", "__")
}

// numbers makes numbers of those that Go can compare: whole ones always, others
// where a template is to compare them, since they are written otherwise then.
func numbers(v any, fractions bool) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && fractions {
			return f
		}
	case map[string]any:
		for key, val := range v {
			v[key] = numbers(val, fractions)
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i], fractions)
		}
	}
	return v
}

// plain is a value as the payload has it.
func plain(v any) any {
	switch v := v.(type) {
	case input:
		return v[""]
	case record:
		return v[""]
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	}
	return v
}

// toJSON writes a value as JSON.
func toJSON(v any) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a judge should see > as it is
	if err := enc.Encode(plain(v)); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// asText writes a value as a template inserts it.
func asText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case []byte:
		return string(v), nil
	case json.RawMessage, input, record, map[string]any, []any:
		return toJSON(v)
	}
	return fmt.Sprint(v), nil
}
