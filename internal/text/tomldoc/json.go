package tomldoc

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON is the document as one JSON object, for who compares settings: keys are
// sorted, and what JSON has no word for, such as a date, is a string.
func (d Doc) JSON() []byte {
	root := map[string]any{}
	for _, t := range d {
		into := root
		if n := len(t.Path); n > 0 {
			into = open(root, t.Path[:n-1])
			into = enter(into, t.Path[n-1], t.Array)
		}
		for _, v := range t.Values {
			put(into, v)
		}
	}
	out, err := json.Marshal(root)
	if err != nil {
		return []byte("{}") // only maps, lists and texts are in it
	}
	return out
}

func put(into map[string]any, v Value) {
	n := len(v.Key) - 1
	open(into, v.Key[:n])[v.Key[n]] = value(v.Raw)
}

// open finds or makes the table that a path leads to; of a list of tables the
// last one is meant.
func open(m map[string]any, path []string) map[string]any {
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

// enter is the table that a header opens.
func enter(m map[string]any, key string, list bool) map[string]any {
	if !list {
		return open(m, []string{key})
	}
	made := map[string]any{}
	items, _ := m[key].([]any)
	m[key] = append(items, made)
	return made
}

func value(raw string) any {
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
		for _, v := range inline(raw) {
			put(table, v)
		}
		return table
	case raw[0] == '[':
		return items(raw[1:])
	case json.Valid([]byte(raw)):
		return json.RawMessage(bytes.Clone([]byte(raw)))
	}
	return raw
}

// items reads what stands behind the bracket of a list.
func items(s string) []any {
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
		out = append(out, value(strings.TrimSpace(s[:n])))
		s = s[n:]
	}
}
