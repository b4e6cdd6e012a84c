package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// TestHostReferenceServers uses the reference servers of the protocol.
func TestHostReferenceServers(t *testing.T) {
	lab := hosttest.New(t)
	server := func(name, version string, args ...string) *team.Toolset {
		argv := append(lab.Program("@modelcontextprotocol/server-"+name, version, "dist/index.js"), args...)
		return &team.Toolset{Type: "mcp", Server: &team.Server{Name: name, Label: name, Command: argv[0], Args: argv[1:]}}
	}
	t.Run("filesystem", func(t *testing.T) {
		l := newLab(t, Limits{})
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("a note\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		tools := l.tools(server("filesystem", "2026.8.31", dir))
		t.Logf("tools: %s\ntold: %s", joinToolNames(tools), l.notices())
		for _, x := range tools {
			if writes := strings.Contains(x.Name, "write") || strings.Contains(x.Name, "edit") || strings.Contains(x.Name, "create") || strings.Contains(x.Name, "move"); x.ReadOnly == writes {
				t.Errorf("%s is read-only: %v", x.Name, x.ReadOnly)
			}
		}
		out, err := callNamed(t, tools, "filesystem_read_text_file", `{"path":"`+filepath.Join(dir, "note.txt")+`"}`)
		if err != nil || !strings.Contains(out, "a note") {
			t.Errorf("%q, %v", out, err)
		}
		if out, err := callNamed(t, tools, "filesystem_read_text_file", `{"path":"/etc/hostname"}`); err == nil {
			t.Errorf("it read %q", out)
		} else {
			t.Log(err)
		}
		if out, err := callNamed(t, tools, "filesystem_write_file", `{"path":"`+filepath.Join(dir, "new.txt")+`","content":"new"}`); err != nil {
			t.Errorf("%q, %v", out, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "new.txt")); string(got) != "new" {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("everything", func(t *testing.T) {
		l := newLab(t, Limits{})
		tools := l.tools(server("everything", "2026.8.31"))
		t.Logf("tools: %s\ntold: %s", joinToolNames(tools), l.notices())
		for name, input := range map[string]string{"echo": `{"message":"hello"}`, "get-sum": `{"a":2,"b":3}`, "get-tiny-image": `{}`, "get-structured-content": `{"location":"Chicago"}`, "get-env": `{}`, "get-resource-links": `{"count":2}`, "get-annotated-message": `{"messageType":"error"}`} {
			out, err := callNamed(t, tools, "everything_"+name, input)
			t.Logf("%s: %.300q, %v", name, out, err)
			if err != nil || out == "" {
				t.Errorf("%s: %q, %v", name, out, err)
			}
		}
	})
}
