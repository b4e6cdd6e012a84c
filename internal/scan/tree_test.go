package scan

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func writeFile(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func gitEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
}

func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// runScan runs s on source, and returns the findings that are not allowed as name:line rule.
func runScan(t testing.TB, s *Scan, source Source) ([]string, Totals, error) {
	t.Helper()
	var list []string
	if s.Policy == nil {
		s.Policy = defaultPolicy(t)
	}
	s.Report = func(f *Finding) { list = append(list, fmt.Sprintf("%s:%d %s", f.DisplayName(), f.Line, f.Rule)) }
	totals, err := s.Run(context.Background(), source)
	return list, totals, err
}

func scanTree(t testing.TB, dir string, paths ...string) ([]string, Totals, error) {
	t.Helper()
	tree := &Tree{Dir: dir, Paths: paths, Environ: gitEnv()}
	list, totals, err := runScan(t, &Scan{}, tree.Source(context.Background()))
	tree.AddCounts(&totals)
	return list, totals, err
}

func wantFindings(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestScanTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, "src/a.txt", "one\ntwo "+testToken()+"\n")
	writeFile(t, dir, ".git/config", testToken()) // looks like git's folder, and is no repository
	writeFile(t, dir, "src/b.bin", "\x7fELF\x02\x01\x01\x00\x00"+testToken())
	writeFile(t, dir, "src/c/.gitignore", "*.log\n!keep.log\n/only\n")
	writeFile(t, dir, "src/c/x.log", testToken())
	writeFile(t, dir, "src/c/keep.log", testToken())
	writeFile(t, dir, "src/c/only", testToken())
	writeFile(t, dir, "src/c/d/only", testToken())
	writeFile(t, dir, "src/.checkreinignore", "d/\n")
	if err := os.Symlink(filepath.Join(dir, "src/a.txt"), filepath.Join(dir, "src/link")); err != nil {
		t.Skip(err)
	}
	list, totals, err := scanTree(t, dir, "src")
	wantFindings(t, list, "src/a.txt:2 github-pat", "src/b.bin:1 github-pat", "src/c/keep.log:1 github-pat")
	if err != nil || totals.Files != 4 || totals.Binary != 1 || totals.Skipped != 1 || totals.Excluded != 3 {
		t.Errorf("%+v, %v", totals, err)
	}
	list, _, err = scanTree(t, dir, "src/c/x.log", "./src/link")
	wantFindings(t, list, "src/c/x.log:1 github-pat", "src/link:2 github-pat")
	if err != nil {
		t.Error(err)
	}
	if list, _, err := scanTree(t, dir, "nowhere", "src/a.txt"); err == nil || len(list) != 1 {
		t.Errorf("a path that is not there looks clean, or hides others: %v, %v", list, err)
	}
}

func TestScanWorkingTree(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a tree")
	writeFile(t, dir, ".gitignore", "/dist\n*.env\n")
	writeFile(t, dir, "dist/x.js", testToken())
	writeFile(t, dir, "local.env", testToken())
	writeFile(t, dir, "tracked.env", testToken())
	writeFile(t, dir, "new.txt", testToken())
	writeFile(t, dir, "gone.txt", testToken())
	writeFile(t, dir, "sub/deep é.txt", testToken())
	writeFile(t, dir, "vendor/y.go", testToken())
	writeFile(t, dir, ".checkreinignore", "vendor/\n")
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", "-f", "tracked.env", "gone.txt", "vendor")
	os.Remove(filepath.Join(dir, "gone.txt"))
	inner := filepath.Join(dir, "inner")
	writeFile(t, inner, "z.txt", testToken())
	runGit(t, inner, "init", "-q")

	list, totals, err := scanTree(t, dir, ".")
	wantFindings(t, list, "inner/z.txt:1 github-pat", "new.txt:1 github-pat", "sub/deep é.txt:1 github-pat", "tracked.env:1 github-pat")
	if err != nil || totals.Excluded != 1 {
		t.Errorf("%+v, %v", totals, err)
	}
	list, _, _ = scanTree(t, filepath.Join(dir, "sub"), "..")
	if !slices.Contains(list, "../new.txt:1 github-pat") {
		t.Errorf("from below: %q", list)
	}
	list, _, err = scanTree(t, dir, "dist") // a directory that the user names is scanned
	wantFindings(t, list, "dist/x.js:1 github-pat")
	if err != nil {
		t.Error(err)
	}
}

// TestScanOutputDir checks that a directory for build output is scanned if the user names it, even if
// git tracks a file in it.
func TestScanOutputDir(t *testing.T) {
	t.Parallel()
	key := "key = " + testToken() + "\n"
	for _, tt := range []struct {
		ignore, file, rules string
		want                []string
	}{
		{"dist/*\n!dist/.gitkeep\n", "dist/.gitkeep", "", []string{"dist/x:1 github-pat"}},
		{"/dist/**\n!/dist/.gitkeep\n", "dist/.gitkeep", "", []string{"dist/x:1 github-pat"}},
		{"", "dist/.gitignore", "*\n!.gitignore\n", []string{"dist/x:1 github-pat"}},
		{"*\n!*/\n!.gitkeep\n", "dist/.gitkeep", "", nil}, // the person lists what is his own
		{"x\n", "dist/.gitkeep", "", nil},
	} {
		dir := t.TempDir()
		runGit(t, dir, "init", "-q")
		writeFile(t, dir, ".gitignore", tt.ignore)
		writeFile(t, dir, tt.file, tt.rules)
		writeFile(t, dir, "dist/x", key)
		runGit(t, dir, "add", "-A")
		list, _, err := scanTree(t, dir, "dist")
		if err != nil {
			t.Fatal(err)
		}
		wantFindings(t, list, tt.want...)
		list, _, _ = scanTree(t, dir, ".")
		wantFindings(t, list)
	}
	// A tracked directory was replaced by a file.
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	writeFile(t, dir, "a/b", "x\n")
	writeFile(t, dir, "z", key)
	runGit(t, dir, "add", "-A")
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "a", "x\n")
	list, _, err := scanTree(t, dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	wantFindings(t, list, "z:1 github-pat")
}

// TestIgnoreLikeGit checks that ignore files have the same effect as in git.
func TestIgnoreLikeGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	writeFile(t, dir, ".gitignore", "# comment\n*.o\n!keep.o\n/top\nbuild/\nd/e\n**/deep/x\na/**/z\n\\#odd\ntrail \nf[0-9].txt\nq?.c\n*.d/\n")
	writeFile(t, dir, "sub/.gitignore", "!*.o\n/mine\n*.tmp\n")
	names := []string{
		"a.o", "keep.o", "top", "sub/top", "build/x", "sub/build/y", "build2/x", "d/e", "x/d/e", "deep/x", "p/deep/x", "deep/y", "a/z", "a/b/c/z", "#odd", "trail",
		"f1.txt", "fa.txt", "qq.c", "q.c", "sub/b.o", "sub/mine", "sub/r/mine", "sub/c.tmp", "c.tmp", "y.d/file", "sub/y.d/file", "z.d",
	}
	for _, name := range names {
		writeFile(t, dir, name, "x")
	}
	rules := newIgnores(dir, ".gitignore")
	for _, name := range names {
		cmd := exec.Command("git", "check-ignore", "-q", name)
		cmd.Dir, cmd.Env = dir, gitEnv()
		theirs := cmd.Run() == nil
		if ours := rules.isIgnored(name, false); ours != theirs {
			t.Errorf("%s: ignored %v, git says %v", name, ours, theirs)
		}
	}
}
