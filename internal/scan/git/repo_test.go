package git_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan/git"
)

// A testRepo is a directory with a repository, and the environment for git.
type testRepo struct {
	t   *testing.T
	dir string
	env []string
}

// isolatedEnviron returns an environment without the user's settings.
func isolatedEnviron(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always",
	}
}

// newTestRepo returns a new repository, created by git init with args.
func newTestRepo(t *testing.T, args ...string) *testRepo {
	t.Helper()
	b := &testRepo{t: t, dir: filepath.Join(t.TempDir(), "a tree"), env: isolatedEnviron(t.TempDir())}
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b.git(append([]string{"init", "-q"}, args...)...)
	return b
}

// inDir returns b with another directory.
func (b *testRepo) inDir(dir string) *testRepo { return &testRepo{b.t, dir, b.env} }

func (b *testRepo) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	return cmd
}

func (b *testRepo) git(args ...string) string { return b.gitWithInput("", args...) }

// gitWithInput runs git with stdin and args, and returns its output.
func (b *testRepo) gitWithInput(stdin string, args ...string) string {
	b.t.Helper()
	cmd := b.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes text to the file name.
func (b *testRepo) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// commit writes text to the file name, commits it, and returns the id of the commit.
func (b *testRepo) commit(name, text string) string {
	b.t.Helper()
	b.write(name, text)
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "change "+name)
	return b.git("rev-parse", "HEAD")
}

