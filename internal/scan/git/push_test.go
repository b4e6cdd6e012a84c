package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan/git"
)

// newRepoWithRemote returns a repository and its remote, which has its only commit.
func newRepoWithRemote(t *testing.T, args ...string) (*testRepo, *testRepo) {
	t.Helper()
	b := newTestRepo(t, args...)
	far := b.inDir(t.TempDir())
	far.git(append([]string{"init", "-q", "--bare"}, args...)...)
	b.git("remote", "add", "origin", far.dir)
	b.commit("a", "one\n")
	b.git("push", "-q", "origin", "main")
	return b, far
}

// resolvePushes runs git push with args and a hook that records its input and refuses the push. It
// returns what the push would have sent.
func (b *testRepo) resolvePushes(args ...string) []git.Push {
	b.t.Helper()
	out := filepath.Join(b.t.TempDir(), "stdin")
	hooks := b.t.TempDir()
	b.inDir(hooks).write("pre-push", "#!/bin/sh\ncat >'"+out+"'\nexit 1\n")
	if err := os.Chmod(filepath.Join(hooks, "pre-push"), 0o700); err != nil {
		b.t.Fatal(err)
	}
	cmd := b.command(append([]string{"-c", "core.hooksPath=" + hooks, "push", "-q"}, args...)...)
	if said, err := cmd.CombinedOutput(); err == nil {
		b.t.Fatalf("the push was not refused: %s", said)
	}
	in, err := os.Open(out)
	if err != nil {
		b.t.Fatal(err)
	}
	defer in.Close()
	updates, err := git.ReadUpdates(in)
	if err != nil {
		b.t.Fatal(err)
	}
	url := b.git("remote", "get-url", "--push", "origin")
	has, _, err := b.open().RemoteCommits(b.t.Context(), git.Remote{Name: "origin", URL: url}, updates)
	if err != nil {
		b.t.Fatal(err)
	}
	var list []git.Push
	for _, u := range updates {
		p, err := b.open().ResolvePush(b.t.Context(), has, u)
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// pushedTexts returns the texts that git push with args would send for its only ref.
func (b *testRepo) pushedTexts(args ...string) []string {
	b.t.Helper()
	list := b.resolvePushes(args...)
	if len(list) != 1 {
		b.t.Fatalf("%d refs", len(list))
	}
	if p := list[0]; (p.Nothing == "") != (len(p.Commits)+len(p.Others) > 0) {
		b.t.Errorf("nothing is %q of %d commits", p.Nothing, len(p.Commits))
	}
	return append(commitTexts(b.t, b.open(), list[0].Commits), readTexts(b.t, b.open(), list[0].Others)...)
}

func TestPush(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			b, _ := newRepoWithRemote(t, "--object-format="+format)
			b.git("checkout", "-q", "-b", "feature/x")
			b.commit("b", "added\n")
			b.commit("b", "changed\n")
			wantTexts(t, b.pushedTexts("origin", "HEAD"), "message=change b", "message=change b", "b=added", "b=changed")
			b.git("push", "-q", "origin", "HEAD")
			b.commit("c", "later\n")
			wantTexts(t, b.pushedTexts("origin", "HEAD"), "message=change c", "c=later")
			b.git("checkout", "-q", "-b", "third")
			wantTexts(t, b.pushedTexts("origin", "HEAD"), "message=change c", "c=later")
			b.git("reset", "-q", "--hard", "HEAD~1")
			if p := b.resolvePushes("origin", "HEAD")[0]; p.Nothing == "" {
				t.Errorf("a branch of what the remote has: %+v", p)
			}
		})
	}
}

func TestForcedPush(t *testing.T) {
	t.Parallel()
	b, far := newRepoWithRemote(t)
	b.commit("b", "one way\n")
	b.git("push", "-q", "origin", "main")
	b.git("reset", "-q", "--hard", "HEAD~1")
	b.commit("b", "another way\n")
	p := b.resolvePushes("--force", "origin", "main")[0]
	if !p.Forced || p.Unknown {
		t.Errorf("%+v, want a forced push", p)
	}
	wantTexts(t, b.pushedTexts("--force", "origin", "main"), "message=change b", "b=another way")
	// Another user pushed a commit that is not in this repository.
	other := b.inDir(filepath.Join(t.TempDir(), "other"))
	b.git("clone", "-q", far.dir, other.dir)
	other.commit("c", "theirs\n")
	other.git("push", "-q", "origin", "main")
	if p = b.resolvePushes("--force", "origin", "main")[0]; !p.Unknown {
		t.Errorf("%+v, want an unknown commit", p)
	}
	wantTexts(t, commitTexts(t, b.open(), p.Commits), "message=change a", "message=change b", "a=one", "b=another way")
}

