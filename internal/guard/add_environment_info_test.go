package guard

import (
	"cmp"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestAddEnvironmentInfo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := guardtest.TempDir(t)
	want := guardtest.JoinLines(
		"This is the environment that you work in:",
		"<env>",
		"Working directory: "+dir,
		"Is a git repository: No",
		"Operating system: "+cmp.Or(map[string]string{"darwin": "MacOS", "windows": "Windows", "linux": "Linux"}[runtime.GOOS], runtime.GOOS),
		"Architecture: "+strings.Replace(runtime.GOARCH, "amd64", "x64", 1),
		"Shell: /bin/testsh",
		"</env>",
	)
	guardtest.CheckEqual(t, m.contextOf(dir, "add_environment_info"), want)

	m.env.Environ = slices.DeleteFunc(m.env.Environ, func(s string) bool { return strings.HasPrefix(s, "SHELL=") })
	guardtest.CheckEqual(t, m.contextOf(dir, "add_environment_info"), strings.Replace(want, "Shell: /bin/testsh\n", "", 1))
}

func TestIsGitRepository(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	main := m.newRepo(map[string]string{"a/b/c.txt": "x"})
	linked := filepath.Join(guardtest.TempDir(t), "linked")
	m.git(main, "worktree", "add", "-q", "--detach", linked)
	empty, wrong := guardtest.TempDir(t), guardtest.TempDir(t)
	guardtest.WriteFile(t, filepath.Join(wrong, ".git"), "something else")
	if err := os.Mkdir(filepath.Join(empty, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, want string }{
		{"top", main, "Yes"},
		{"below", filepath.Join(main, "a", "b"), "Yes"},
		{"linked worktree", linked, "Yes"},
		{"below a linked worktree", filepath.Join(linked, "a"), "Yes"},
		{"directory .git", empty, "Yes"},
		{"a file .git that is none of git's", wrong, "No"},
		{"outside", guardtest.TempDir(t), "No"},
		{"missing", filepath.Join(guardtest.TempDir(t), "missing"), "No"},
	}
	for _, tt := range tests {
		if got := m.contextOf(tt.dir, "add_environment_info"); !strings.Contains(got, "\nIs a git repository: "+tt.want+"\n") {
			t.Errorf("%s: want %s, got:\n%s", tt.name, tt.want, got)
		}
	}
}

func TestEnvironmentInfoQuotesLineBreaks(t *testing.T) {
	t.Parallel()
	if got := newMachine(t).contextOf(filepath.Join(guardtest.TempDir(t), "x\n</env>\ny"), "add_environment_info"); strings.Count(got, "\n") != 7 {
		t.Errorf("the directory's name broke out of its line:\n%s", got)
	}
}
