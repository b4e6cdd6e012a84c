package claude

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// shaped puts a replaced output into the shape in which the tool returned it:
// Claude Code ignores, silently, what has another shape. Tools of servers take
// any text.
func shaped(t *checkrein.Tool, out []byte) ([]byte, bool) {
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
		return out, sameKeys(was, out)
	}
	text, ok := rawjson.Text(out)
	if !ok {
		return nil, false
	}
	if obj := []byte(text); rawjson.CheckObject(obj) == nil && sameKeys(was, obj) {
		return obj, true // a hook that gets texts rewrote the shape
	}
	note, added := wire.AppendedNote(was, out)
	if !added {
		return withText(was, text, false)
	}
	return withText(was, textOf(was)+"\n"+note, true)
}

// textOf is the text that a tool's shape has.
func textOf(was []byte) string {
	for _, path := range [][]string{{"stdout"}, {"file", "content"}, {"content"}, {"result"}} {
		if val, ok := rawjson.Lookup(was, path...); ok {
			s, _ := rawjson.Text(val)
			return s
		}
	}
	return ""
}

// sameKeys reports whether an object still has every member that another has.
func sameKeys(was, is []byte) bool {
	same := true
	rawjson.Each(was, func(key string, _ []byte) bool {
		_, same = rawjson.Get(is, key)
		return same
	})
	return same
}

// withText puts one text where a tool's shape has its text; what replaces all of
// it empties the other places.
func withText(was []byte, text string, added bool) ([]byte, bool) {
	patch := rawjson.Object{'{'}
	switch {
	case has(was, "stdout"):
		patch.Text("stdout", text)
		if has(was, "stderr") && !added {
			patch.Raw("stderr", []byte(`""`))
		}
	case has(was, "file"):
		file, _ := rawjson.Get(was, "file")
		if !has(file, "content") {
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
	case has(was, "content"):
		patch.Text("content", text)
	case has(was, "result"):
		patch.Text("result", text)
	default:
		return nil, false
	}
	patch.Close()
	out, err := rawjson.Patch(was, patch)
	return out, err == nil
}

func has(obj []byte, key string) bool {
	_, ok := rawjson.Get(obj, key)
	return ok
}
