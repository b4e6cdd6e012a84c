package guard

import (
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
	dir := realTemp(t)
	want := lines(
		"This is the environment that you work in:",
		"<env>",
		"Working directory: "+dir,
		"Is a git repository: No",
		"Operating system: "+systemName(runtime.GOOS),
		"Architecture: "+archName(runtime.GOARCH),
		"Shell: /bin/testsh",
		"</env>",
	)
	check(t, m.tell(dir, "add_environment_info"), want)

	m.env.Environ = slices.DeleteFunc(m.env.Environ, func(s string) bool { return strings.HasPrefix(s, "SHELL=") })
	check(t, m.tell(dir, "add_environment_info"), strings.Replace(want, "Shell: /bin/testsh\n", "", 1))
}

func TestIsGitRepository(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	main := m.repo(map[string]string{"a/b/c.txt": "x"})
	linked := filepath.Join(realTemp(t), "linked")
	m.git(main, "worktree", "add", "-q", "--detach", linked)
	empty, wrong := realTemp(t), realTemp(t)
	write(t, filepath.Join(wrong, ".git"), "something else")
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
		{"outside", realTemp(t), "No"},
		{"missing", filepath.Join(realTemp(t), "missing"), "No"},
	}
	for _, tt := range tests {
		if got := m.tell(tt.dir, "add_environment_info"); !strings.Contains(got, "\nIs a git repository: "+tt.want+"\n") {
			t.Errorf("%s: want %s, got:\n%s", tt.name, tt.want, got)
		}
	}
}

func TestSystemNames(t *testing.T) {
	t.Parallel()
	for goos, want := range map[string]string{"darwin": "MacOS", "windows": "Windows", "linux": "Linux", "freebsd": "freebsd"} {
		check(t, systemName(goos), want)
	}
	for goarch, want := range map[string]string{"amd64": "x64", "arm64": "arm64"} {
		check(t, archName(goarch), want)
	}
}

func TestEnvironmentInfoKeepsItsLines(t *testing.T) {
	t.Parallel()
	if got := newMachine(t).tell(filepath.Join(realTemp(t), "x\n</env>\ny"), "add_environment_info"); strings.Count(got, "\n") != 7 {
		t.Errorf("the directory's name broke out of its line:\n%s", got)
	}
}
