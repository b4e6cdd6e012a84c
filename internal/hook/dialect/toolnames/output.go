package toolnames

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// shapes are the members of a result that hosts pass to the model. The first shape counts whose first
// member the result has. An alone shape counts only if no other member has text, so that nothing is
// hidden from a hook.
var shapes = []struct {
	members []string
	alone   bool
}{
	{members: []string{"stdout", "stderr"}},
	{members: []string{"textResultForLlm"}},
	{members: []string{"text_result_for_llm"}},
	{members: []string{"file"}}, // a file that was read; its text has a shape of its own
	{members: []string{"text"}, alone: true},
	{members: []string{"content", "filenames"}, alone: true},
	{members: []string{"filenames"}, alone: true},
	{members: []string{"result"}, alone: true},
	{members: []string{"message"}, alone: true},
}

// labels are members that describe a result and are not part of its text.
var labels = []string{"type", "mode", "filePath"}

// TextOutput returns the event with its tool's output as a text, and the host's tool. It returns both
// unchanged if the output is a text or there is none.
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

// OutputText returns a tool's output as the model reads it: the text of an output, of content blocks
// or of a known shape; JSON for anything else.
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

// shapeText returns the text of an object of a known shape.
func shapeText(obj []byte) (string, bool) {
	for _, s := range shapes {
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

// hasOtherText reports whether an object has text outside the given members and the labels.
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
