package environ

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFindAccount(t *testing.T) {
	t.Parallel()
	const passwd = "# comment\n#old:x:7:7:Old:/:/bin/sh\nroot:x:0:0:root:/root:/bin/bash\n" +
		"broken:x:7\njoe:x:7:7:Joe Doe,Room 1,555:/home/joe:/bin/sh\nann:x:8:8::/home/ann:/bin/sh\nshort:x:6:6:Short\n"
	for _, tt := range []struct {
		uid  string
		want Account
	}{
		{"0", Account{"root", "root", "/root"}}, {"7", Account{"joe", "Joe Doe", "/home/joe"}}, {"8", Account{"ann", "", "/home/ann"}},
		{"6", Account{"short", "Short", ""}}, {"9", Account{}}, {"-1", Account{}},
	} {
		if got := findAccount(passwd, tt.uid); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.uid, got, tt.want)
		}
	}
}

func TestWithHome(t *testing.T) {
	t.Parallel()
	own := []string{"A=1", "HOME=/h"}
	if got := WithHome(own); !slices.Equal(got, own) {
		t.Errorf("got %q", got)
	}
	want := AccountHome()
	for _, environ := range [][]string{{"A=1"}, {"A=1", "HOME="}} {
		if got, _ := Lookup(WithHome(environ), "HOME"); got != want {
			t.Errorf("%q: got HOME %q, want %q", environ, got, want)
		}
	}
}

func TestRepoTop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, "repo", "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := RepoTop(deep); got != deep {
		t.Errorf("outside a repository: got %s", got)
	}
	// A file, as worktrees and submodules have it, counts like a directory.
	if err := os.WriteFile(filepath.Join(dir, "repo", ".git"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := RepoTop(deep), filepath.Join(dir, "repo"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
