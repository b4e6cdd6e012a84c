package scan

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan/git"
)

// replaceObject replaces the content of the object id, and returns a function that restores it.
func replaceObject(t *testing.T, dir, id, kind string, text []byte) (back func()) {
	t.Helper()
	path := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "%s %d\x00%s", kind, len(text), text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(b.Bytes())
	return func() { write(sound) }
}

// TestMismatchedObjects checks that an object whose content does not match its id is a finding, and
// that its content is never cached under that id.
func TestMismatchedObjects(t *testing.T) {
	t.Parallel()
	harmless := func(text []byte) []byte { return append(bytes.Repeat([]byte("a"), len(text)-1), '\n') }
	noText := strings.Repeat("\x7fELF\x02\x01\x01\x00\x10", whole/8)
	long := strings.Repeat("some words of a line\n", whole/16)
	for _, tt := range []struct {
		name, format string
		text         string
		object       string // what git calls it
		kind         string
		swap         func(text []byte) []byte
		found        []string // after all is put back
	}{
		{"a file", "sha1", testToken() + "\n", "HEAD:a", "blob", harmless, []string{"a:1 github-pat"}},
		{"a file of another size", "sha1", testToken() + "\n", "HEAD:a", "blob", func([]byte) []byte { return []byte("nothing\n") }, []string{"a:1 github-pat"}},
		{"an empty one", "sha1", testToken() + "\n", "HEAD:a", "blob", func([]byte) []byte { return nil }, []string{"a:1 github-pat"}},
		{"a large file", "sha1", long + testToken() + "\n", "HEAD:a", "blob", func([]byte) []byte { return []byte(long) }, []string{fmt.Sprintf("a:%d github-pat", whole/16+1)}},
		{"a large file that is no text", "sha1", noText + testToken(), "HEAD:a", "blob", func([]byte) []byte { return []byte(noText) }, []string{"a:1 github-pat"}},
		{"the other format", "sha256", testToken() + "\n", "HEAD:a", "blob", harmless, []string{"a:1 github-pat"}},
		{"a message", "sha1", "nothing\n", "HEAD", "commit", func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(testToken()), bytes.Repeat([]byte("b"), len(testToken())))
		}, []string{"commit message:3 github-pat"}},
		{"a header", "sha1", "nothing\n", "HEAD", "commit", func(b []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(testToken()), nil), []byte("author a"), []byte("author b"))
		}, []string{"commit message:3 github-pat"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			runGit(t, dir, "init", "-q", "--object-format="+tt.format)
			r, err := git.OpenRepo(t.Context(), dir, gitEnv())
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, dir, "a", tt.text)
			runGit(t, dir, "add", "a")
			message := "a subject"
			if tt.kind == "commit" {
				message += "\n\n" + testToken()
			}
			runGit(t, dir, "commit", "-qm", message)
			id := runGit(t, dir, "rev-parse", tt.object)
			text := []byte(tt.text)
			if tt.kind == "commit" {
				text = []byte(runGit(t, dir, "cat-file", "commit", id) + "\n")
			}
			p := defaultPolicy(t)
			back := replaceObject(t, dir, id, tt.kind, tt.swap(text))
			for range 2 { // the second reads it again
				list, _ := scanGit(t, r, p, allCommits(t, r))
				if !slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(s, ":1 object-content") }) {
					t.Errorf("swapped: %q", list)
				}
			}
			back()
			list, _ := scanGit(t, r, p, allCommits(t, r))
			wantFindings(t, list, tt.found...)
		})
	}
}
