package walls

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		if !slices.Contains([]string{"write", "keep", "device", "temp", "hide", "restore", "tell", "drop"}, r.Verb) || r.What == "" || r.Why == "" {
			t.Errorf("%+v is incomplete", r)
		}
		if seen[r.What] {
			t.Errorf("%s is listed twice", r.What)
		}
		seen[r.What] = true
	}
}

// testHome makes a home directory with a project and a few secrets.
func testHome(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project", ".cache", ".ssh", "vault", ".local/state/checkrein", "other"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{".ssh/id_rsa", ".ssh/id_rsa.pub", ".ssh/config", "vault/netrc"} {
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{".netrc": "vault/netrc", ".npm": "other", "alias": "project"} {
		if err := os.Symlink(filepath.Join(home, to), filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestJail(t *testing.T) {
	t.Parallel()
	home := testHome(t)
	own := home + "/.local/state/checkrein"
	p := Place{Homes: []string{home, home + "/missing"}, Dirs: []string{home + "/alias"}, Own: []string{own}, Write: []string{"~/other", own}, Hide: []string{"~/vault"}}
	j, err := p.Jail()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{home + "/project", home + "/.cache", home + "/other", "/dev/null"} {
		if !slices.Contains(j.Write, path) {
			t.Errorf("%s cannot be written", path)
		}
	}
	for _, path := range []string{home, own, home + "/alias", home + "/.npm", filepath.Dir(home), "/"} {
		if slices.Contains(j.Write, path) {
			t.Errorf("%s can be written", path)
		}
	}
	for _, path := range []string{home + "/.ssh/id_rsa", home + "/.netrc", home + "/vault/netrc", home + "/vault", own} {
		if !slices.Contains(j.Hide, path) {
			t.Errorf("%s is not hidden", path)
		}
	}
	for _, path := range []string{home + "/.ssh/id_rsa.pub", home + "/.ssh/config", home + "/.ssh"} {
		if slices.Contains(j.Hide, path) {
			t.Errorf("%s is hidden", path)
		}
	}
	if !j.NoNetwork || j.Sockets || !j.ReadAll || !j.Contained {
		t.Errorf("%+v", j)
	}
}

// TestKeep checks that what may not be written or read stays so in directories that may be written.
func TestKeep(t *testing.T) {
	t.Parallel()
	home := testHome(t)
	own := home + "/.local/state/checkrein"
	for _, name := range []string{".cache/p10k-dump-ann.zsh", ".cache/pip/a", ".gradle/init.d/a.gradle", ".gradle/caches/a", "project/.env", "project/src/a", ".stack/hooks/ghc-install.sh", ".config/go/env"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := Place{Homes: []string{home}, Dirs: []string{home + "/project"}, Own: []string{own}, Hide: []string{"~/project/.env"}, Write: []string{"~/.local", "~/vault/netrc"}}
	j, err := p.Jail()
	if err != nil {
		t.Fatal(err)
	}
	writes := func(path string) bool {
		return slices.ContainsFunc(j.Write, func(dir string) bool { return containsAny(dir, []string{path}) })
	}
	for _, name := range []string{".cache/pip/a", ".gradle/caches/a", "project/src/a", "vault/netrc"} {
		if !writes(home + "/" + name) {
			t.Errorf("%s cannot be written", name)
		}
	}
	for _, name := range []string{".cache/p10k-dump-ann.zsh", ".gradle/init.d/a.gradle", "project/.env", ".stack/hooks/ghc-install.sh", ".config/go/env", ".local/state/checkrein/key"} {
		if writes(home + "/" + name) {
			t.Errorf("%s can be written", name)
		}
	}
}

func TestJailOfHome(t *testing.T) {
	t.Parallel()
	home := testHome(t)
	for _, dir := range []string{home, filepath.Dir(home), "/"} {
		if _, err := (&Place{Homes: []string{home, home + "/missing"}, Dirs: []string{dir}}).Jail(); !errors.Is(err, ErrHome) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestCleanEnviron(t *testing.T) {
	t.Parallel()
	got := CleanEnviron([]string{"PATH=/bin", "GITHUB_TOKEN=x", "SSH_AUTH_SOCK=/x", "HOME=/h", "AWS_SECRET_ACCESS_KEY=x", "DB_PASSWORD=x", "OPENAI_API_KEY=x", "LANG=C", "MAX_TOKENS=5"})
	if want := []string{"PATH=/bin", "HOME=/h", "LANG=C", "MAX_TOKENS=5"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestProjectDirs(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "repo"}, {"-C", "repo", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"},
		{"-C", "repo", "worktree", "add", "-q", "../tree"}, {"init", "-q", "victim"},
	} {
		cmd := exec.Command("git", args...)
		if cmd.Dir = top; cmd.Run() != nil {
			t.Fatal(args)
		}
	}
	for dir, gitFile := range map[string]string{"plain/sub": "", "forged": "gitdir: " + top + "/victim/.git\n", "forged2": "gitdir: " + top + "/repo/.git/worktrees/tree\n"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if gitFile != "" {
			if err := os.WriteFile(filepath.Join(top, dir, ".git"), []byte(gitFile), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.MkdirAll(top+"/repo/src", 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string][]string{
		"repo":      {"/repo"},
		"repo/src":  {"/repo"},
		"tree":      {"/tree", "/repo/.git"},
		"plain/sub": {"/plain/sub"},
		"forged":    {"/forged"},
		"forged2":   {"/forged2"},
	} {
		got := ProjectDirs(filepath.Join(top, dir))
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], top)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

// TestClosed checks that a closed place writes its own directories and devices, and nothing else.
func TestClosed(t *testing.T) {
	t.Parallel()
	home := testHome(t)
	p := Place{Homes: []string{home}, Dirs: []string{home + "/project"}, Write: []string{home + "/other"}, Closed: true}
	j, err := p.Jail()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(j.Write, func(path string) bool { return strings.HasPrefix(path, "/dev/") && path != "/dev/shm" })
	if want := []string{home + "/project", home + "/other"}; !slices.Equal(got, want) {
		t.Errorf("it writes %q, want %q", got, want)
	}
}
