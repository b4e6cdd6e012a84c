package transcripts

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestIsTranscript(t *testing.T) {
	home := t.TempDir()
	roots := Roots(home, func(name string) string {
		if name == "CODEX_HOME" {
			return filepath.Join(home, "moved")
		}
		return ""
	})
	for _, row := range []struct {
		path         string
		holds, leads bool
	}{
		{".claude/projects/p/s.jsonl", true, true},
		{".claude/projects/p/s/subagents/agent-1.jsonl", true, true},
		{".claude/projects/s.jsonl", true, true},
		{".claude/projects", false, true},
		{".claude/projects/p", false, true},
		{".claude/projects/p/memory", false, false},
		{".claude/projects/p/memory/MEMORY.md", false, true},
		{".claude/settings.json", false, false},
		{".claude", false, true},
		{".claudex/projects/p/s.jsonl", false, false},
		{".codex/sessions/2026/01/02/rollout-1.jsonl", true, true},
		{".codex/sessions/2026/01/02/other.jsonl", false, true},
		{"moved/archived_sessions/rollout-1.jsonl", true, true},
		{".gemini/tmp/h/chats/session-1.json", true, true},
		{".gemini/tmp/h/logs.json", false, false},
		{".gemini/tmp/h", false, true},
		{".qwen/tmp/h/chats/a.jsonl", true, false},
		{".copilot/session-state/x/events.jsonl", true, false},
		{".copilot/session-state/x/plan.md", false, false},
		{".local/share/opencode/opencode.db", true, false},
		{".local/share/opencode/opencode.db-wal", true, false},
		{".local/share/opencode/storage/part/m/p.json", true, true},
		{"notes.txt", false, false},
	} {
		var holds, leads bool
		for i := range roots {
			if below, ok := roots[i].RelPath(filepath.Join(home, row.path)); ok {
				holds = holds || roots[i].IsTranscript(below)
				leads = leads || roots[i].IsTranscriptDir(below)
			}
		}
		if holds != row.holds || leads != row.leads {
			t.Errorf("%s: holds %v, leads %v", row.path, holds, leads)
		}
	}
}

func TestWalk(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"projects/p/a.jsonl", "projects/p/memory/x.md", "projects/q/s/subagents/b.jsonl", "todos/c.jsonl"} {
		path := filepath.Join(home, ".claude", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	roots := Roots(home, func(string) string { return "" })
	root := &roots[0]
	walk := func(dir string, most int) (names []string, whole bool) {
		whole = root.Walk(filepath.Join(home, dir), most, func(path string) bool {
			names = append(names, filepath.Base(path))
			return true
		})
		return names, whole
	}
	for dir, want := range map[string][]string{
		"": {"a.jsonl", "b.jsonl"}, ".claude": {"a.jsonl", "b.jsonl"}, ".claude/projects/q": {"b.jsonl"},
		".claude/projects/p/memory": nil, ".claude/todos": nil, ".claude/projects/p/a.jsonl": {"a.jsonl"}, ".claude/projects/none": nil,
	} {
		if got, whole := walk(dir, 100); !whole || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", dir, got, whole)
		}
	}
	if _, whole := walk("", 2); whole {
		t.Error("the end of the walk is not told")
	}
}
