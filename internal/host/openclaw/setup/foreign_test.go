package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
)

func TestMistakesOfPlugins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, src string
		want      string // a part of what is found; "" = nothing
		async     bool
	}{
		{"an arrow", `api.on("tool_result_persist", async (e) => e)`, "tool_result_persist is async", true},
		{"single quotes and a line", "api.on('tool_result_persist',\n  async function (e) {})", "tool_result_persist is async", true},
		{"the broader one", `api.on("before_message_write", async e => e)`, "before_message_write is async", true},
		{"by name", "async function reduce(e) {}\napi.on('tool_result_persist', reduce)", "is async", true},
		{"by name of a constant", "const reduce = async (e) => e\napi.on('tool_result_persist', reduce)", "is async", true},
		{"synchronous", `api.on("tool_result_persist", (e) => ({ message: e.message }))`, "", false},
		{"synchronous by name", "function reduce(e) {}\nasync function other() {}\napi.on('tool_result_persist', reduce)", "", false},
		{"where promises are waited for", `api.on("before_tool_call", async (e) => ({ params: {} }))`, "", false},
		{"a comment", "// tool_result_persist drops promises\nconst x = 1", "", false},
		{"a file without a member", `event.bootstrapFiles.push({ name: "a", path: "b", content: "c" })`, "without missing", false},
		{"another word for a member", `event.bootstrapFiles.push({ basename: "a", path: "b", content: "c", missing: false })`, "without name", false},
		{"a list", `ctx.bootstrapFiles = [{ path, content, missing: false }]`, "without name", false},
		{"whole files", `event.bootstrapFiles.push({ name: "a", path, content, missing: false })`, "", false},
		{"quoted members", `event.bootstrapFiles.push({ "name": "a", "path": "b", "content": "c", "missing": false })`, "", false},
		{"copied members", `event.bootstrapFiles.push({ ...file, content: "x" })`, "", false},
		{"only read", `for (const f of event.bootstrapFiles) { log(f.name) }`, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := findInFile("x.ts", []byte(tt.src))
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("found %+v", got)
			case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0].What, tt.want) || got[0].Async != tt.async):
				t.Errorf("found %+v, want %q", got, tt.want)
			}
		})
	}
}

func TestMistakesInFolders(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	bad := []byte("\n\napi.on('tool_result_persist', async () => {})\n")
	for _, name := range []string{
		"state/extensions/a/index.js", "state/workspace/.openclaw/extensions/b/src/index.ts",
		"state/extensions/a/node_modules/c/index.js", "state/extensions/a/README.md", "state/other/index.ts",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := findMistakes(&install.Machine{Home: home, Getenv: func(name string) string {
		if name == "OPENCLAW_STATE_DIR" {
			return filepath.Join(home, "state")
		}
		return ""
	}})
	if len(got) != 2 || got[0].Line != 3 || got[1].Line != 3 {
		t.Errorf("found %+v", got)
	}
	if got := findMistakes(&install.Machine{Home: home, Getenv: func(string) string { return "" }}); len(got) > 0 {
		t.Errorf("elsewhere %+v", got)
	}
}

func FuzzMistakes(f *testing.F) {
	f.Add("api.on('tool_result_persist', async (e) => e); event.bootstrapFiles.push({ name, ")
	f.Add("tool_result_persist")
	f.Add("bootstrapFiles[{}")
	f.Fuzz(func(_ *testing.T, src string) { findInFile("x", []byte(src)) })
}
