package payload

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestRecordedPayloads reads the files in testdata, which are payloads recorded from hosts and must
// not be edited.
func TestRecordedPayloads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file            string
		kind            checkrein.Kind
		native          string
		tool, canonical string
		command         string
		paths           []string
		text            string
		agent           string
	}{
		{file: "claude/PreToolUse.json", kind: checkrein.PreToolUse, native: "PreToolUse", tool: "Bash", canonical: "shell", command: "echo hello"},
		{file: "claude/PreToolUse.Write.json", kind: checkrein.PreToolUse, native: "PreToolUse", tool: "Write", canonical: "write", paths: []string{"/home/dev/project/a.txt"}},
		{file: "claude/PreToolUse.mcp.json", kind: checkrein.PreToolUse, native: "PreToolUse", tool: "mcp__lab__say", canonical: "mcp:lab/say"},
		{file: "claude/PreToolUse.in-subagent.json", kind: checkrein.PreToolUse, native: "PreToolUse", tool: "Bash", canonical: "shell", command: "echo in-sub", agent: "a0000000000000000"},
		{file: "claude/PostToolUseFailure.json", kind: checkrein.PostToolUseFailure, native: "PostToolUseFailure", tool: "Bash", canonical: "shell", command: "ls does-not-exist-xyz"},
		{file: "claude/Stop.json", kind: checkrein.Stop, native: "Stop", text: "Finished."},
		{file: "claude/UserPromptSubmit.json", kind: checkrein.UserPromptSubmit, native: "UserPromptSubmit", text: "Please run the command."},
		{file: "claude/FileChanged.json", kind: checkrein.Other, native: "FileChanged"},
		{file: "codex/PreToolUse.apply_patch.json", kind: checkrein.PreToolUse, native: "PreToolUse", tool: "apply_patch", canonical: "patch", paths: []string{"new.txt"}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			ev, err := ReadEvent(body, "")
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind != tt.kind || ev.Native != tt.native {
				t.Errorf("%v, native %q, want %v, %q", ev.Kind, ev.Native, tt.kind, tt.native)
			}
			if ev.Session.ID != "00000000-0000-0000-0000-000000000000" || ev.Session.Dir != "/home/dev/project" || ev.Session.Agent != tt.agent {
				t.Errorf("session %+v", ev.Session)
			}
			if ev.Text != tt.text {
				t.Errorf("text %q, want %q", ev.Text, tt.text)
			}
			var tool checkrein.Tool
			if ev.Tool != nil {
				tool = *ev.Tool
			}
			if tool.Name != tt.tool || tool.Canonical != tt.canonical {
				t.Errorf("tool %q is %q, want %q is %q", tool.Name, tool.Canonical, tt.tool, tt.canonical)
			}
			if got := tool.Command(); got != tt.command {
				t.Errorf("command %q, want %q", got, tt.command)
			}
			if got := tool.Paths(); !slices.Equal(got, tt.paths) {
				t.Errorf("paths %q, want %q", got, tt.paths)
			}
		})
	}
}
