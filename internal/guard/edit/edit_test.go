package edit

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
)

const unknown = "?"

// TestResults checks, with the arguments that each host uses, the contents of a file after a write, an
// edit and a patch.
func TestResults(t *testing.T) {
	t.Parallel()
	type in map[string]any
	patch := func(s string) string { return "*** Begin Patch\n" + s + "*** End Patch\n" }
	tests := []struct {
		tool   string
		input  any
		path   string
		before string
		want   []string
	}{
		{"Write", in{"file_path": "f", "content": "x\n"}, "f", "a\n", []string{"x\n"}},
		{"create", in{"path": "f", "file_text": "x"}, "f", "", []string{"x"}},
		{"Edit", in{"file_path": "f", "old_string": "a", "new_string": "b"}, "f", "a\n", []string{"b\n"}},
		{"Edit", in{"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": true}, "f", "a a\n", []string{"b a\n", "b b\n"}},
		{"edit", in{"filePath": "f", "oldString": "a", "newString": "b"}, "f", "xa", []string{"xb"}},
		{"edit", in{"path": "f", "old_str": "a", "new_str": "b"}, "f", "xa", []string{"xb"}},
		{"Edit", in{"file_path": "f", "old_string": "", "new_string": "b"}, "f", "", []string{"b"}},
		{"Edit", in{"file_path": "f", "old_string": "z", "new_string": "b"}, "f", "a", []string{unknown}},
		{"MultiEdit", in{"file_path": "f", "edits": []in{{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}}}, "f", "a", []string{"c"}},
		{"mcp__fs__edit_file", in{"path": "f", "edits": []in{{"oldText": "a", "newText": "b"}}}, "f", "a", []string{"b"}},
		{"insert", in{"path": "f", "insert_line": 1, "new_str": "x"}, "f", "a\nb\n", []string{"a\nx\nb\n", "x\na\nb\n"}},
		{"mcp__fs__append_file", in{"path": "f", "content": "x"}, "f", "a", []string{"ax", "x"}},
		{"mcp__fs__write_files", in{"files": []in{{"path": "g", "content": "1"}, {"path": "f", "content": "2"}}}, "f", "a", []string{"2"}},
		{"mcp__fs__move_file", in{"source": "g", "destination": "f"}, "f", "a", []string{unknown}},
		{"apply_patch", in{"input": patch("*** Add File: f\n+x\n+y\n")}, "f", "", []string{"x\ny\n"}},
		{"apply_patch", in{"command": patch("*** Update File: f\n@@\n a\n-b\n+B\n c\n")}, "f", "a\nb\nc\nd\n", []string{"a\nB\nc\nd\n"}},
		{"apply_patch", in{"command": patch("*** Update File: f\n@@ a\n-b\n+1\n@@\n-b\n+2\n")}, "f", "b\na\nb\nb\n", []string{"b\na\n1\n2\n"}},
		{"apply_patch", in{"command": []string{"apply_patch", patch("*** Update File: f\n-  b\n+B\n")}}, "f", "a\nb\n", []string{"a\nB\n"}},
		{"apply_patch", in{"input": patch("*** Update File: f\n-z\n+y\n")}, "f", "a\n", []string{unknown}},
		{"apply_patch", in{"input": patch("*** Update File: f\n*** Move to: g\n-a\n+b\n")}, "g", "a\n", []string{"b\n"}},
		{"apply_patch", in{"input": patch("*** Update File: f\n*** Move to: g\n-a\n+b\n")}, "f", "a\n", []string{"-"}},
		{"apply_patch", in{"input": patch("*** Delete File: f\n")}, "f", "a\n", []string{"-"}},
		{"replace", in{"path": "f", "search": "a", "replace": "b", "instruction": "say {b}\nnot a"}, "f", "a", []string{"b"}},
		{"multi_replace_string_in_file", in{"explanation": "x", "replacements": []in{{"filePath": "f", "oldString": "a", "newString": "b"}, {"filePath": "g", "oldString": "q", "newString": "r"}, {"filePath": "f", "oldString": "b", "newString": "c"}}}, "f", "a", []string{"c"}},
		{"write_file", in{"uri": "file:///f", "content": "x", "encoding": "utf-8", "old_string": nil}, "/f", "a", []string{"x"}},
		{"str_replace_editor", in{"command": "create", "path": "f", "file_text": "x"}, "f", "a", []string{"x"}},
		{"str_replace_editor", in{"command": "str_replace", "path": "f", "old_str": "a", "new_str": "b"}, "f", "a", []string{"b"}},

		// More texts than one tool uses, any of which may be the one that counts.
		{"Write", in{"file_path": "f", "content": "x", "old_string": "a", "new_string": "a"}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "text": "a"}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "edits": []in{{"old_string": "a", "new_string": "a"}}}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "meta": in{"path": "f", "content": "a"}}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "path": "g", "content": "x"}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "insert_line": 1, "new_str": ""}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "insert_line": 1}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "start_line": 1, "end_line": 2}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "old_string": "a"}, "f", "a", []string{unknown}},
		{"Write", in{"file_path": "f", "content": "x", "note": patch("*** Update File: f\n-a\n+a\n")}, "f", "a\n", []string{unknown}},
		{"Write", in{"file_path": "f", "content": patch("*** Add File: f\n+a\n")}, "f", "a\n", []string{unknown}},
		{"Edit", in{"file_path": "f", "search": "a", "replace": "a", "old_string": "a", "new_string": "x"}, "f", "a", []string{unknown}},
		{"Edit", in{"file_path": "f", "edits": []in{{"old_string": "a", "new_string": "a", "content": "x"}}}, "f", "a", []string{unknown}},
		{"MultiEdit", in{"file_path": "f", "edits": []in{{"old_string": "a", "new_string": "a"}}, "changes": []in{{"old_string": "a", "new_string": "x"}}}, "f", "a", []string{unknown}},
		{"mcp__fs__write_files", in{"files": []in{{"path": "f", "content": "x"}, {"path": "f", "content": "a"}}}, "f", "a", []string{unknown}},
		{"mcp__fs__copy_file", in{"source": "g", "destination": "f", "content": "a"}, "f", "a", []string{unknown}},
		{"mcp__fs__download", in{"url": "http://127.0.0.1/x", "path": "f", "content": "a"}, "f", "a", []string{unknown}},
		{"mcp__fs__write", in{"path": "f", "content": []string{"x"}, "text": "a"}, "f", "a", []string{unknown}},
		{"mcp__fs__write", in{"path": "f", "content": in{"x": 1}, "text": "a"}, "f", "a", []string{unknown}},
		{"mcp__fs__write", in{"arguments": `{"path":"f","content":"x"}`, "path": "f", "content": "a"}, "f", "a", []string{unknown}},
		{"str_replace_editor", in{"command": "undo_edit", "path": "f", "old_str": "a", "new_str": "a"}, "f", "a", []string{unknown}},
		{"edit_file", in{"target_file": "f", "code_edit": "a"}, "f", "a", []string{unknown}},
		{"apply_patch", in{"input": patch("*** Update File: f\n-a\n+a\n"), "command": patch("*** Update File: f\n-a\n+x\n")}, "f", "a\n", []string{unknown}},
		{"apply_patch", in{"input": patch("*** Update File: f\n-a\n+a\n") + patch("*** Update File: f\n-a\n+x\n")}, "f", "a\n", []string{unknown}},
		{"apply_patch", in{"input": patch("*** Update File: f\n-a\n+a\n"), "patch": "--- a/f\n+++ b/f\n"}, "f", "a\n", []string{unknown}},
	}
	for _, tt := range tests {
		raw, err := json.Marshal(tt.input)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Results(&checkrein.Tool{Name: tt.tool, Input: raw}, tt.path, func(string) ([]byte, bool) { return []byte(tt.before), true })
		var texts []string
		for _, g := range got {
			s := string(g)
			if g == nil {
				s = "-"
			}
			texts = append(texts, s)
		}
		if !ok {
			texts = []string{unknown}
		}
		a, _ := json.Marshal(texts)
		b, _ := json.Marshal(tt.want)
		if string(a) != string(b) {
			t.Errorf("%s %s: %s, want %s", tt.tool, raw, a, b)
		}
	}
}

