package docgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	key string
	val any // object, []any, []string, string, bool or int
}

// width is where a value is broken into lines.
const width = 110

// render writes a value as JSON: on one line where it fits, else one member a
// line, and with a newline at the end.
func render(v any) []byte {
	var b bytes.Buffer
	write(&b, v, 0, 0)
	b.WriteByte('\n')
	return b.Bytes()
}

// write writes v, whose line is indented by depth and filled up to column used.
func write(b *bytes.Buffer, v any, depth, used int) {
	if line := oneLine(v); 2*depth+used+len(line) < width && depth > 0 {
		b.WriteString(line)
		return
	}
	indent := "\n" + strings.Repeat("  ", depth+1)
	end := "\n" + strings.Repeat("  ", depth)
	switch v := v.(type) {
	case object:
		for i, m := range v {
			b.WriteString("{,"[min(i, 1):][:1] + indent)
			name := oneLine(m.key) + ": "
			b.WriteString(name)
			write(b, m.val, depth+1, len(name))
		}
		b.WriteString(end + "}")
	case []any:
		for i, e := range v {
			b.WriteString("[,"[min(i, 1):][:1] + indent)
			write(b, e, depth+1, 0)
		}
		b.WriteString(end + "]")
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		write(b, list, depth, used)
	default:
		b.WriteString(oneLine(v))
	}
}

func oneLine(v any) string {
	switch v := v.(type) {
	case object:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = oneLine(m.key) + ": " + oneLine(m.val)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = oneLine(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []string:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = oneLine(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string, bool, int, nil:
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			panic(err) // a text, a bool and a number can be written
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	panic(fmt.Sprintf("docgen: %T is no JSON value", v))
}

// ref is a schema that stands under $defs.
func ref(name string) object { return object{{"$ref", "#/$defs/" + name}} }

// list is a schema of a list.
func list(items any) object { return object{{"type", "array"}, {"items", items}} }
