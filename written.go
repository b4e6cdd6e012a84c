package checkrein

import (
	"strings"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// writtenArgs are the arguments whose text ends up in a file.
var writtenArgs = [...]string{
	"content", "file_text", "contents", "new_string", "newString", "new_str", "newText", "new_source", "insert_text", "insertText",
}

// destinationArgs are the arguments that name where a file goes, or which one.
var destinationArgs = [...]string{"destination", "dest", "to", "target", "new_path", "source", "from", "old_path"}

// Destinations returns the files that moving and copying calls name beside
// [Tool.Paths].
func (t *Tool) Destinations() []string { return t.texts(destinationArgs[:]...) }

// Written returns the texts that a writing, editing or patching call puts into
// files; nil for other tools. What a shell command writes is not known.
func (t *Tool) Written() []string {
	switch t.Canonical {
	case "write", "edit":
		out := writtenIn(t.Input)
		t.named([]string{"edits"}, func(list []byte) {
			rawjson.Elements(list, func(_ int, edit []byte) bool {
				out = append(out, writtenIn(edit)...)
				return true
			})
		})
		return out
	case "patch":
		var out []string
		for _, p := range append(t.texts(toolArgs[0]...), t.texts("patch", "input", "patch_text", "patchText")...) {
			out = append(out, addedLines(p))
		}
		return out
	}
	return nil
}

// writtenIn returns the texts among an object's members that are written.
func writtenIn(obj []byte) []string {
	var out []string
	call := Tool{Input: obj}
	call.named(writtenArgs[:], func(val []byte) {
		if s, ok := rawjson.Text(val); ok && s != "" {
			out = append(out, s)
		}
	})
	return out
}

// addedLines are the lines that a patch adds, without their marks.
func addedLines(patch string) string {
	var b strings.Builder
	for line := range strings.Lines(patch) {
		if added, ok := strings.CutPrefix(line, "+"); ok && !strings.HasPrefix(added, "++ ") {
			b.WriteString(added)
		}
	}
	return b.String()
}
