package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/team"
)

// newPlace returns a place with a working directory.
func newPlace(t *testing.T) Place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Place{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}
}

// callTool calls one tool of a toolset, as the runtime does.
func callTool(t *testing.T, at Place, kind, name, input string) (string, error) {
	t.Helper()
	tools, err := ToolsOf(&team.Agent{Toolsets: []team.Toolset{{Type: kind}}}, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if tool.Name == name {
			return tool.Run(t.Context(), json.RawMessage(input))
		}
	}
	t.Fatalf("%s has no tool %s", kind, name)
	return "", nil
}

func TestShell(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	if err := os.Mkdir(filepath.Join(at.Dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, input, out, err string }{
		{"output", `{"cmd":"echo hello"}`, "hello\n", ""},
		{"the other word", `{"command":"echo hello"}`, "hello\n", ""},
		{"the same in both words", `{"cmd":"echo hello","command":"echo hello"}`, "hello\n", ""},
		{"two commands", `{"cmd":"echo hello","command":"touch ran"}`, "", "they differ"},
		{"a word in another case", `{"cmd":"echo hello","CMD":"touch ran"}`, "", `unknown argument "CMD"`},
		{"only in another case", `{"Cmd":"touch ran"}`, "", `unknown argument "Cmd"`},
		{"no command", `{}`, "", "no command"},
		{"blank command", `{"cmd":" \n"}`, "", "no command"},
		{"not an object", `[1]`, "", "arguments of shell"},
		{"stderr is there, in order", `{"cmd":"echo a; echo b >&2; echo c"}`, "a\nb\nc\n", ""},
		{"exit code", `{"cmd":"echo x; exit 3"}`, "x\n", "exit code 3"},
		{"not found", `{"cmd":"no-such-program-here"}`, "", "exit code 127"},
		{"directory", `{"cmd":"pwd"}`, at.Dir + "\n", ""},
		{"another directory", `{"cmd":"pwd","cwd":"sub"}`, at.Dir + "/sub\n", ""},
		{"an absolute directory", `{"cmd":"pwd","cwd":"/"}`, "/\n", ""},
		{"no such directory", `{"cmd":"pwd","cwd":"missing"}`, "", "missing"},
		{"its environment", `{"cmd":"echo $HOME"}`, at.Dir + "\n", ""},
		{"not text", `{"cmd":"printf '\\377x'"}`, "\uFFFDx", ""},
		{"several lines", `{"cmd":"cat <<X\none\nX\necho two"}`, "one\ntwo\n", ""},
		{"nobody types", `{"cmd":"read x; echo got $x"}`, "got\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := callTool(t, at, "shell", "shell", tt.input)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if out != tt.out && tt.err != "exit code 127" {
				t.Errorf("output %q, want %q", out, tt.out)
			}
			if _, err := os.Lstat(filepath.Join(at.Dir, "ran")); err == nil {
				t.Error("the other command ran")
			}
		})
	}
}

// A command with endless output is ended, and its output is limited.
func TestShellOutputIsBounded(t *testing.T) {
	t.Parallel()
	out, err := callTool(t, newPlace(t), "shell", "shell", `{"cmd":"yes"}`)
	if err == nil || !strings.Contains(err.Error(), "printed more than") || len(out) > maxShellOut {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}
