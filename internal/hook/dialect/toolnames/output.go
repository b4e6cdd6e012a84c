package toolnames

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// shapes are the members in which hosts hold what the model reads of a result. The first
// shape whose first member a result has is taken. An alone shape is taken only if no
// other member has text in it, so that nothing is kept from a hook.
var shapes = []struct {
	members []string
	alone   bool
}{
	{members: []string{"stdout", "stderr"}},
	{members: []string{"textResultForLlm"}},
	{members: []string{"text_result_for_llm"}},
	{members: []string{"file"}}, // a file that was read; its text is a shape of its own
	{members: []string{"text"}, alone: true},
	{members: []string{"content", "filenames"}, alone: true},
	{members: []string{"filenames"}, alone: true},
	{members: []string{"result"}, alone: true},
	{members: []string{"message"}, alone: true},
}

// labels are members that describe a result and are no part of its text.
var labels = []string{"type", "mode", "filePath"}

// TextOutput returns the event with the output of its tool as a text, and the tool as the
// host has it. Both are returned as they are if the output is a text or there is none.
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

// OutputText returns what a tool returned as the model reads it: the text of an output,
// of content blocks or of a known shape; JSON for anything else.
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
		if _, ok := rawjson.Get(obj, s.members[0]); !ok || s.alone && hasMore(obj, s.members) {
			continue
		}
		var parts []string
		for _, name := range s.members {
			if val, ok := rawjson.Get(obj, name); ok && !isEmpty(val) {
				parts = append(parts, OutputText(val))
			}
		}
		return strings.Join(parts, "\n"), true
	}
	return "", false
}

// hasMore reports whether an object has text beside the given members and labels.
func hasMore(obj []byte, members []string) bool {
	more := false
	rawjson.Each(obj, func(key string, val []byte) bool {
		kind := rawjson.Kind(val)
		more = (kind == '"' || kind == '{' || kind == '[') && !isEmpty(val) &&
			!slices.Contains(members, key) && !slices.Contains(labels, key)
		return !more
	})
	return more
}

func isEmpty(val []byte) bool {
	switch string(rawjson.Compact(nil, val)) {
	case `""`, `[]`, `{}`, `null`:
		return true
	}
	return false
}
