package guard

import (
	"bytes"
	"context"
	"errors"
	"github.com/checkrein/checkrein/internal/guard/addcontext"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAddGitDiff(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo := m.newRepo(map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_diff"), "")
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_diff", "full"), "")
	guardtest.WriteFile(t, filepath.Join(repo, "b.txt"), "staged\n")
	m.git(repo, "add", "b.txt")
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_diff"), "")
	guardtest.WriteFile(t, filepath.Join(repo, "a.txt"), "two\n")
	m.git(repo, "config", "color.ui", "always")
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_diff"), guardtest.JoinLines("Current working-tree diff (stat):", "",
		"a.txt | 2 +-", " 1 file changed, 1 insertion(+), 1 deletion(-)"))
	got := m.contextOf(repo, "add_git_diff", "full")
	if !strings.HasPrefix(got, "Current working-tree diff:\n\ndiff --git a/a.txt b/a.txt\n") ||
		!strings.HasSuffix(got, "@@ -1 +1 @@\n-one\n+two") || strings.Contains(got, "b.txt") {
		t.Errorf("got:\n%s", got)
	}
}

func TestAddGitDiffArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--full"}, {""}, {"full", "full"}, {"stat"}} {
		if _, err := addcontext.NewAddGitDiff(args); err == nil || !strings.Contains(err.Error(), `write "full"`) {
			t.Errorf("%q: error %v", args, err)
		}
	}
}

func TestAddGitDiffNotUTF8(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo := m.newRepo(map[string]string{"a.txt": "one\n"})
	guardtest.WriteFile(t, filepath.Join(repo, "a.txt"), "caf\xe9\n")
	if got := m.contextOf(repo, "add_git_diff", "full"); !strings.HasSuffix(got, "\n+caf\uFFFD") {
		t.Errorf("got:\n%s", got)
	}
}

// TestGitEndedEarly checks that the output is used if Run ends a program because it prints too much,
// and that any other failure adds no context.
func TestGitEndedEarly(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo, size := m.newRepo(nil), 0
	m.env.Run = func(_ context.Context, _ string, _ []string, argv ...string) ([]byte, error) {
		if slices.Contains(argv, "config") {
			return nil, nil
		}
		return bytes.Repeat([]byte("x"), size), errors.New("ended")
	}
	size = 4096
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_diff", "full"), "")
	size = 1 << 20
	guardtest.CheckEqual(t, m.contextOf(repo, "add_git_diff", "full"),
		"Current working-tree diff:\n\n"+strings.Repeat("x", 4096)+"\n... (truncated)")
}
