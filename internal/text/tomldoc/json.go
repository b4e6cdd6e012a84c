package tomldoc

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON returns the document as a JSON object, to compare settings. Its keys are sorted, and values
// that JSON does not have, such as dates, become strings.
func (d Doc) JSON() []byte {
	root := map[string]any{}
	for _, t := range d {
		into := root
		if n := len(t.Path); n > 0 {
			into = openTable(root, t.Path[:n-1])
			into = openHeader(into, t.Path[n-1], t.Array)
		}
		for _, v := range t.Values {
			setValue(into, v)
		}
	}
	out, err := json.Marshal(root)
	if err != nil {
		return []byte("{}") // cannot happen: it has only maps, lists and valid values
	}
	return out
}

// setValue sets the value of v in a table.
func setValue(into map[string]any, v Value) {
	n := len(v.Key) - 1
	openTable(into, v.Key[:n])[v.Key[n]] = decodeValue(v.Raw)
}

// openTable returns the table at path in m, and creates it if it does not exist. For a list of tables,
// the last one counts.
func openTable(m map[string]any, path []string) map[string]any {
	for _, key := range path {
		switch next := m[key].(type) {
		case map[string]any:
			m = next
		case []any:
			last, ok := next[len(next)-1].(map[string]any)
			if !ok {
				return map[string]any{}
			}
			m = last
		default:
			made := map[string]any{}
			m[key] = made
			m = made
		}
	}
	return m
}

// openHeader returns the table that a header for key opens: a new one if list is set, which means
// [[key]].
func openHeader(m map[string]any, key string, list bool) map[string]any {
	if !list {
		return openTable(m, []string{key})
	}
	made := map[string]any{}
	items, _ := m[key].([]any)
	m[key] = append(items, made)
	return made
}

// decodeValue returns a TOML value as a value for encoding/json.
func decodeValue(raw string) any {
	switch {
	case raw == "":
		return ""
	case strings.HasPrefix(raw, `"""`) || strings.HasPrefix(raw, "'''"):
		text := strings.TrimSuffix(raw[3:], raw[:3])
		return strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
	case raw[0] == '"' || raw[0] == '\'':
		return Unquote(raw)
	case raw[0] == '{':
		table := map[string]any{}
		for _, v := range parseInlineTable(raw) {
			setValue(table, v)
		}
		return table
	case raw[0] == '[':
		return parseItems(raw[1:])
	case json.Valid([]byte(raw)):
		return json.RawMessage(bytes.Clone([]byte(raw)))
	}
	return raw
}

// parseItems parses s, the text after the opening bracket of a list.
func parseItems(s string) []any {
	out := []any{}
	for {
		s = strings.TrimLeft(s, " \t\r\n,")
		switch {
		case s == "" || s[0] == ']':
			return out
		case s[0] == '#':
			_, s, _ = strings.Cut(s, "\n")
			continue
		}
		n := valueEnd(s)
		if n <= 0 {
			return out
		}
		out = append(out, decodeValue(strings.TrimSpace(s[:n])))
		s = s[n:]
	}
}
