package claude

import "github.com/checkrein/checkrein/internal/text/rawjson"

// An object builds a JSON object. The zero object is empty.
type object []byte

func (o *object) set(key string, val []byte) {
	if len(*o) == 0 {
		*o = append(*o, '{')
	}
	*o = rawjson.AppendMember(*o, key, val)
}

func (o *object) setText(key, val string) { o.set(key, rawjson.Quote(val)) }

// end returns the finished JSON object.
func (o *object) end() []byte {
	if len(*o) == 0 {
		return []byte("{}")
	}
	return append(*o, '}')
}

// encodeTexts returns list as a JSON array of strings.
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

// decodeTexts returns the strings in the JSON array list. Other elements are skipped.
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

// getText returns the string member key of the JSON object obj. It returns false if there is none.
func getText(obj []byte, key string) (string, bool) {
	v, ok := rawjson.Get(obj, key)
	if !ok {
		return "", false
	}
	return rawjson.Text(v)
}
