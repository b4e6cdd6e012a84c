package hostlab_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/lab/built"
)

// writeProgram writes a program that prints a version and saves its environment in a file beside
// itself.
func writeProgram(t *testing.T, dir, name, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	script := "#!/bin/sh\nenv > " + path + ".env\nls -A \"$HOME\" > " + path + ".home\necho 'the agent " + version + " (of nobody)'\n"
	if err := built.WriteScript(path, script); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	t.Setenv("ANTHROPIC_API_KEY", "the person's")
	inPath := writeProgram(t, second, "claude", "2.1.325")
	writeProgram(t, filepath.Join(home, ".claude", "local"), "claude", "1.0.0-beta.2")
	writeProgram(t, filepath.Join(home, ".opencode", "bin"), "opencode", "1.18.33.")
	for _, tt := range []struct {
		name, host, path, want string
	}{
		{"in PATH", "claude", first + string(os.PathListSeparator) + second, "2.1.325"},
		{"where its installer puts it", "claude", first, "1.0.0-beta.2"},
		{"of another host", "opencode", second, "1.18.33"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := setups.Labs().Find(t.Context(), tt.host, hostlab.Where{Path: tt.path, Home: home, Root: root})
			if err != nil || h.Version != tt.want || h.Name != tt.host {
				t.Fatalf("found %+v, %v, want %s %s", h, err, tt.host, tt.want)
			}
		})
	}
	env, err := os.ReadFile(inPath + ".env")
	if err != nil || strings.Contains(string(env), "the person's") || strings.Contains(string(env), home) {
		t.Errorf("the build saw the person's environment: %v\n%s", err, env)
	}
	if list, err := os.ReadFile(inPath + ".home"); err != nil || strings.TrimSpace(string(list)) != "bin" {
		t.Errorf("the build saw a home with %q, %v", list, err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFindNone(t *testing.T) {
	dir := t.TempDir()
	writeProgram(t, filepath.Join(dir, "bin"), "codex", "none at all")
	t.Chdir(dir)
	for _, tt := range []struct {
		name, host, path, want string
		none                   bool
	}{
		{"not there", "gemini", dir, "not found on this machine", true},
		{"a folder of the project", "codex", "bin", "not found on this machine", true},
		{"no version", "codex", filepath.Join(dir, "bin"), "did not print a version", false},
		{"unknown", "emacs", dir, `unknown agent "emacs": this build can run claude`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := setups.Labs().Find(t.Context(), tt.host, hostlab.Where{Path: tt.path, Home: dir, Root: dir})
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, hostlab.ErrNotFound) != tt.none {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
