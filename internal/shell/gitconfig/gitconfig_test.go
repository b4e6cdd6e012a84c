package gitconfig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

func TestParse(t *testing.T) {
	t.Parallel()
	text := "# note\n[Core]\n\tbare\n\tEditor = vi \\\n  -n ; why\n[remote \"a \\\"b\\\\\"]\n url = \" x # y \" # z\n\n[branch.Old] merge=refs/heads/x\r\n[push] default = current\n"
	want := []shell.Setting{
		{Section: "core", Key: "bare", Value: "true"},
		{Section: "core", Key: "editor", Value: "vi   -n"},
		{Section: "remote", Name: `a "b\`, Key: "url", Value: " x # y "},
		{Section: "branch", Name: "old", Key: "merge", Value: "refs/heads/x"},
		{Section: "push", Key: "default", Value: "current"},
	}
	var got []shell.Setting
	if !parseConfig(text, func(s shell.Setting) bool { got = append(got, s); return true }) {
		t.Fatal("the text was not parsed")
	}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	for _, bad := range []string{"x = 1", "[a\nb = 1", "[a]\nb = \"x", "[a]\nb = \\q", "[]\n", "[a]\n= 1", "[a \"b]\n", "[a]\nb c\n", "[a]\nb = \\"} {
		if parseConfig(bad, func(shell.Setting) bool { return true }) {
			t.Errorf("%q was parsed without an error", bad)
		}
	}
}

// TestReadRejectsUnclearRepositories checks that Read returns nil for directories that are not in a
// repository, and for repositories that it cannot interpret.
func TestReadRejectsUnclearRepositories(t *testing.T) {
	t.Parallel()
	newDir := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	head := "ref: refs/heads/x\n"
	good := newDir(map[string]string{".git/HEAD": head, ".git/config": "[core]\n"})
	if r := Read(good, t.TempDir(), []string{"GIT_EDITOR=true"}); r == nil || r.Head != "refs/heads/x" {
		t.Fatalf("%+v", r)
	}
	for name, r := range map[string]*shell.Repo{
		"nothing":           Read("/", t.TempDir(), nil),
		"no HEAD":           Read(newDir(map[string]string{".git/config": ""}), t.TempDir(), nil),
		"bad .git file":     Read(newDir(map[string]string{".git": "elsewhere"}), t.TempDir(), nil),
		"bad settings":      Read(newDir(map[string]string{".git/HEAD": head, ".git/config": "[a"}), t.TempDir(), nil),
		"reftable":          Read(newDir(map[string]string{".git/HEAD": head, ".git/config": "[extensions]\nrefStorage = reftable\n"}), t.TempDir(), nil),
		"bare":              Read(newDir(map[string]string{"HEAD": head, "objects/x": "", "config": ""}), t.TempDir(), nil),
		"GIT_DIR":           Read(good, t.TempDir(), []string{"GIT_DIR=/elsewhere"}),
		"relative":          Read(".", t.TempDir(), nil),
		"HEAD is directory": Read(newDir(map[string]string{".git/HEAD/x": ""}), t.TempDir(), nil),
	} {
		if r != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestRefStaysInRepository checks the states of refs, and that the name of a ref cannot lead out of
// the repository.
func TestRefStaysInRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/x\n", ".git/config": "", "refs/heads/secret": "0123456789012345678901234567890123456789\n",
		".git/packed-refs": "# pack-refs\n0123456789012345678901234567890123456789 refs/heads/ab\n^0123456789012345678901234567890123456789\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := Read(dir, t.TempDir(), nil)
	if r == nil {
		t.Fatal("not read")
	}
	for name, want := range map[string]shell.RefState{
		"refs/heads/ab": shell.PlainRef, "refs/heads/a": shell.NoRef, "refs/heads/b": shell.NoRef, "refs/../../refs/heads/secret": shell.OtherRef,
		"HEAD": shell.OtherRef, "refs/heads/a b": shell.OtherRef, "refs/heads/": shell.OtherRef,
	} {
		if got := r.Ref(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if got := r.Default("../heads"); got != "" {
		t.Errorf("the default is %q", got)
	}
}
