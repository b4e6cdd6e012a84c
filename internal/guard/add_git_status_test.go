package guard

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

func TestAddGitStatus(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo := m.newRepo(map[string]string{"a.txt": "one\n", "sub/b.txt": "one\n"})
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_status"), "Current git status:\n\n## main")
	guardtest.WriteFile(t, filepath.Join(repo, "a.txt"), "changed\n")
	guardtest.WriteFile(t, filepath.Join(repo, "new.txt"), "")
	want := "Current git status:\n\n## main\n M a.txt\n?? new.txt"
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_status"), want)
	m.git(repo, "config", "color.ui", "always")
	m.git(repo, "config", "color.status", "always")
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_status"), want)
	if got := m.contextOf(filepath.Join(repo, "sub"), "add_git_status"); !strings.Contains(got, "a.txt") {
		t.Errorf("below the top: %q", got)
	}
}

func TestGitWithoutOutput(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, name := range []string{"add_git_status", "add_git_diff", "add_recent_commits"} {
		guardtest.CheckEqual(t, m.contextOf(guardtest.TempDir(t), name), "")
		guardtest.CheckEqual(t, m.contextOf(filepath.Join(guardtest.TempDir(t), "missing"), name), "")
	}
	empty := guardtest.TempDir(t)
	m.git(empty, "init", "-q")
	guardtest.CheckEqual(t, m.contextOf(empty, "add_git_diff"), "")
	guardtest.CheckEqual(t, m.contextOf(empty, "add_recent_commits"), "")

	repo := m.newRepo(nil)
	m.env.Run = nil
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_status"), "")
}

func TestGitOutputLimit(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo := m.newRepo(nil)
	m.git(repo, "config", "core.quotePath", "false")
	for i := range 150 {
		guardtest.WriteFile(t, filepath.Join(repo, fmt.Sprintf("%03d-%s", i, strings.Repeat("é", 20))), "")
	}
	got, ok := strings.CutPrefix(m.contextOf(repo, "add_git_status"), "Current git status:\n\n")
	body, cutOff := strings.CutSuffix(got, "\n... (truncated)")
	if !ok || !cutOff || len(body) > 4096 || len(body) < 4096-3 || strings.ToValidUTF8(body, "") != body {
		t.Errorf("got %d bytes, cut: %v", len(body), cutOff)
	}
}

func TestGitUsesHookEnvironment(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo, other := m.newRepo(nil), m.newRepo(map[string]string{"a": ""})
	m.git(other, "checkout", "-q", "-b", "elsewhere")
	m.env.Environ = append(m.env.Environ, "OTHER="+other)
	with := func(env map[string]string, dir string) string {
		b, _ := json.Marshal(map[string]any{"name": "add_git_status", "env": env, "working_dir": dir})
		return string(b)
	}
	session := checkrein.Session{Dir: repo, Root: repo}
	got := m.answer(with(map[string]string{"GIT_DIR": "${env.OTHER}/.git", "GIT_WORK_TREE": "${env.OTHER}"}, ""), session)
	guardtest.CheckEqual(t, strings.Join(got.Context, "|"), "Current git status:\n\n## elsewhere")
	got = m.answer(with(nil, "$OTHER"), session)
	guardtest.CheckEqual(t, strings.Join(got.Context, "|"), "Current git status:\n\n## elsewhere")
	got = m.answer(with(map[string]string{"GIT_DIR": "/nowhere"}, ""), session)
	if !got.IsZero() {
		t.Errorf("got %+v", got)
	}
	// The hook must not be able to remove the protective settings, and this file hides the real
	// configuration.
	got = m.answer(with(map[string]string{"GIT_CONFIG": "/nowhere", "GIT_OPTIONAL_LOCKS": "1"}, ""), session)
	guardtest.CheckEqual(t, strings.Join(got.Context, "|"), "Current git status:\n\n## main")
}
