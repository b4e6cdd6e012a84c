package secretguard

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// CleanJSON is like c.JSON, but leaves binary data such as images unchanged. If signed is set, it also
// leaves values unchanged that the model's provider has signed or would not accept back in another
// form.
func CleanJSON(c *secret.Cleaner, val []byte, signed bool) ([]byte, int) {
	var a OpaqueValues
	rest := a.Extract(val, 0, signed)
	if len(a.held) == 0 {
		return c.RedactJSON(val)
	}
	out, n := c.RedactJSON(rest)
	if n == 0 {
		return val, 0
	}
	return a.Restore(out), n
}

// OpaqueValues holds the values of a JSON document that are not text while short strings stand in for
// them.
type OpaqueValues struct {
	held [][]byte
}

// standIn returns the JSON string that stands in for the i-th value.
func standIn(i int) []byte { return []byte(`"` + "\ue5e5" + strconv.Itoa(i) + "\ue5e5" + `"`) }

// maxOpaqueDepth limits how deeply nested opaque values are found.
const maxOpaqueDepth = 12

// Extract returns val with stand-ins for the values that are not text, or val itself if there are
// none. If signed is set, these include signed values.
func (a *OpaqueValues) Extract(val []byte, depth int, signed bool) []byte {
	if depth > maxOpaqueDepth {
		return val
	}
	before := len(a.held)
	switch rawjson.Kind(val) {
	case '{':
		out := rawjson.Object{'{'}
		rawjson.Each(val, func(key string, v []byte) bool {
			if isOpaque(val, key, v, signed) {
				out.Raw(key, standIn(len(a.held)))
				a.held = append(a.held, v)
			} else {
				out.Raw(key, a.Extract(v, depth+1, signed && !isToolData(key)))
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
			out = append(out, a.Extract(v, depth+1, signed)...)
			return true
		})
		if len(a.held) > before {
			return append(out, ']')
		}
	}
	return val
}

// Restore returns val with the extracted values in place of their stand-ins.
func (a *OpaqueValues) Restore(val []byte) []byte {
	if len(a.held) == 0 {
		return val
	}
	var out []byte
	for i, held := range a.held { // in the order of the document
		before, behind, ok := bytes.Cut(val, standIn(i))
		if ok {
			out = append(append(out, before...), held...)
			val = behind
		}
	}
	return append(out, val...)
}

// isToolData reports whether the member key of a message holds a tool's arguments or result. Nothing
// in there is signed, whatever it is called.
func isToolData(key string) bool {
	switch key {
	case "input", "args", "arguments", "parameters", "response", "output", "result", "json":
		return true
	}
	return false
}

// isOpaque reports whether val, the member key of obj, is not text.
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

// isMedia reports whether obj declares that it is an image, audio or video.
func isMedia(obj []byte) bool {
	for _, key := range [...]string{"type", "media_type", "mimeType", "mime_type", "format"} {
		if isMediaType(rawjson.GetText(obj, key)) {
			return true
		}
	}
	return false
}

// isMediaType reports whether a MIME type or file format is that of an image, audio or video.
func isMediaType(s string) bool {
	s, _, _ = strings.Cut(s, "/")
	switch s {
	case "image", "audio", "video", "png", "jpeg", "jpg", "gif", "webp", "wav", "mp3":
		return true
	}
	return false
}

// isDataURL reports whether val is a data URL with an image, audio or video in base64.
func isDataURL(val []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(val), []byte(`"data:`))
	head, body, found := bytes.Cut(rest, []byte(";base64,"))
	return ok && found && len(head) < 64 && isMediaType(string(head)) && isBase64(append([]byte{'"'}, body...))
}

// isBase64 reports whether val is a base64 string that is longer than any key or begins like an image.
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