func (b *testRepo) open() *git.Repo {
	b.t.Helper()
	r, err := git.OpenRepo(b.t.Context(), b.dir, b.env)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// readTexts returns the contents of list as "path=content", and messages as "message=…".
func readTexts(t *testing.T, r *git.Repo, list []git.Entry) []string {
	t.Helper()
	var out []string
	err := r.ReadEntries(t.Context(), slices.Values(list), func(e git.Entry, c git.Content) error {
		name := e.Path
		switch e.Kind {
		case git.Message:
			name = "message"
		case git.Tag:
			name = "tag"
		}
		body, err := io.ReadAll(c)
		if c.Missing {
			body = []byte("(missing)")
		}
		out = append(out, name+"="+strings.TrimSuffix(string(body), "\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// changedTexts returns the texts that the commits in the range words change.
func changedTexts(t *testing.T, r *git.Repo, words string) []string {
	t.Helper()
	ids, err := r.ListRange(t.Context(), words)
	if err != nil {
		t.Fatal(err)
	}
	return commitTexts(t, r, ids)
}

// commitTexts returns the texts that the commits ids change.
func commitTexts(t *testing.T, r *git.Repo, ids []string) []string {
	t.Helper()
	var list []git.Entry
	n, err := r.ReportChanges(t.Context(), ids, func(e git.Entry) error {
		list = append(list, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n.Commits != len(ids) || n.Files != len(list)-len(ids) {
		t.Errorf("counted %+v of %d commits and %d entries", n, len(ids), len(list))
	}
	return readTexts(t, r, list)
}

// wantTexts reports an error if got and want differ, regardless of order.
func wantTexts(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestStagedEntries(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			b := newTestRepo(t, "--object-format="+format)
			staged := func() []string {
				list, _, err := b.open().StagedEntries(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return readTexts(t, b.open(), list)
			}
			wantTexts(t, staged())
			b.write("first", "one\n")
			b.git("add", "-A")
			b.write("first", "only in the working tree\n")
			wantTexts(t, staged(), "first=one")
			if err := os.Mkdir(filepath.Join(b.dir, "below"), 0o700); err != nil {
				t.Fatal(err)
			}
			below := b.inDir(filepath.Join(b.dir, "below")).open()
			list, _, err := below.StagedEntries(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wantTexts(t, readTexts(t, below, list), "first=one")
			b.git("commit", "-q", "-m", "x")
			wantTexts(t, staged())
			odd := "a \"b\"\n\tc\xff"
			b.write(odd, "two\n")
			if err := os.Symlink("first", filepath.Join(b.dir, "link")); err != nil {
				t.Fatal(err)
			}
			b.git("add", "-A")
			b.git("rm", "-q", "--cached", "first")
			wantTexts(t, staged(), odd+"=two", "link=first")
		})
	}
}

func TestStagedOfPartialCommit(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.commit("a", "one\n")
	b.write("b", "staged, and not part of it\n")
	b.git("add", "b")
	b.write("a", "committed by its name\n")
	// Use the environment that git passes to a hook, also in a linked working tree.
	tree := filepath.Join(t.TempDir(), "linked tree")
	b.git("worktree", "add", "-q", "-b", "linked", tree)
	for _, dir := range []string{b.dir, tree} {
		in := b.inDir(dir)
		in.write("a", "committed by its name\n")
		hooks := filepath.Join(t.TempDir(), "hooks")
		out := filepath.Join(t.TempDir(), "env")
		cmd := exec.Command("git", "-c", "core.hooksPath="+hooks, "commit", "-q", "-m", "x", "a")
		cmd.Dir, cmd.Env = dir, append(slices.Clone(b.env), "OUT="+out)
		// The index of a partial commit exists only while the hook runs, so keep a copy.
		script := "#!/bin/sh\ncp \"$GIT_INDEX_FILE\" \"$OUT.index\"\nenv -0 >\"$OUT\"\n"
		b.inDir(filepath.Dir(hooks)).write("hooks/pre-commit", script)
		if err := os.Chmod(filepath.Join(hooks, "pre-commit"), 0o700); err != nil {
			t.Fatal(err)
		}
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		env := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
		env = append(env, "GIT_INDEX_FILE="+out+".index")
		in.git("reset", "-q", "--soft", "HEAD~1")
		r, err := git.OpenRepo(t.Context(), dir, env)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := r.StagedEntries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, readTexts(t, r, list), "a=committed by its name")
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	base := b.commit("a", "one\n")
	b.commit("a", "a secret\n")
	b.commit("a", "one\n")
	b.git("mv", "a", "moved")
	b.git("commit", "-q", "-m", "rename")
	r := b.open()
	wantTexts(t, changedTexts(t, r, base+"..HEAD"), "message=change a", "message=change a", "message=rename", "a=a secret", "a=one", "moved=one")
	b.git("checkout", "-q", "-b", "side", base)
	b.commit("b", "side\n")
	b.git("checkout", "-q", "main")
	b.git("merge", "-q", "--no-commit", "--no-ff", "side")
	b.write("b", "only in the merge\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "merged")
	wantTexts(t, changedTexts(t, r, "side..HEAD ^HEAD^1"), "message=merged", "b=only in the merge")
	all := changedTexts(t, r, "--all")
	if !slices.Contains(all, "b=side") || !slices.Contains(all, "b=only in the merge") || !slices.Contains(all, "a=a secret") {
		t.Errorf("all: %q", all)
	}
	if _, err := r.ListRange(t.Context(), "--output=x"); err == nil {
		t.Error("an option is taken for a range")
	}
	if _, err := r.ListRange(t.Context(), " "); err == nil {
		t.Error("nothing is taken for a range")
	}
	if _, err := r.ListRange(t.Context(), "nowhere..HEAD"); err == nil {
		t.Error("a name that nothing has is taken for a range")
	}
}

// TestReplacedObjectsDoNotHide checks that replaced objects are ignored, because a push sends the
// original ones.
func TestReplacedObjectsDoNotHide(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.commit("a", "one\n")
	bad := b.commit("a", "a secret\n")
	b.git("replace", bad, bad+"^")
	if got := changedTexts(t, b.open(), "HEAD~1..HEAD"); !slices.Contains(got, "a=a secret") {
		t.Errorf("got %q", got)
	}
}

func TestSettingsDoNotChangeResults(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.commit("a", "one\n")
	b.commit("dir/a", "two\n")
	for _, set := range []string{"diff.renames=copies", "core.quotePath=true", "diff.noprefix=true", "log.showSignature=true", "core.abbrev=4",
		"diff.external=false", "log.diffMerges=off", "diff.relative=true", "core.fsmonitor=/bin/false", "diff.orderFile=/nowhere", "color.ui=always"} {
		key, val, _ := strings.Cut(set, "=")
		b.git("config", key, val)
	}
	wantTexts(t, changedTexts(t, b.inDir(filepath.Join(b.dir, "dir")).open(), "HEAD~1..HEAD"), "message=change dir/a", "dir/a=two")
	b.write("dir/b", "three\n")
	b.git("add", "-A")
	list, _, err := b.inDir(filepath.Join(b.dir, "dir")).open().StagedEntries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, readTexts(t, b.open(), list), "dir/b=three")
}

func TestOpen(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.write("deep/er/x", "")
	for _, dir := range []string{"", "deep/er"} {
		r := b.inDir(filepath.Join(b.dir, dir)).open()
		if real, _ := filepath.EvalSymlinks(b.dir); r.Top != real || r.GitDir != filepath.Join(real, ".git") {
			t.Errorf("top %q, git %q", r.Top, r.GitDir)
		}
	}
	if _, err := git.OpenRepo(t.Context(), t.TempDir(), append(b.env, "GIT_CEILING_DIRECTORIES="+os.TempDir())); err == nil {
		t.Error("any directory is a repository")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := git.OpenRepo(ctx, b.dir, b.env); err == nil {
		t.Error("a run that was cancelled has an answer")
	}
	bare := b.inDir(t.TempDir())
	bare.git("init", "-q", "--bare")
	if r := bare.open(); r.Top != "" || r.GitDir == "" {
		t.Errorf("bare: %+v", r)
	}
}

// TestReadPartially checks that contents need not be read to their end, and that reading can stop
// early.
func TestReadPartially(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.write("large", strings.Repeat("0123456789abcdef", 1<<18)) // 4 MiB
	b.write("small", "small\n")
	b.git("add", "-A")
	r := b.open()
	list, _, err := r.StagedEntries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	err = r.ReadEntries(t.Context(), slices.Values(list), func(e git.Entry, c git.Content) error {
		var head [3]byte
		_, err := io.ReadFull(c, head[:])
		sizes = append(sizes, c.Size)
		return err
	})
	if err != nil || !slices.Equal(sizes, []int64{4 << 20, 6}) {
		t.Errorf("sizes %v, %v", sizes, err)
	}
	stop := io.ErrNoProgress
	many := func(yield func(git.Entry) bool) {
		for yield(list[0]) {
		}
	}
	if err := r.ReadEntries(t.Context(), many, func(git.Entry, git.Content) error { return stop }); err != stop {
		t.Errorf("error %v, want what the reader said", err)
	}
	gone := git.Entry{ID: strings.Repeat("1", 40)}
	wantTexts(t, readTexts(t, r, []git.Entry{gone, list[1]}), "=(missing)", "small=small")
}

func TestMessages(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.write("a", "x\n")
	b.git("add", "-A")
	tree := b.git("write-tree")
	head := "tree " + tree + "\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n"
	for _, tt := range []struct{ name, object, want string }{
		{"plain", head + "\nhello\n", "hello"},
		{"signature", head + "gpgsig -----BEGIN\n \n abc\n -----END\n\nhello\n\nmore\n", "hello\n\nmore"},
		{"no message", head + "\n", ""},
		{"nothing at all", head, ""},
		{"bytes", head + "encoding ISO-8859-1\n\n\xe4\x00\xff\n", "\xe4\x00\xff"},
		{"long header", head + "mergetag " + strings.Repeat("x", 600<<10) + "\n\nhello\n", "hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := b.gitWithInput(tt.object, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
			again := git.Entry{Kind: git.Message, ID: b.gitWithInput(head+"\nnext\n", "hash-object", "-t", "commit", "-w", "--stdin")}
			got := readTexts(t, b.open(), []git.Entry{{Kind: git.Message, ID: id}, again})
			wantTexts(t, got, "message="+tt.want, "message=next")
		})
	}
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	b := newTestRepo(t)
	b.commit("a", "one\n")
	sub := newTestRepo(t)
	sub.commit("inner", "x\n")
	b.git("submodule", "--quiet", "add", sub.dir, "sub mod")
	list, n, err := b.open().StagedEntries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n.Submodules != 1 || n.Files != 1 || len(list) != 1 || list[0].Path != ".gitmodules" {
		t.Errorf("%+v, %+v", n, list)
	}
	inner := b.inDir(filepath.Join(b.dir, "sub mod"))
	inner.write("inner", "changed\n")
	inner.git("add", "-A")
	list, _, err = inner.open().StagedEntries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, readTexts(t, inner.open(), list), "inner=changed")
	if dir, err := inner.open().CommonDir(t.Context()); err != nil || !bytes.Contains([]byte(dir), []byte("modules")) {
		t.Errorf("common dir %q, %v", dir, err)
	}
}
