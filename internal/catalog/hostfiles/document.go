package hostfiles

import (
	"bytes"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// document reads a text of the file, whatever its form.
func (f *File) document(text []byte) (rawjson.Value, error) {
	doc := []byte("{}")
	switch {
	case len(bytes.TrimSpace(text)) == 0:
	case f.Form == hosts.TOML:
		tables, err := tomldoc.Scan(text)
		if err != nil {
			return rawjson.Value{}, err
		}
		doc = tables.JSON()
	case f.Form == hosts.YAML:
		root, _, err := yamldoc.Parse(text)
		if err != nil {
			return rawjson.Value{}, err
		}
		if !root.IsNull() {
			doc = root.JSON()
		}
	default:
		doc = plain(text)
	}
	return rawjson.ParseValue(doc)
}

// plain is JSON without the comments and the commas before a bracket that hosts
// put up with. What is no JSON then either is for the checker to say.
func plain(src []byte) []byte {
	out := make([]byte, 0, len(src))
	comma := -1 // in out, when nothing but space follows it
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			end := stringEnd(src, i)
			out = append(out, src[i:end]...)
			i, comma = end, -1
			continue
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = commentEnd(src, i)
			out = append(out, ' ')
			continue
		case c == ',':
			comma = len(out)
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		out = append(out, src[i])
		i++
	}
	return out
}

func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

func commentEnd(src []byte, i int) int {
	if src[i+1] == '/' {
		for i < len(src) && src[i] != '\n' {
			i++
		}
		return i
	}
	for i += 2; i+1 < len(src); i++ {
		if src[i] == '*' && src[i+1] == '/' {
			return i + 2
		}
	}
	return len(src)
}