// TestResultsOfUnreadableFile checks that the contents of a file that cannot be read are unknown, even
// if it is moved.
func TestResultsOfUnreadableFile(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`{"path":"f","old_string":"a","new_string":"b"}`, `{"input":"*** Begin Patch\n*** Update File: g\n*** Move to: f\n*** End Patch\n"}`} {
		if got, ok := Results(&checkrein.Tool{Name: "x", Input: []byte(input)}, "f", func(string) ([]byte, bool) { return nil, false }); ok {
			t.Errorf("%s: %q", input, got)
		}
	}
}

// TestResultsOfDuplicateArguments checks that the result is unknown if an argument occurs twice.
func TestResultsOfDuplicateArguments(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`{"path":"f","content":"x","content":"a"}`, `{"path":"f","content":"x","Content":"a"}`} {
		if got, ok := Results(&checkrein.Tool{Name: "Write", Input: []byte(input)}, "f", func(string) ([]byte, bool) { return []byte("a"), true }); ok {
			t.Errorf("%s: %q", input, got)
		}
	}
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"path":"f","edits":[{"old_string":"a","new_string":"b"}]}`), []byte("a"))
	f.Add([]byte(`{"input":"*** Begin Patch\n*** Update File: f\n@@ a\n-b\n+c\n"}`), []byte("a\nb\n"))
	f.Fuzz(func(t *testing.T, input, before []byte) {
		Results(&checkrein.Tool{Name: "x", Input: input}, "f", func(string) ([]byte, bool) { return before, true })
	})
}
