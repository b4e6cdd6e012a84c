package walls

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// project makes a project with files that something runs later.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/hooks/pre-commit": "mine\n", ".git/hooks/pre-push.sample": "sample\n", ".git/config": "[core]\n", ".claude/settings.json": "{}\n",
		"package.json": "{}\n", "main.go": "package main\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPutBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		change        func(t *testing.T, dir string)
		back, changed []string
	}{
		{"nothing", func(*testing.T, string) {}, nil, nil},
		{"another file", func(t *testing.T, dir string) { write(t, dir+"/main.go", "package x\n") }, nil, nil},
		{"a hook", func(t *testing.T, dir string) { write(t, dir+"/.git/hooks/pre-commit", "theirs\n") }, []string{".git/hooks/pre-commit"}, nil},
		{"a mode", func(t *testing.T, dir string) { os.Chmod(dir+"/.git/hooks/pre-commit", 0o755) }, []string{".git/hooks/pre-commit"}, nil},
		{"a new hook", func(t *testing.T, dir string) { write(t, dir+"/.git/hooks/pre-push", "theirs\n") }, []string{".git/hooks/pre-push"}, nil},
		{"all hooks gone", func(t *testing.T, dir string) { os.RemoveAll(dir + "/.git/hooks") }, []string{".git/hooks/pre-commit"}, nil},
		{"new settings", func(t *testing.T, dir string) { write(t, dir+"/.claude/settings.local.json", "{}") }, []string{".claude/settings.local.json"}, nil},
		{"scripts", func(t *testing.T, dir string) { write(t, dir+"/package.json", "{ }\n") }, nil, []string{"package.json"}},
		{"new rules", func(t *testing.T, dir string) { write(t, dir+"/Makefile", "a:\n") }, nil, []string{"Makefile"}},
		{"a symlink to a file outside", func(t *testing.T, dir string) {
			os.Remove(dir + "/.git/hooks/pre-commit")
			os.Symlink(filepath.Dir(dir)+"/outside", dir+"/.git/hooks/pre-commit")
		}, []string{".git/hooks/pre-commit"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			outside := filepath.Dir(dir) + "/outside"
			write(t, outside, "kept\n")
			before, err := ReadLater(dir)
			if err != nil || len(before) != 4 {
				t.Fatal(before, err)
			}
			tt.change(t, dir)
			back, changed, err := PutBack(dir, before, func(string, []byte, []byte) bool { return false })
			if err != nil || !slices.Equal(back, tt.back) || !slices.Equal(changed, tt.changed) {
				t.Errorf("put back %v, changed %v, %v", back, changed, err)
			}
			if text, _ := os.ReadFile(outside); string(text) != "kept\n" {
				t.Errorf("outside: %q", text)
			}
			if tt.back == nil {
				return
			}
			after, err := ReadLater(dir)
			if err != nil || len(after) != len(before) {
				t.Fatal(after, err)
			}
			for i := range after {
				if string(after[i].Text) != string(before[i].Text) || after[i].Mode != before[i].Mode {
					t.Errorf("%s: %q", after[i].Path, after[i].Text)
				}
			}
		})
	}
}

// TestPutBackStaysInside replaces a directory with a symlink that leads out of the project.
func TestPutBackStaysInside(t *testing.T) {
	t.Parallel()
	dir := project(t)
	outside := t.TempDir()
	write(t, outside+"/pre-commit", "kept\n")
	before, err := ReadLater(dir)
	if err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(dir + "/.git/hooks")
	if err := os.Symlink(outside, dir+"/.git/hooks"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := PutBack(dir, before, func(string, []byte, []byte) bool { return false }); err == nil {
		t.Error("no error")
	}
	if text, _ := os.ReadFile(outside + "/pre-commit"); string(text) != "kept\n" {
		t.Errorf("outside: %q", text)
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	dir := project(t)
	before, _ := ReadLater(dir)
	write(t, dir+"/.git/config", "[core]\n[user]\n\tname = a\n")
	back, _, err := PutBack(dir, before, func(name string, was, is []byte) bool {
		return name == ".git/config" && string(was) == "[core]\n" && len(is) > len(was)
	})
	if err != nil || back != nil {
		t.Error(back, err)
	}
}
