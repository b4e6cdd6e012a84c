package grok

import "github.com/checkrein/checkrein/internal/text/rawjson"

// A shape describes where the result of a tool has its text.
type shape struct {
	in    string   // the member that has the texts; "" = the result itself
	texts []string // the first one is what the model sees
	bytes string   // the text once more, as a list of bytes; "" = there is none
}

var shapes = [...]shape{
	{texts: []string{"output_for_prompt"}, bytes: "output"},
	{texts: []string{"text"}},
	{in: "FileContent", texts: []string{"content", "content_concise", "raw_output"}},
	{in: "EditsApplied", texts: []string{"tool_output_for_prompt", "tool_output_for_prompt_concise"}},
	{texts: []string{"FileNotFound"}},
}

// findShape returns the shape of a result, and the object that has the texts. It reports false if no
// shape fits.
func findShape(result []byte) (*shape, []byte, bool) {
	for i := range shapes {
		s, obj := &shapes[i], result
		if s.in != "" {
			obj, _ = rawjson.Get(result, s.in)
		}
		if val, ok := rawjson.Get(obj, s.texts[0]); ok && rawjson.Kind(val) == '"' {
			return s, obj, true
		}
	}
	return nil, nil, false
}

// resultText returns the text that the model sees of a result. It reports false if the form of the
// result is unknown.
func resultText(result []byte) (string, bool) {
	s, obj, ok := findShape(result)
	if !ok {
		return "", false
	}
	return rawjson.GetText(obj, s.texts[0]), true
}

// withText returns a result with another text. It reports false if the form of the result is unknown.
func withText(result []byte, text string) ([]byte, bool) {
	s, obj, ok := findShape(result)
	if !ok {
		return nil, false
	}
	patch := rawjson.Object{'{'}
	for _, key := range s.texts {
		if _, has := rawjson.Get(obj, key); has {
			patch.Text(key, text)
		}
	}
	if s.bytes != "" {
		patch.Raw(s.bytes, []byte("[]"))
	}
	patch.Close()
	changed, err := rawjson.Patch(obj, patch)
	if err != nil || s.in == "" {
		return changed, err == nil
	}
	outer := rawjson.Object{'{'}
	outer.Raw(s.in, changed)
	outer.Close()
	out, err := rawjson.Patch(result, outer)
	return out, err == nil
}
