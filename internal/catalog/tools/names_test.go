package tools

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCanonicalNamesMeanThemselves(t *testing.T) {
	t.Parallel()
	EachName(func(native, canonical string) {
		if got := CanonicalTool(canonical); got != canonical {
			t.Errorf("Canonical(%q) = %q; it is the canonical name of %q", canonical, got, native)
		}
	})
}

func TestCanonicalTool(t *testing.T) {
	t.Parallel()
	tests := []struct{ want, natives string }{
		{"shell", "shell Bash Shell bash run_shell_command exec execute_bash execute_command terminal exec_command"},
		{"write", "write Write WriteFile write_file write_to_file create fs_write"},
		{"read", "read Read ReadFile read_file fs_read view"},
		{"edit", "edit Edit MultiEdit StrReplaceFile edit_file replace replace_in_file"},
		{"patch", "apply_patch patch"},
		{"task", "task Task agent transfer_task"},
		{"todo", "TodoWrite todowrite"},
		{"fetch", "WebFetch webfetch web_fetch"},
		{"search", "Grep grep grep_search search_file_content"},
		{"list", "LS ls list_directory"},
		{"glob", "Glob glob"},
		{"mcp:lab/say", "mcp__lab__say mcp_lab_say mcp:lab/say"},
		{"mcp:lab/say_it__all", "mcp__lab__say_it__all"},
		{"mcp:my_lab/say", "mcp__my_lab__say"},
		{"mcp:lab/say_it", "mcp_lab_say_it"},
		{"", "BASH bAsh Bash2 shell_script ski mcp mcp_ mcp__ mcp__lab mcp__lab__ mcp____say mcp_lab_ mcp: mcp:lab mcp:lab/ mcp:/say"},
	}
	for _, tt := range tests {
		for native := range strings.FieldsSeq(tt.natives) {
			t.Run(native, func(t *testing.T) {
				t.Parallel()
				if got := CanonicalTool(native); got != tt.want {
					t.Errorf("Canonical(%q) = %q, want %q", native, got, tt.want)
				}
			})
		}
	}
}

func TestCanonicalToolIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		native := rapid.StringMatching(`mcp[_]{0,3}[a-c]{0,2}_{0,3}[a-c]{0,2}|mcp:[a-c]{0,2}/?[a-c]{0,2}|[a-c]{1,3}`).Draw(t, "native")
		once := CanonicalTool(native)
		if once != "" && CanonicalTool(once) != once {
			t.Fatalf("%q is %q, which is %q", native, once, CanonicalTool(once))
		}
	})
}
