package host

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

func TestRenameDirArgument(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, host, tool, input, patch, want string }{
		{"mapped", "codex", "Bash", `{"command":"ls"}`, `{"cwd":"/x"}`, `{"workdir":"/x"}`},
		{"mapped beside others", "cursor", "Shell", `{"command":"ls"}`, `{"command":"pwd","cwd":"/x"}`, `{"command":"pwd","working_directory":"/x"}`},
		{"the first of several", "gemini", "run_shell_command", `{"command":"ls"}`, `{"cwd":"/x"}`, `{"dir_path":"/x"}`},
		{"the one that the call has", "gemini", "run_shell_command", `{"command":"ls","directory":"a"}`, `{"cwd":"/x"}`, `{"directory":"/x"}`},
		{"the host's own", "qwen", "run_shell_command", `{"command":"ls"}`, `{"directory":"/x"}`, `{"directory":"/x"}`},
		{"docker-agent's own", "docker-agent", "shell", `{"cmd":"ls"}`, `{"cwd":"/x"}`, `{"cwd":"/x"}`},
		{"one that the call has", "claude", "Bash", `{"command":"ls","cwd":"a"}`, `{"cwd":"/x"}`, `{"cwd":"/x"}`},
		{"none", "claude", "Bash", `{"command":"ls"}`, `{"command":"pwd"}`, `{"command":"pwd"}`},
		{"a deletion of nothing", "claude", "Bash", `{"command":"ls"}`, `{"cwd":null}`, `{"cwd":null}`},
		{"another tool", "claude", "mcp__x__run", `{"a":1}`, `{"cwd":"/x"}`, `{"cwd":"/x"}`},
		{"no host", "", "Bash", `{"command":"ls"}`, `{"cwd":"/x"}`, `{"cwd":"/x"}`},
		{"a host that takes none", "claude", "Bash", `{"command":"ls"}`, `{"cwd":"/x"}`, ""},
		{"a host that takes none, beside others", "copilot", "bash", `{"command":"ls"}`, `{"command":"pwd","working_dir":"/x"}`, ""},
		{"twice", "codex", "Bash", `{"command":"ls"}`, `{"cwd":"/x","workdir":"/y"}`, ""},
	} {
		ev := checkrein.Event{Host: tt.host, Tool: &checkrein.Tool{Name: tt.tool, Canonical: tools.CanonicalTool(tt.tool), Input: json.RawMessage(tt.input)}}
		got, err := RenameDirArgument(ev, json.RawMessage(tt.patch))
		if (err != nil) != (tt.want == "") || err == nil && string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}
