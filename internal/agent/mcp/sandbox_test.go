//go:build linux

package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// TestSandboxedServer starts a server behind walls, which may not write beside its project.
func TestSandboxedServer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp(".", "home") // not below a directory for temporary files
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if home, err = filepath.Abs(home); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(home, "project")
	if err := os.MkdirAll(project+"/.git", 0o700); err != nil {
		t.Fatal(err)
	}
	var notices strings.Builder
	pool := NewPool(Options{Dir: project, Environ: os.Environ(), Program: self, Notify: func(text string) { notices.WriteString(text) },
		Walls: func() (walls.Place, error) { return walls.Place{Homes: []string{home}}, nil }})
	t.Cleanup(pool.Close)
	script := "echo x > inside; echo x > " + home + "/outside; exec " + self
	set := &team.Toolset{Type: "mcp", Server: &team.Server{Name: "srv", Label: "srv", Command: "sh", Args: []string{"-c", script}, Sandbox: &sandbox.Rules{Profile: sandbox.Walls},
		Env: []team.Variable{{Name: fakeVar, Value: "good"}}}}
	list := pool.Tools(t.Context(), set, noneTaken)
	if strings.Contains(notices.String(), "Landlock") {
		t.Skipf("SKIPPED, NOTHING WAS PROVEN: this machine cannot have sandboxes: %s", &notices)
	}
	if len(list) == 0 {
		t.Errorf("no tools: %s", &notices)
	}
	if _, err := os.Stat(project + "/inside"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home + "/outside"); err == nil {
		t.Error("the server wrote outside of its project")
	}
}
