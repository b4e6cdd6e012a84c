package secretguard

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// CleanKeeping is c.JSON that leaves alone what no one reads as text: pictures,
// and with signed what a model's service signed or would not take back changed.
func CleanKeeping(c *secret.Cleaner, val []byte, signed bool) ([]byte, int) {
	var a Aside
	rest := a.Take(val, 0, signed)
	if len(a.held) == 0 {
		return c.JSON(val)
	}
	out, n := c.JSON(rest)
	if n == 0 {
		return val, 0
	}
	return a.Put(out), n
}

// Aside takes out of a JSON tree what is no text, and puts something short in
// its place.
type Aside struct {
	held [][]byte
}

// stand is what stands for the value of that number.
func stand(i int) []byte { return []byte(`"` + "\ue5e5" + strconv.Itoa(i) + "\ue5e5" + `"`) }

// deepest is how deep in a conversation or result a picture lies at most.
const deepest = 12

// Take returns val without what is no text, and val itself when it is all text.
func (a *Aside) Take(val []byte, depth int, signed bool) []byte {
	if depth > deepest {
		return val
	}
	before := len(a.held)
	switch rawjson.Kind(val) {
	case '{':
		out := rawjson.Object{'{'}
		rawjson.Each(val, func(key string, v []byte) bool {
			if isOpaque(val, key, v, signed) {
				out.Raw(key, stand(len(a.held)))
				a.held = append(a.held, v)
			} else {
				out.Raw(key, a.Take(v, depth+1, signed && !isArgument(key)))
			}
			return true
		})
		out.Close()
		if len(a.held) > before {
			return out
		}
	case '[':
		out := []byte{'['}
		rawjson.Elements(val, func(i int, v []byte) bool {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, a.Take(v, depth+1, signed)...)
			return true
		})
		if len(a.held) > before {
			return append(out, ']')
		}
	}
	return val
}

// Put puts back what was taken out.
func (a *Aside) Put(val []byte) []byte {
	if len(a.held) == 0 {
		return val
	}
	var out []byte
	for i, held := range a.held { // they are still in order
		before, behind, ok := bytes.Cut(val, stand(i))
		if ok {
			out = append(append(out, before...), held...)
			val = behind
		}
	}
	return append(out, val...)
}

// isArgument reports whether a member of a message is what a tool was given or
// returned: nothing in there is signed, whatever it is called.
func isArgument(key string) bool {
	switch key {
	case "input", "args", "arguments", "parameters", "response", "output", "result", "json":
		return true
	}
	return false
}

// isOpaque reports whether a member of an object is no text.
func isOpaque(obj []byte, key string, val []byte, signed bool) bool {
	switch key {
	case "signature", "thought_signature", "thoughtSignature", "encrypted_content":
		return signed && rawjson.Kind(val) == '"'
	case "data", "base64", "bytes":
		return isMedia(obj) && isBase64(val) || signed && rawjson.GetText(obj, "type") == "redacted_thinking"
	case "image_url", "file_data", "url":
		return isDataURL(val)
	}
	return false
}

// isMedia reports whether an object says that it holds a picture, a sound or a
// document in pages.
func isMedia(obj []byte) bool {
	for _, key := range [...]string{"type", "media_type", "mimeType", "mime_type", "format"} {
		if isMediaType(rawjson.GetText(obj, key)) {
			return true
		}
	}
	return false
}

func isMediaType(s string) bool {
	s, _, _ = strings.Cut(s, "/")
	switch s {
	case "image", "audio", "video", "png", "jpeg", "jpg", "gif", "webp", "wav", "mp3":
		return true
	}
	return false
}

// isDataURL reports whether a value is the address of media that holds them.
func isDataURL(val []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(val), []byte(`"data:`))
	head, body, found := bytes.Cut(rest, []byte(";base64,"))
	return ok && found && len(head) < 64 && isMediaType(string(head)) && isBase64(append([]byte{'"'}, body...))
}

// isBase64 reports whether a value is a string of base64 that is longer than keys
// are, or begins as pictures do.
func isBase64(val []byte) bool {
	val = bytes.TrimSpace(val)
	if len(val) < 2 || val[0] != '"' {
		return false
	}
	val = val[1 : len(val)-1]
	for i, c := range val {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("+/=-_", c) >= 0:
		case c == '\\' && i+1 < len(val) && val[i+1] == '/':
		default:
			return false
		}
	}
	if len(val) > 256 {
		return true
	}
	for _, head := range [...]string{"iVBORw0KGgo", "/9j/", `\/9j\/`, "R0lGOD", "UklGR"} {
		if bytes.HasPrefix(val, []byte(head)) {
			return true
		}
	}
	return false
}
