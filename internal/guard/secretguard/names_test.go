package secretguard

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestMarkersInAnyArgument writes a bare marker over a secret under every name that an argument with
// the text of a file may have.
func TestMarkersInAnyArgument(t *testing.T) {
	t.Parallel()
	p := newRepoPlace(t)
	token := "ghp_" + strings.Repeat("Ab3dE6gH9j", 4)[:36]
	p.write(".env", "A=1\nTOKEN="+token+"\n")
	p.write("notes.md", "nothing here\n")
	for _, tt := range []struct {
		tool  string
		input map[string]any
		want  checkrein.Decision
	}{
		{"Write", map[string]any{"content": "TOKEN=[REDACTED]\n"}, checkrein.Deny},
		{"Write", map[string]any{"new_content": "TOKEN=[REDACTED]\n"}, checkrein.Deny},
		{"Write", map[string]any{"text": "TOKEN=[REDACTED]\n"}, checkrein.Deny},
		{"write_file", map[string]any{"fileContents": "TOKEN=[REDACTED]\n"}, checkrein.Deny},
		{"Edit", map[string]any{"start_line": 2, "end_line": 2, "replacement": "TOKEN=[REDACTED]"}, checkrein.Deny},
		{"edit_file", map[string]any{"start_line": 2, "end_line": 2, "new_content": "TOKEN=[REDACTED]"}, checkrein.Deny},
		{"edit_file", map[string]any{"code_edit": "TOKEN=[REDACTED]"}, checkrein.Deny},
		{"replace_in_file", map[string]any{"diff": "------- SEARCH\nTOKEN=x\n=======\nTOKEN=[REDACTED]\n+++++++ REPLACE"}, checkrein.Deny},
		{"edit_file", map[string]any{"diff": "@@ -2 +2 @@\n-TOKEN=x\n+TOKEN=[REDACTED]\n"}, checkrein.Deny},
		{"apply_patch", map[string]any{"diff": "@@ -2 +2 @@\n-TOKEN=" + token + "\n+TOKEN=[REDACTED]\n"}, checkrein.Deny},
		{"Edit", map[string]any{"old_string": "A=1", "new_string": "A=2"}, checkrein.NoOpinion},
		{"Edit", map[string]any{"old_string": "A=1", "new_string": "A=[REDACTED]"}, checkrein.NoOpinion},
		{"edit_file", map[string]any{"insert_line": 1, "insert_text": "# [REDACTED] is a marker"}, checkrein.NoOpinion},
		{"edit_file", map[string]any{"diff": "@@ -1 +1 @@\n-A=1\n+A=2\n"}, checkrein.NoOpinion},
	} {
		for _, file := range []string{".env", "notes.md"} {
			tt.input["path"] = file
			want := tt.want
			if file == "notes.md" { // which has no secrets
				want = checkrein.NoOpinion
			}
			if v := p.guardCall(tt.tool, tt.input); v.Decision != want {
				t.Errorf("%s %v: %s %s", tt.tool, tt.input, v.Decision, v.Reason)
			}
		}
	}
	v := p.guardCall("apply_patch", map[string]any{"patch": "--- a/.env\n+++ b/.env\n@@ -2 +2 @@\n-TOKEN=" + token + "\n+TOKEN=[REDACTED]\n"})
	if v.Decision != checkrein.Deny {
		t.Errorf("a unified diff: %s", v.Decision)
	}
}
