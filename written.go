package checkrein

import (
	"slices"
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
	case "write", "edit", "patch":
	default:
		return nil
	}
	out := writtenIn(t.Input)
	t.named([]string{"edits", "edit"}, func(val []byte) {
		if rawjson.Kind(val) == '{' {
			out = append(out, editedIn(val)...)
			return
		}
		rawjson.Elements(val, func(_ int, edit []byte) bool {
			out = append(out, editedIn(edit)...)
			return true
		})
	})
	for _, d := range t.texts("diff") {
		if s := replacements(d); s != "" {
			out = append(out, s)
		} else {
			out = append(out, addedLines(d))
		}
	}
	if t.Canonical == "patch" {
		for _, p := range append(t.texts(toolArgs[0]...), t.texts("patch", "input", "patch_text", "patchText")...) {
			out = append(out, addedLines(p))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// editedIn returns the texts that one edit of several writes.
func editedIn(edit []byte) []string {
	call := Tool{Input: edit}
	return append(writtenIn(edit), call.texts("new")...)
}

// replacements are the second halves of blocks between marks, as in a merge
// conflict: what is searched for, =======, and what comes in its place.
func replacements(diff string) string {
	var b strings.Builder
	in := false
	for line := range strings.Lines(diff) {
		switch mark := strings.TrimSpace(line); {
		case strings.Trim(mark, "=") == "" && len(mark) >= 5:
			in = true
		case in && strings.HasSuffix(mark, " REPLACE") && strings.Trim(mark, "+>") == " REPLACE":
			in = false
		case in:
			b.WriteString(line)
		}
	}
	return b.String()
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
