package claude

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// fitShape returns a replaced output in the shape in which the tool returned it: Claude Code silently
// ignores any other. MCP tools take any text.
func fitShape(t *checkrein.Tool, out []byte) ([]byte, bool) {
	was := t.Output
	if strings.HasPrefix(t.Name, "mcp__") {
		return out, true
	}
	switch {
	case rawjson.Kind(was) == rawjson.Kind(out) && rawjson.Kind(out) != '{':
		return out, true
	case rawjson.Kind(was) != '{':
		return nil, false
	case rawjson.Kind(out) == '{':
		return out, hasAllKeys(was, out)
	}
	text, ok := rawjson.Text(out)
	if !ok {
		return nil, false
	}
	if obj := []byte(text); rawjson.CheckObject(obj) == nil && hasAllKeys(was, obj) {
		return obj, true // the hook got the object as a text
	}
	note, added := wire.AppendedNote(was, out)
	if !added {
		return withText(was, text, false)
	}
	return withText(was, textOf(was)+"\n"+note, true)
}

// textOf returns the text in a tool's output.
func textOf(was []byte) string {
	for _, path := range [][]string{{"stdout"}, {"file", "content"}, {"content"}, {"result"}} {
		if val, ok := rawjson.Lookup(was, path...); ok {
			s, _ := rawjson.Text(val)
			return s
		}
	}
	return ""
}

// hasAllKeys reports whether an object still has every member of another.
func hasAllKeys(was, is []byte) bool {
	same := true
	rawjson.Each(was, func(key string, _ []byte) bool {
		_, same = rawjson.Get(is, key)
		return same
	})
	return same
}

// withText returns a tool's output with another text. Unless the text was only added to, the other
// texts are cleared.
func withText(was []byte, text string, added bool) ([]byte, bool) {
	patch := rawjson.Object{'{'}
	switch {
	case hasKey(was, "stdout"):
		patch.Text("stdout", text)
		if hasKey(was, "stderr") && !added {
			patch.Raw("stderr", []byte(`""`))
		}
	case hasKey(was, "file"):
		file, _ := rawjson.Get(was, "file")
		if !hasKey(file, "content") {
			return nil, false
		}
		inner := rawjson.Object{'{'}
		inner.Text("content", text)
		inner.Close()
		changed, err := rawjson.Patch(file, inner)
		if err != nil {
			return nil, false
		}
		patch.Raw("file", changed)
	case hasKey(was, "content"):
		patch.Text("content", text)
	case hasKey(was, "result"):
		patch.Text("result", text)
	default:
		return nil, false
	}
	patch.Close()
	out, err := rawjson.Patch(was, patch)
	return out, err == nil
}

func hasKey(obj []byte, key string) bool {
	_, ok := rawjson.Get(obj, key)
	return ok
}
