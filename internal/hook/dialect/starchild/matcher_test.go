package starchild

import (
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// TestMatchersFindTheirTools checks that the expression that replaces a matcher is found in the
// payload of every tool that the matcher accepts.
func TestMatchersFindTheirTools(t *testing.T) {
	t.Parallel()
	tools := []string{"Bash", "shell", "run_shell_command", "Write", "fs_write", "WebFetch", "fetch", "mcp__github__delete", "mcp_github_delete", "send_to_telegram", "Task"}
	for _, tt := range []struct {
		expr string
		by   bool
		want string // "" = none
	}{
		{"shell", false, `"tool_name": ?"(?:bash)"`},
		{"Bash|Write", false, `"tool_name": ?"(?:bash|write_file)"`},
		{"Bash, Write", true, `"tool_name": ?"(?:bash|write_file)"`},
		{"send_to_telegram", false, `"tool_name": ?"(?:send_to_telegram)"`},
		{"WebFetch", false, `"tool_name": ?"(?:FetchUrl|WebFetch|fetch|web_fetch|webfetch)"`},
		{"mcp:github/delete", false, `"tool_name": ?"(?:mcp:github/delete|mcp__github__delete|mcp_github_delete)"`},
		{"mcp__github__.*", false, ""},
		{"^Ba", true, ""},
		{"mcp:.*", false, ""},
		{"a(", false, ""},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			h := checkrein.Hook{Match: tt.expr, MatchWords: tt.by}
			got := toolSearch(&h)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			m, err := match.CompileTool(tt.expr, tt.by)
			if err != nil {
				return
			}
			search, err := match.CompileSearch(got)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range tools {
				ev := call(name, `{}`)
				body, err := Dialect.Encode(ev)
				if err != nil {
					t.Fatal(err)
				}
				if m.Match(ev.Tool, "") && !search.MatchesText(string(body)) {
					t.Errorf("%s is not found in %s", name, body)
				}
			}
		})
	}
}
