package checkrein_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

// TestWrittenTexts checks the forms in which hosts write files, each with the tool that uses it. Scans
// of later pushes rely on these texts.
func TestWrittenTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host, tool, input string
		want              []string
	}{
		{"claude", "Write", `{"file_path":"a","content":"one\ntwo\n"}`, []string{"one\ntwo\n"}},
		{"claude", "Edit", `{"file_path":"a","old_string":"x","new_string":"two"}`, []string{"two"}},
		{"claude", "MultiEdit", `{"edits":[{"old_string":"x","new_string":"two"},{"old_string":"y","new_string":"three"}]}`, []string{"two", "three"}},
		{"claude", "NotebookEdit", `{"notebook_path":"a","new_source":"two"}`, []string{"two"}},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n*** Update File: a\n@@\n-old\n+two\n context\n*** End Patch\n"}`, []string{"two\n"}},
		{"gemini", "replace", `{"file_path":"a","old_string":"x","new_string":"two"}`, []string{"two"}},
		{"copilot", "create", `{"path":"a","file_text":"two"}`, []string{"two"}},
		{"copilot", "edit", `{"path":"a","old_str":"x","new_str":"two"}`, []string{"two"}},
		{"cursor", "Write", `{"file_path":"a","contents":"two"}`, []string{"two"}},
		{"cursor", "Write", `{"file_path":"a","edits":[{"old_string":"x","new_string":"two"}]}`, []string{"two"}},
		{"opencode", "edit", `{"filePath":"a","oldString":"x","newString":"two"}`, []string{"two"}},
		{"opencode", "patch", `{"patchText":"*** Begin Patch\n*** Add File: a\n+two\n*** End Patch"}`, []string{"two\n"}},
		{"openclaw", "edit", `{"path":"a","edits":[{"oldText":"x","newText":"two"}]}`, []string{"two"}},
		{"openclaw", "apply_patch", `{"input":"*** Begin Patch\n*** Add File: a\n+two\n*** End Patch"}`, []string{"two\n"}},
		{"kimi", "StrReplaceFile", `{"path":"a","edit":{"old":"x","new":"two"}}`, []string{"two"}},
		{"kimi", "StrReplaceFile", `{"path":"a","edit":[{"old":"x","new":"two"},{"old":"y","new":"three"}]}`, []string{"two", "three"}},
		{"kiro", "fs_write", `{"command":"str_replace","path":"a","old_str":"x","new_str":"two"}`, []string{"two"}},
		{"hermes", "patch", `{"mode":"replace","path":"a","old_string":"x","new_string":"two"}`, []string{"two"}},
		{"hermes", "patch", `{"mode":"patch","patch":"*** Begin Patch\n*** Update File: a\n+two\n*** End Patch"}`, []string{"two\n"}},
		{"docker-agent", "edit_file", `{"path":"a","edits":[{"oldText":"x","newText":"two"}]}`, []string{"two"}},
		{"cline", "replace_in_file", `{"path":"a","diff":"------- SEARCH\nold\n=======\ntwo\n+++++++ REPLACE\n"}`, []string{"two\n"}},
		{"cline", "replace_in_file", `{"path":"a","diff":"<<<<<<< SEARCH\nold\n=======\ntwo\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nold\n=======\nthree\n>>>>>>> REPLACE"}`, []string{"two\nthree\n"}},
		{"windsurf", "write", `{"file_path":"a","edits":[{"old_string":"","new_string":"two"}]}`, []string{"two"}},
		{"claude", "Bash", `{"command":"echo two > a"}`, nil},
	} {
		call := checkrein.Tool{Name: tt.tool, Canonical: tools.CanonicalTool(tt.tool), Input: json.RawMessage(tt.input)}
		if got := call.WrittenTexts(); !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.host, tt.tool, got, tt.want)
		}
	}
}
