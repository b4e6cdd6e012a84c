package checkrein

import (
	"encoding/json"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"slices"
	"testing"
)

func TestToolCommand(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tool, input, want string }{
		{"Claude", "Bash", `{"command":"ls -l","description":"list"}`, "ls -l"},
		{"docker-agent", "shell", `{"cmd":"ls -l","cwd":"."}`, "ls -l"},
		{"Cline", "execute_command", `{"command":"ls"}`, "ls"},
		{"another word", "run_shell_command", `{"CommandLine":"ls"}`, "ls"},
		{"list of words", "exec", `{"command":["bash","-lc","ls -l"]}`, "bash -lc 'ls -l'"},
		{"escapes are read", "Bash", `{"command":"rm\u0020-rf\n"}`, "rm -rf\n"},
		{"whatever the tool is called", "Write", `{"command":"ls"}`, "ls"},
		{"a file tool's mode is no command", "fs_write", `{"command":"create","path":"a"}`, ""},
		{"no arguments", "Bash", ``, ""},
		{"not a text", "Bash", `{"command":5}`, ""},

		// Which name the host obeys is not known here. All are judged.
		{"decoy", "shell", `{"command":"ls","cmd":"rm -rf /"}`, "ls\nrm -rf /"},
		{"a key twice", "shell", `{"cmd":"ls","cmd":"rm -rf /"}`, "ls\nrm -rf /"},
		{"the same twice", "shell", `{"command":"ls","cmd":"ls"}`, "ls"},
		{"null decoy", "shell", `{"command":null,"cmd":"rm -rf /"}`, "rm -rf /"},
		{"number decoy", "shell", `{"command":0,"cmd":"rm -rf /"}`, "rm -rf /"},
		{"empty decoy", "shell", `{"command":"","cmd":"rm -rf /"}`, "rm -rf /"},
		{"case decoy", "shell", `{"cmd":"ls","CMD":"rm -rf /"}`, "ls\nrm -rf /"}, // Go hosts read keys so
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := Tool{Name: tt.tool, Canonical: tools.CanonicalTool(tt.tool), Input: json.RawMessage(tt.input)}
			if got := tool.Command(); got != tt.want {
				t.Errorf("Command() = %q, want %q", got, tt.want)
			}
		})
	}
}

const envelopePatch = `*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: old name.txt\n*** Move to: /tmp/x\n@@\n-a\n+b\n*** Delete File: gone.txt\n*** End Patch\n`

func TestToolPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, input string
		want              []string
	}{
		{"Claude", "Write", `{"file_path":"/p/a.txt","content":"x"}`, []string{"/p/a.txt"}},
		{"OpenCode", "edit", `{"filePath":"a.txt","oldString":"a"}`, []string{"a.txt"}},
		{"Copilot", "create", `{"path":"a.txt","file_text":"x"}`, []string{"a.txt"}},
		{"Gemini", "read_file", `{"absolute_path":"/p/a"}`, []string{"/p/a"}},
		{"notebook", "NotebookEdit", `{"notebook_path":"n.ipynb"}`, []string{"n.ipynb"}},
		{"list", "read_many_files", `{"paths":["a","b"]}`, []string{"a", "b"}},
		{"list under the single name", "read", `{"path":["a","b"]}`, []string{"a", "b"}},
		{"text under the list's name", "read", `{"paths":"a"}`, []string{"a"}},
		{"several names", "write", `{"path":"a","file_path":"b"}`, []string{"a", "b"}},
		{"null and a name", "write", `{"path":null,"file_path":"b"}`, []string{"b"}},
		{"other case", "write", `{"path":"a","PATH":"b"}`, []string{"a", "b"}},
		{"as written", "write", `{"path":"../x/./y"}`, []string{"../x/./y"}},
		{"any tool", "custom", `{"file_path":"a"}`, []string{"a"}},
		{"none", "Bash", `{"command":"ls"}`, nil},
		{"no arguments", "Bash", ``, nil},
		{"empty", "Write", `{"file_path":""}`, nil},

		{"Codex patch", "apply_patch", `{"command":"` + envelopePatch + `"}`, []string{"new.txt", "old name.txt", "/tmp/x", "gone.txt"}},
		{"patch as a list", "apply_patch", `{"command":["apply_patch","` + envelopePatch + `"]}`, []string{"new.txt", "old name.txt", "/tmp/x", "gone.txt"}},
		{"patch argument", "patch", `{"patch":"*** Add File: a\n"}`, []string{"a"}},
		{"input argument", "apply_patch", `{"input":"*** Add File: a\r\n"}`, []string{"a"}},
		{"patch with a path", "patch", `{"path":"/etc/passwd","patch":"*** Add File: a\n"}`, []string{"/etc/passwd", "a"}},
		{"patch without headers", "patch", `{"path":"a","patch":"nonsense"}`, []string{"a"}},
		{"a header in added text is none", "apply_patch", `{"command":"*** Add File: a\n+*** Add File: b\n"}`, []string{"a"}},
		{"headers in another tool are none", "Write", `{"file_path":"a","content":"*** Add File: b\n"}`, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := Tool{Name: tt.tool, Canonical: tools.CanonicalTool(tt.tool), Input: json.RawMessage(tt.input)}
			if got := tool.Paths(); !slices.Equal(got, tt.want) {
				t.Errorf("Paths() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestArgKey(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, arg, want string }{
		{"host's word", `{"command":"ls"}`, "cmd", "command"},
		{"our word", `{"cmd":"ls"}`, "command", "cmd"},
		{"between two hosts", `{"filePath":"a"}`, "file_path", "filePath"},
		{"exact beats the rest", `{"cmd":"a","command":"b"}`, "cmd", "cmd"},
		{"null counts as absent", `{"command":null,"cmd":"b"}`, "command", "cmd"},
		{"null alone", `{"command":null}`, "command", "command"},
		{"not there", `{"x":1}`, "command", "command"},
		{"no such argument anywhere", `{"x":1}`, "zz", "zz"},
		{"no arguments", ``, "cmd", "cmd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := Tool{Input: json.RawMessage(tt.input)}
			if got := tool.ArgKey(tt.arg); got != tt.want {
				t.Errorf("ArgKey(%q) = %q, want %q", tt.arg, got, tt.want)
			}
		})
	}
}
