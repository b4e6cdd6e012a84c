package guard

import (
	"fmt"
	"github.com/checkrein/checkrein/internal/guard/addcontext"
	"strings"
	"testing"
)

func TestAddRecentCommits(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	repo := m.newRepo(nil)
	for i := range 14 {
		m.git(repo, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("commit %d", i+2))
	}
	for _, tt := range []struct {
		args []string
		want int
	}{
		{nil, 10}, {[]string{"3"}, 3}, {[]string{"12"}, 12}, {[]string{"1000000"}, 15}, {[]string{"99999999999999999999"}, 10},
		{[]string{"0"}, 10}, {[]string{"-2"}, 10}, {[]string{"many"}, 10}, {[]string{""}, 10},
	} {
		got := m.contextOf(repo, "add_recent_commits", tt.args...)
		body, ok := strings.CutPrefix(got, "Recent commits:\n\n")
		if n := len(strings.Split(body, "\n")); !ok || n != tt.want {
			t.Errorf("%q: %d lines, want %d:\n%s", tt.args, n, tt.want, got)
		}
		if first, _, _ := strings.Cut(body, "\n"); !strings.HasSuffix(first, " commit 15") {
			t.Errorf("%q: first line %q", tt.args, first)
		}
	}
	if _, err := addcontext.NewAddRecentCommits([]string{"1", "2"}); err == nil {
		t.Error("two counts were accepted")
	}
}
