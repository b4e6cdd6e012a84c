package environ

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestFindParentDirs checks that the parents end at the top of a repository, at the home directory and
// below directories of other users, and that outside a repository a directory that everyone may write
// to belongs to no project.
func TestFindParentDirs(t *testing.T) {
	base := t.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	at := func(path string) string { return filepath.Join(base, filepath.FromSlash(path)) }
	for _, dir := range []string{"repo/.git", "repo/a/b", "repo/open/in", "plain/a/b", "plain/open/in", "home/me/a/b", "other/repo/.git", "other/a/b", "theirs/.git", "theirs/a",
		"planted/.git", "planted/a", "moved/.git", "moved/home/a", "dots/.git", "dots/a"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"repo/open", "plain/open"} {
		if err := os.Chmod(at(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	others := os.Geteuid() == 0
	if others {
		for _, dir := range []string{"other", "theirs", "theirs/.git", "theirs/a", "planted/.git"} {
			if err := os.Chown(at(dir), 4711, 4711); err != nil {
				t.Fatal(err)
			}
		}
	}
	const far = "…" // the directories above that of the test
	for _, tt := range []struct {
		name, home, from string
		files            []string
		repo             bool
		skip             bool
	}{
		{name: "a repository", from: "repo/a/b", files: []string{"repo/a/b", "repo/a", "repo"}, repo: true},
		{name: "its top", from: "repo", files: []string{"repo"}, repo: true},
		{name: "everyone may write to a part of it", from: "repo/open/in", files: []string{"repo/open/in", "repo/open", "repo"}, repo: true},
		{name: "no repository", from: "plain/a/b", files: []string{"plain/a/b", "plain/a", "plain", far}},
		{name: "everyone may write to a directory", from: "plain/open/in", files: []string{"plain/open/in", "plain", far}, skip: runtime.GOOS == "windows"},
		{name: "everyone may write to where it begins", from: "plain/open", files: []string{"plain", far}, skip: runtime.GOOS == "windows"},
		{name: "the home", home: "home/me", from: "home/me/a/b", files: []string{"home/me/a/b", "home/me/a"}},
		{name: "begun in the home", home: "home/me", from: "home/me", files: []string{"home/me"}},
		{name: "a home that is a repository", home: "dots", from: "dots/a", files: []string{"dots/a", "dots"}, repo: true},
		{name: "a variable cannot cut a repository in two", home: "moved/home", from: "moved/home/a", files: []string{"moved/home/a", "moved/home", "moved"}, repo: true},
		{name: "another user's directory above", from: "other/a/b", files: []string{"other/a/b", "other/a"}, skip: !others},
		{name: "a repository in it", from: "other/repo", files: []string{"other/repo"}, repo: true, skip: !others},
		{name: "a repository of another user that one works in", from: "theirs/a", files: []string{"theirs/a", "theirs"}, repo: true, skip: !others},
		{name: "a repository that another user made of a directory above", from: "planted/a", files: []string{"planted/a", "planted", far}, skip: !others},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.skip {
				t.Skip("other users' directories need root")
			}
			t.Setenv("HOME", at("nowhere"))
			if tt.home != "" {
				t.Setenv("HOME", at(tt.home))
			}
			way := FindParentDirs(at(tt.from))
			got := way.ProjectDirs()
			if n := len(tt.files) - 1; tt.files[n] == far && len(got) >= n {
				got = append(slices.Clone(got[:n]), at(far))
			}
			want := make([]string, len(tt.files))
			for i, f := range tt.files {
				want[i] = at(f)
			}
			if !slices.Equal(got, want) || way.InRepo != tt.repo {
				t.Errorf("got %q, repository %v\nwant %q, %v", got, way.InRepo, want, tt.repo)
			}
		})
	}
}