// TestPushToAnotherRepository checks that refs/remotes is ignored if the remote's name now denotes
// another repository.
func TestPushToAnotherRepository(t *testing.T) {
	t.Parallel()
	all := []string{"message=change a", "a=one"}
	b, far := newRepoWithRemote(t)
	other := b.inDir(t.TempDir())
	other.git("init", "-q", "--bare")
	b.git("remote", "set-url", "--push", "origin", other.dir)
	wantTexts(t, b.pushedTexts("origin", "main:new"), all...)
	b.git("config", "--unset", "remote.origin.pushurl")
	b.git("remote", "set-url", "origin", other.dir)
	b.git("branch", "also")
	b.git("push", "-q", far.dir, "also:also")
	wantTexts(t, b.pushedTexts("origin", "main"), all...)
	if got := b.resolvePushes("origin", "also", "main"); len(got[0].Commits) != 1 {
		t.Errorf("%+v: a place without main has none of what refs/remotes says", got[0])
	}
	// The destination has a commit that was never fetched.
	stranger := b.inDir(filepath.Join(t.TempDir(), "stranger"))
	b.git("clone", "-q", other.dir, stranger.dir)
	stranger.commit("r", "readme\n")
	stranger.git("push", "-q", "origin", "HEAD:main")
	wantTexts(t, b.pushedTexts("--force", "origin", "main"), all...)
}

func TestRemoteCommitsByURL(t *testing.T) {
	t.Parallel()
	b, _ := newRepoWithRemote(t)
	for _, tt := range []struct {
		fetch, push string
		same        bool
	}{
		{"https://example.com/a/b.git", "git@example.com:a/b", true},
		{"https://example.com/a/b", "ssh://git@EXAMPLE.com:2222/a/b.git/", true},
		{"/srv/a.git", "/srv/a", true},
		{"../a.git", "../a.git", true},
		{"https://example.com/a/b", "https://example.com/a/c", false},
		{"https://example.com/a/b", "https://example.org/a/b", false},
		{"https://example.com/a/b", "", false},
		{"/srv/a", "/srv/b", false},
	} {
		b.git("config", "remote.origin.url", tt.fetch)
		has, doubt, err := b.open().RemoteCommits(t.Context(), git.Remote{Name: "origin", URL: tt.push}, nil)
		if err != nil || (len(has) > 0) != tt.same || (doubt == "") != tt.same {
			t.Errorf("fetched from %s, pushed to %s: %v %q %v", tt.fetch, tt.push, has, doubt, err)
		}
	}
	for _, name := range []string{"", "nobody", "https://example.com/a", "/srv/a", "--all"} {
		if has, _, err := b.open().RemoteCommits(t.Context(), git.Remote{Name: name, URL: name}, nil); len(has) > 0 || err != nil {
			t.Errorf("%q: %v %v", name, has, err)
		}
	}
}

