package claude

import "github.com/checkrein/checkrein/internal/text/rawjson"

// An object is a JSON object that is being written. The zero object is empty.
type object []byte

func (o *object) set(key string, val []byte) {
	if len(*o) == 0 {
		*o = append(*o, '{')
	}
	*o = rawjson.AppendMember(*o, key, val)
}

func (o *object) setText(key, val string) { o.set(key, rawjson.Quote(val)) }

// end returns the finished object.
func (o *object) end() []byte {
	if len(*o) == 0 {
		return []byte("{}")
	}
	return append(*o, '}')
}

// encodeTexts returns a list of strings as JSON.
func encodeTexts(list []string) []byte {
	b := []byte{'['}
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, s)
	}
	return append(b, ']')
}

// decodeTexts returns the strings in a JSON list.
func decodeTexts(list []byte) []string {
	var out []string
	rawjson.Elements(list, func(_ int, v []byte) bool {
		if s, ok := rawjson.Text(v); ok {
			out = append(out, s)
		}
		return true
	})
	return out
}

// getText returns a string member of a JSON object.
func getText(obj []byte, key string) (string, bool) {
	v, ok := rawjson.Get(obj, key)
	if !ok {
		return "", false
	}
	return rawjson.Text(v)
}
