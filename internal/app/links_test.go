package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// Keys are guarded under other paths too: through symlinks in the project, and in a directory that the
// call names.
func TestKeysBehindSymlinks(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(home, "project")
	for _, dir := range []string{filepath.Join(home, ".ssh"), filepath.Join(project, "src"), filepath.Join(project, "tests")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{filepath.Join(home, ".ssh", "id_rsa"): "x", filepath.Join(project, "src", "a.go"): "x", filepath.Join(project, "tests", "id_rsa"): "x"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"project/k": "../.ssh", "project/one": filepath.Join(home, ".ssh", "id_rsa"), "project/lib": "src", "project/fixtures": "tests", "elsewhere": "project"} {
		if err := os.Symlink(to, filepath.Join(home, name)); err != nil {
			t.Skip(err)
		}
	}
	open := func(dir string) *app.Kit {
		k, err := app.Open(app.Options{Dir: dir, State: filepath.Join(home, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin"}})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	direct, linked := open(project), open(filepath.Join(home, "elsewhere"))
	for _, tt := range []struct {
		name, input string
		want        checkrein.Decision
	}{
		{"Read", `{"file_path":"PROJECT/k/id_rsa"}`, checkrein.Ask},
		{"Read", `{"file_path":"one"}`, checkrein.Ask},
		{"Grep", `{"pattern":"BEGIN","path":"k"}`, checkrein.Ask},
		{"mcp__fs__read_file", `{"path":"id_rsa","cwd":"~/.ssh"}`, checkrein.Ask},
		{"mcp__fs__read_file", `{"path":"id_rsa","cwd":"k"}`, checkrein.Ask},
		{"mcp__fs__read_file", `{"path":"id_rsa","directory":"~/.ssh"}`, checkrein.Ask},
		{"Bash", `{"command":"cat k/id_rsa"}`, checkrein.Ask},
		{"Bash", `{"command":"cat one"}`, checkrein.Ask},
		{"Bash", `{"command":"base64 < one"}`, checkrein.Ask},
		{"Bash", `{"command":"cd k && cat id_rsa"}`, checkrein.Ask},
		{"Bash", `{"command":"cat k/*"}`, checkrein.Ask},
		{"Bash", `{"command":"cp k/id_rsa /tmp/x"}`, checkrein.Ask},
		{"Bash", `{"command":"python3 -c 'print(open(\"k/id_rsa\").read())'"}`, checkrein.Ask},
		{"Read", `{"file_path":"lib/a.go"}`, checkrein.NoOpinion},
		{"Read", `{"file_path":"fixtures/id_rsa"}`, checkrein.NoOpinion},
		{"Bash", `{"command":"cat lib/a.go fixtures/id_rsa tests/id_rsa"}`, checkrein.NoOpinion},
		{"Bash", `{"command":"ls k"}`, checkrein.NoOpinion},
		{"mcp__fs__read_file", `{"path":"a.go","cwd":"lib"}`, checkrein.NoOpinion},
	} {
		for root, k := range map[string]*app.Kit{project: direct, filepath.Join(home, "elsewhere"): linked} {
			if root != project && strings.Contains(tt.input, "fixtures") {
				continue // the path as written is outside the project
			}
			quoted, _ := json.Marshal(root)
			input := strings.ReplaceAll(tt.input, "PROJECT", strings.Trim(string(quoted), `"`))
			if v, said := answerTo(t, k, "claude", "PreToolUse.json", "tool_name", "tool_input", toolCall{tt.name, input}); v.Decision != tt.want {
				t.Errorf("%s: %s %s: %s %s", root, tt.name, input, v.Decision, said)
			}
		}
	}
}