func TestPushTagsAndDeletions(t *testing.T) {
	t.Parallel()
	b, _ := newRepoWithRemote(t)
	b.git("tag", "-a", "-m", "what the tag says", "v1")
	wantTexts(t, b.pushedTexts("origin", "v1"), "tag=what the tag says")
	b.git("tag", "light")
	if p := b.resolvePushes("origin", "light")[0]; p.Nothing == "" {
		t.Errorf("%+v: a tag of what the remote has sends nothing", p)
	}
	b.commit("b", "new\n")
	b.git("tag", "-a", "-m", "a tag of a tag", "v2", "v1")
	b.git("tag", "-a", "-m", "with commits", "v3")
	wantTexts(t, b.pushedTexts("origin", "v2"), "tag=a tag of a tag", "tag=what the tag says")
	wantTexts(t, b.pushedTexts("origin", "v3"), "tag=with commits", "message=change b", "b=new")
	blob := b.gitWithInput("a key in a tag\n", "hash-object", "-w", "--stdin")
	b.git("tag", "blob", blob)
	wantTexts(t, b.pushedTexts("origin", "blob"), "=a key in a tag")
	b.git("tag", "tree", "HEAD^{tree}")
	wantTexts(t, b.pushedTexts("origin", "tree"), "a=one", "b=new")
	if err := os.Mkdir(filepath.Join(b.dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, b.inDir(filepath.Join(b.dir, "below")).pushedTexts("origin", "tree"), "a=one", "b=new")
	b.git("push", "-q", "origin", "v1")
	if p := b.resolvePushes("origin", ":v1")[0]; !p.Deletes() || p.Nothing == "" {
		t.Errorf("%+v, want a deletion", p)
	}
	b.git("branch", "other")
	if got := b.resolvePushes("origin", "main", "other", "v3"); len(got) != 3 {
		t.Errorf("%d refs, want three", len(got))
	}
}

func TestPushFromShallowClone(t *testing.T) {
	t.Parallel()
	b, far := newRepoWithRemote(t)
	for i := range 5 {
		b.commit("a", fmt.Sprintf("version %d\n", i))
	}
	b.git("push", "-q", "origin", "main")
	near := b.inDir(filepath.Join(t.TempDir(), "shallow clone"))
	b.git("clone", "-q", "--depth=2", "file://"+far.dir, near.dir)
	near.commit("b", "new\n")
	wantTexts(t, near.pushedTexts("origin", "main"), "message=change b", "b=new")
	near.git("checkout", "-q", "-b", "other")
	near.commit("c", "newer\n")
	wantTexts(t, near.pushedTexts("origin", "other"), "message=change b", "message=change c", "b=new", "c=newer")
	// The oldest commit of the clone has no parent in it, so all its files are new.
	wantTexts(t, changedTexts(t, near.open(), "HEAD~3"), "message=change a", "a=version 3")
}

func TestPushFromWorktreeAndSubmodule(t *testing.T) {
	t.Parallel()
	b, far := newRepoWithRemote(t)
	tree := b.inDir(filepath.Join(t.TempDir(), "linked tree"))
	b.git("worktree", "add", "-q", "-b", "linked", tree.dir)
	tree.commit("b", "from there\n")
	wantTexts(t, tree.pushedTexts("origin", "linked"), "message=change b", "b=from there")
	outer := newTestRepo(t)
	outer.git("submodule", "--quiet", "add", far.dir, "sub mod")
	sub := outer.inDir(filepath.Join(outer.dir, "sub mod"))
	sub.commit("c", "inside\n")
	wantTexts(t, sub.pushedTexts("origin", "HEAD:refs/heads/inner"), "message=change c", "c=inside")
}

// TestPartialClone checks that reading a content that a partial clone lacks is an error.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	b, far := newRepoWithRemote(t)
	far.git("config", "uploadpack.allowFilter", "true")
	b.commit("a", "two\n")
	b.git("push", "-q", "origin", "main")
	near := b.inDir(filepath.Join(t.TempDir(), "partial"))
	b.git("clone", "-q", "--filter=blob:none", "file://"+far.dir, near.dir)
	r := near.open()
	err := r.ReadEntries(t.Context(), slices.Values([]git.Entry{{ID: b.git("rev-parse", "HEAD~1:a")}}), func(git.Entry, git.Content) error { return nil })
	if !errors.Is(err, git.ErrPartial) {
		t.Errorf("got %v, want what is missing to be said", err)
	}
	near.commit("b", "new\n")
	wantTexts(t, near.pushedTexts("origin", "main"), "message=change b", "b=new")
}

func TestReadUpdates(t *testing.T) {
	t.Parallel()
	id, none := strings.Repeat("ab", 20), strings.Repeat("0", 40)
	long := strings.Repeat("cd", 32)
	for _, tt := range []struct {
		in string
		n  int
		ok bool
	}{
		{"", 0, true},
		{"refs/heads/x " + id + " refs/heads/x " + none + "\n", 1, true},
		{"(delete) " + none + " refs/heads/x " + id + "\n\n", 1, true},
		{"HEAD@{2 days ago} " + long + " refs/heads/x " + long, 1, true},
		{"refs/heads/x " + id + " refs/heads/x\n", 0, false},
		{"refs/heads/x nothex refs/heads/x " + none + "\n", 0, false},
		{"what is this\n", 0, false},
	} {
		list, err := git.ReadUpdates(strings.NewReader(tt.in))
		if len(list) != tt.n || (err == nil) != tt.ok {
			t.Errorf("%q: %d updates, %v", tt.in, len(list), err)
		}
	}
}

// TestLongRange checks that a secret is found that was added and removed long ago.
func TestLongRange(t *testing.T) {
	t.Parallel()
	b, _ := newRepoWithRemote(t)
	const commits = 5000
	var in strings.Builder
	data := func(s string) { fmt.Fprintf(&in, "data %d\n%s\n", len(s), s) }
	for i := range commits {
		fmt.Fprintf(&in, "commit refs/heads/long\nauthor A <a@example.com> %d +0000\ncommitter A <a@example.com> %d +0000\n", 1e9+i, 1e9+i)
		data(fmt.Sprintf("commit %d", i))
		if i == 0 {
			in.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&in, "M 100644 inline dir%d/file %d\n", i%50, i%500)
		data(fmt.Sprintf("content %d", i))
		if i == 2000 {
			in.WriteString("M 100644 inline key\n")
			data("a secret")
		} else if i == 2001 {
			in.WriteString("D key\n")
		}
	}
	b.gitWithInput(in.String(), "fast-import", "--quiet")
	p := b.resolvePushes("origin", "long")[0]
	if len(p.Commits) != commits {
		t.Fatalf("%d commits", len(p.Commits))
	}
	got := commitTexts(t, b.open(), p.Commits)
	if len(got) != 2*commits+1 || !slices.Contains(got, "key=a secret") {
		t.Errorf("%d texts", len(got))
	}
}
