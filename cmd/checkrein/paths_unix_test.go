//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpellingsOfPaths has a host ask about one file in many spellings: too long to
// open as they are, through links, from other directories.
func TestSpellingsOfPaths(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(home, name) }
	project := at("proj")
	for _, dir := range []string{"proj/src", "diary/deep", "open", ".config/checkrein", ".claude", ".ssh", "moved/src"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const hooks = `version: 1
hooks:
  pre_tool_use:
    - {type: rule, if: {paths: {under: ~/diary}}, decision: deny, reason: mine}
    - {type: rule, if: {paths: {glob: ~/notes/**}}, decision: deny, reason: mine}
    - {type: rule, if: {tool: {is: read}, paths: {under: ~/open}}, decision: allow, reason: free}
    - {type: rule, if: {tool: {is: read}, paths: {glob: src/**}}, decision: allow, reason: free}
`
	for name, text := range map[string]string{
		".config/checkrein/checkrein.yaml": hooks, ".claude/settings.json": "{}", ".bashrc": "", ".ssh/id_ed25519": "x", "diary/a.txt": "x", "diary/src.txt": "x", "moved/src/a.txt": "x",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"proj/lnk": at("diary"), "proj/deep": at("diary/deep"), "proj/two": "lnk", "open/out": at("diary"), "open/else": at("moved"), "open/in": at("open"), "proj/src/away": at("moved"), "here": project,
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	heard := func(dir, tool string, input map[string]any) string {
		cmd := exec.Command(filepath.Join(programs, "checkrein"), "hook", "claude")
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		cmd.Stdin = bytes.NewReader([]byte(jsonOf(t, map[string]any{"session_id": "s", "hook_event_name": "PreToolUse", "cwd": dir, "permission_mode": "default", "tool_name": tool, "tool_input": input})))
		out, _ := cmd.Output()
		if bytes.Contains(out, []byte(`"permissionDecision":"allow"`)) {
			return "allow"
		}
		return heardIn(out)
	}
	file := func(path string) map[string]any { return map[string]any{"file_path": path, "content": "x"} }
	slashes, dots, ups := strings.Repeat("/", 4096), strings.Repeat("/.", 2100)+"/", strings.Repeat("/x/..", 900)+"/"
	for _, c := range []struct {
		tool  string
		input map[string]any
		want  string
	}{
		// longer than a system takes, as it is written
		{"Write", file(home + slashes + ".claude/settings.json"), "ask"},
		{"Write", file(home + "/.config/checkrein" + slashes + "checkrein.yaml"), "deny"},
		{"Write", file(home + dots + ".config/checkrein/checkrein.yaml"), "deny"},
		{"Write", file(home + ups + ".config/checkrein/checkrein.yaml"), "deny"},
		{"Edit", map[string]any{"file_path": home + slashes + ".config/checkrein/checkrein.yaml", "old_string": "deny", "new_string": "allow"}, "deny"},
		{"MultiEdit", map[string]any{"file_path": home + slashes + ".config/checkrein/checkrein.yaml", "edits": []any{map[string]any{"old_string": "deny", "new_string": "allow"}}}, "deny"},
		{"NotebookEdit", map[string]any{"notebook_path": home + slashes + ".config/checkrein/checkrein.yaml", "new_source": "x"}, "deny"},
		{"mcp__fs__write_file", map[string]any{"path": home + slashes + ".config/checkrein/checkrein.yaml", "content": "x"}, "deny"},
		{"mcp__odd__put", map[string]any{"foo": home + slashes + ".config/checkrein/checkrein.yaml"}, "deny"},
		{"Write", file("file://" + home + strings.Repeat("/%2e", 2000) + "/.config/checkrein/checkrein.yaml"), "deny"},
		{"Write", file(home + slashes + ".bashrc"), "ask"},
		{"Write", file(home + slashes + ".ssh/authorized_keys"), "ask"},
		{"Read", file(home + slashes + ".ssh/id_ed25519"), "ask"},
		{"Grep", map[string]any{"path": home + slashes + ".ssh/id_ed25519", "pattern": "x"}, "ask"},
		{"Read", file(home + slashes + "diary/a.txt"), "deny"},
		{"Write", file(home + slashes + "proj/src/a.txt"), "none"},
		// a line's end, and what looks like an address
		{"Write", file(home + "/x\n/../.config/checkrein/checkrein.yaml"), "deny"},
		{"Write", file(home + "/.config/checkrein/checkrein.yaml\n"), "deny"},
		{"Write", file(home + "/x://../.config/checkrein/checkrein.yaml"), "deny"},
		// too long whatever is left out
		{"Write", file(home + strings.Repeat("/abc", 1100)), "ask"},
		{"Read", file(home + strings.Repeat("/abc", 1100)), "ask"},
		{"Glob", map[string]any{"path": home + strings.Repeat("/abc", 1100), "pattern": "*"}, "ask"},
		{"mcp__fs__read_file", map[string]any{"path": home + strings.Repeat("/a.c", 1100)}, "ask"},
		{"mcp__box__upload", map[string]any{"file": strings.Repeat("iVBO/9j+", 1100)}, "none"},
		// a person's own rule
		{"Read", file(at("diary/a.txt")), "deny"},
		{"Read", file("~/diary/a.txt"), "deny"},
		{"Read", file("../diary/a.txt"), "deny"},
		{"Read", file("/proc/self/root" + at("diary/a.txt")), "deny"},
		{"Read", file("/proc/self/cwd/lnk/a.txt"), "deny"},
		{"Read", file("lnk/a.txt"), "deny"},
		{"Read", file(at("proj/two/a.txt")), "deny"},
		{"Read", file("deep/../a.txt"), "deny"},
		{"Write", file("lnk/new.txt"), "deny"},
		{"Bash", map[string]any{"command": "cat lnk/a.txt"}, "deny"},
		{"Bash", map[string]any{"command": "cd lnk && cat a.txt"}, "deny"},
		{"Bash", map[string]any{"command": "cat src/a.txt"}, "none"},
		{"mcp__sh__run", map[string]any{"command": "cat a.txt", "cwd": at("diary")}, "deny"},
		{"Read", file(at("notes/a.txt")), "deny"},
		{"Read", file("../notes/a.txt"), "deny"},
		// what allows needs the path as it is written and where it leads
		{"Read", file(at("open/a.txt")), "allow"},
		{"Read", file(at("open/in/a.txt")), "allow"},
		{"Read", file(at("open/out/a.txt")), "deny"},
		{"Read", file(at("open/else/src/a.txt")), "none"},
		{"Read", file("src/a.txt"), "allow"},
		{"Read", file("src/away/src/a.txt"), "none"},
	} {
		got := heard(project, c.tool, c.input)
		if c.want == "ask" && got == "deny" { // nobody is there to be asked
			got = "ask"
		}
		if got != c.want {
			shown := jsonOf(t, c.input)
			t.Errorf("%s %.60s … %s: heard %s, want %s", c.tool, shown, shown[max(0, len(shown)-60):], got, c.want)
		}
	}
	// A session whose directory is a link is at home in it.
	if got := heard(at("here"), "Read", file("src/a.txt")); got != "allow" {
		t.Errorf("a project that is a link: heard %s, want allow", got)
	}
}
