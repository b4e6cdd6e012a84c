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

// An input is what templates see of an event: the fields of its payload by their Go names. Every known
// field is present, with an empty value if the event does not have it. The key "" holds the whole
// payload; templates cannot name it.
type input map[string]any

// A record is an object in the payload, such as a message, with Go names for its members. The key ""
// holds the object itself.
type record map[string]any

// goName returns the Go name of a field, such as ToolInput for tool_input.
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

// inputNames returns the names of fields that a template may use at its top level.
func inputNames() []string {
	var out []string
	for _, f := range fields.All() {
		out = append(out, goName(f.Name))
	}
	return out
}

// parseInput returns the input for payload. Names of fields must match exactly, so that a member with
// a similar name does not replace a field.
func parseInput(payload []byte) (input, error) {
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
		case f.Name == "tool_input" || f.Name == "tool_response": // their members keep the tool's names
			in[name] = convertNumbers(v, false)
		default:
			in[name] = withGoNames(v)
		}
	}
	return in, nil
}

// withGoNames returns v with Go names for the members of its objects. If two members get the same
// name, the one in snake case wins.
func withGoNames(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := record{"": v}
		for _, usual := range [...]bool{false, true} { // the later ones override
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if name := goName(key); name != "" && isSnakeCase(key) == usual {
					out[name] = withGoNames(v[key])
				}
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withGoNames(v[i])
		}
		return out
	}
	return convertNumbers(v, true)
}

// isSnakeCase reports whether name is spelled like tool_input.
func isSnakeCase(name string) bool {
	return name == strings.ToLower(name) && !strings.Contains("_"+name+"_", "__")
}

// convertNumbers returns v with JSON numbers converted to Go numbers, which templates can compare. It
// converts fractions only if fractions is set, because templates then print them differently.
func convertNumbers(v any, fractions bool) any {
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
			v[key] = convertNumbers(val, fractions)
		}
	case []any:
		for i := range v {
			v[i] = convertNumbers(v[i], fractions)
		}
	}
	return v
}

// toPayload returns v with the names that the payload has, as opposed to Go names.
func toPayload(v any) any {
	switch v := v.(type) {
	case input:
		return v[""]
	case record:
		return v[""]
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = toPayload(v[i])
		}
		return out
	}
	return v
}

// toJSON returns v as JSON, with the names of the payload.
func toJSON(v any) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a judge should see > unescaped
	if err := enc.Encode(toPayload(v)); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// toText returns v as the text that a template inserts: objects and lists as JSON, nil as "".
func toText(v any) (string, error) {
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
