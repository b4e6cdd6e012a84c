package claude

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// fitShape returns out, a rewritten output, in the form in which the tool returned its output, because
// Claude Code silently ignores any other form. It reports false if that is not possible. For MCP
// tools, any form is accepted.
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
		return obj, true // the hook got the object as text
	}
	note, added := wire.AppendedNote(was, out)
	if !added {
		return withText(was, text, false)
	}
	return withText(was, outputText(was)+"\n"+note, true)
}

// outputText returns the text in a tool's output, or "" if there is none.
func outputText(was []byte) string {
	for _, path := range [][]string{{"stdout"}, {"file", "content"}, {"content"}, {"result"}} {
		if val, ok := rawjson.Lookup(was, path...); ok {
			s, _ := rawjson.Text(val)
			return s
		}
	}
	return ""
}

// hasAllKeys reports whether the object is has every key of the object was.
func hasAllKeys(was, is []byte) bool {
	same := true
	rawjson.Each(was, func(key string, _ []byte) bool {
		_, same = rawjson.Get(is, key)
		return same
	})
	return same
}

// withText returns was, a tool's output, with another text. Unless added is set, because text only
// adds to the old text, it clears the other texts. It reports false if was has no known place for a
// text.
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
