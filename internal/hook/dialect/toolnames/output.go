package toolnames

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// resultShapes lists the forms of results in which hosts pass text to the model. The first shape whose
// first member the result has applies. A shape with alone applies only if no other member has text, so
// that no text is hidden from a hook.
var resultShapes = []struct {
	members []string
	alone   bool
}{
	{members: []string{"stdout", "stderr"}},
	{members: []string{"textResultForLlm"}},
	{members: []string{"text_result_for_llm"}},
	{members: []string{"file"}}, // the contents of a file, which are an object with another shape
	{members: []string{"text"}, alone: true},
	{members: []string{"content", "filenames"}, alone: true},
	{members: []string{"filenames"}, alone: true},
	{members: []string{"result"}, alone: true},
	{members: []string{"message"}, alone: true},
}

// labels lists members that describe a result and do not count as text.
var labels = []string{"type", "mode", "filePath"}

// TextOutput returns ev with the tool's output as a string, and the host's tool call. It returns both
// arguments unchanged if the output is already a string or there is none.
func TextOutput(ev checkrein.Event, host *checkrein.Tool) (checkrein.Event, *checkrein.Tool) {
	if ev.Tool == nil || ev.Tool.Output == nil || rawjson.Kind(ev.Tool.Output) == '"' {
		return ev, host
	}
	if host == nil {
		host = ev.Tool
	}
	local := *ev.Tool
	local.Output = rawjson.Quote(OutputText(ev.Tool.Output))
	ev.Tool = &local
	return ev, host
}

// OutputText returns a tool's output as the model reads it: a string itself, the text of content
// blocks or of an object of a known shape, and otherwise JSON.
func OutputText(out []byte) string {
	switch rawjson.Kind(out) {
	case '"':
		s, _ := rawjson.Text(out)
		return s
	case '[':
		var lines []string
		rawjson.Elements(out, func(_ int, val []byte) bool {
			lines = append(lines, OutputText(val))
			return true
		})
		return strings.Join(lines, "\n")
	case '{':
		if s, ok := shapeText(out); ok {
			return s
		}
	}
	return string(rawjson.Compact(nil, out))
}

// shapeText returns the text in obj if it has one of resultShapes, otherwise false.
func shapeText(obj []byte) (string, bool) {
	for _, s := range resultShapes {
		if _, ok := rawjson.Get(obj, s.members[0]); !ok || s.alone && hasOtherText(obj, s.members) {
			continue
		}
		var parts []string
		for _, name := range s.members {
			if val, ok := rawjson.Get(obj, name); ok && !isEmptyValue(val) {
				parts = append(parts, OutputText(val))
			}
		}
		return strings.Join(parts, "\n"), true
	}
	return "", false
}

// hasOtherText reports whether obj has text in members other than the given ones and the labels.
func hasOtherText(obj []byte, members []string) bool {
	more := false
	rawjson.Each(obj, func(key string, val []byte) bool {
		kind := rawjson.Kind(val)
		more = (kind == '"' || kind == '{' || kind == '[') && !isEmptyValue(val) &&
			!slices.Contains(members, key) && !slices.Contains(labels, key)
		return !more
	})
	return more
}

func isEmptyValue(val []byte) bool {
	switch string(rawjson.Compact(nil, val)) {
	case `""`, `[]`, `{}`, `null`:
		return true
	}
	return false
}
