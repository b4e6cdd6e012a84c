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

// withRemote is a repository with a commit that its remote has.
func withRemote(t *testing.T, args ...string) (*bed, *bed) {
	t.Helper()
	b := newBed(t, args...)
	far := b.in(t.TempDir())
	far.git(append([]string{"init", "-q", "--bare"}, args...)...)
	b.git("remote", "add", "origin", far.dir)
	b.commit("a", "one\n")
	b.git("push", "-q", "origin", "main")
	return b, far
}

// pushed runs a real push whose hook writes down what git tells it and refuses,
// and asks what would be sent.
func (b *bed) pushed(args ...string) []git.Push {
	b.t.Helper()
	out := filepath.Join(b.t.TempDir(), "stdin")
	hooks := b.t.TempDir()
	b.in(hooks).write("pre-push", "#!/bin/sh\ncat >'"+out+"'\nexit 1\n")
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

func (b *bed) sent(args ...string) []string {
	b.t.Helper()
	list := b.pushed(args...)
	if len(list) != 1 {
		b.t.Fatalf("%d refs", len(list))
	}
	if p := list[0]; (p.Nothing == "") != (len(p.Commits)+len(p.Others) > 0) {
		b.t.Errorf("nothing is %q of %d commits", p.Nothing, len(p.Commits))
	}
	return append(textsOf(b.t, b.open(), list[0].Commits), texts(b.t, b.open(), list[0].Others)...)
}

func TestPushed(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			b, _ := withRemote(t, "--object-format="+format)
			b.git("checkout", "-q", "-b", "feature/x")
			b.commit("b", "added\n")
			b.commit("b", "changed\n")
			want(t, b.sent("origin", "HEAD"), "message=change b", "message=change b", "b=added", "b=changed")
			b.git("push", "-q", "origin", "HEAD")
			b.commit("c", "later\n")
			want(t, b.sent("origin", "HEAD"), "message=change c", "c=later")
			b.git("checkout", "-q", "-b", "third")
			want(t, b.sent("origin", "HEAD"), "message=change c", "c=later")
			b.git("reset", "-q", "--hard", "HEAD~1")
			if p := b.pushed("origin", "HEAD")[0]; p.Nothing == "" {
				t.Errorf("a branch of what the remote has: %+v", p)
			}
		})
	}
}

func TestPushedByForce(t *testing.T) {
	t.Parallel()
	b, far := withRemote(t)
	b.commit("b", "one way\n")
	b.git("push", "-q", "origin", "main")
	b.git("reset", "-q", "--hard", "HEAD~1")
	b.commit("b", "another way\n")
	p := b.pushed("--force", "origin", "main")[0]
	if !p.Forced || p.Unknown {
		t.Errorf("%+v, want a forced push", p)
	}
	want(t, b.sent("--force", "origin", "main"), "message=change b", "b=another way")
	// Somebody else's commit, which is not here.
	other := b.in(filepath.Join(t.TempDir(), "other"))
	b.git("clone", "-q", far.dir, other.dir)
	other.commit("c", "theirs\n")
	other.git("push", "-q", "origin", "main")
	if p = b.pushed("--force", "origin", "main")[0]; !p.Unknown {
		t.Errorf("%+v, want an unknown commit", p)
	}
	want(t, textsOf(t, b.open(), p.Commits), "message=change a", "message=change b", "a=one", "b=another way")
}

// What was fetched tells nothing about another place that has the same name now.
func TestPushedElsewhere(t *testing.T) {
	t.Parallel()
	all := []string{"message=change a", "a=one"}
	b, far := withRemote(t)
	other := b.in(t.TempDir())
	other.git("init", "-q", "--bare")
	b.git("remote", "set-url", "--push", "origin", other.dir)
	want(t, b.sent("origin", "main:new"), all...)
	b.git("config", "--unset", "remote.origin.pushurl")
	b.git("remote", "set-url", "origin", other.dir)
	b.git("branch", "also")
	b.git("push", "-q", far.dir, "also:also")
	want(t, b.sent("origin", "main"), all...)
	if got := b.pushed("origin", "also", "main"); len(got[0].Commits) != 1 {
		t.Errorf("%+v: a place without main has none of what refs/remotes says", got[0])
	}
	// There is something, and nobody here knows it.
	stranger := b.in(filepath.Join(t.TempDir(), "stranger"))
	b.git("clone", "-q", other.dir, stranger.dir)
	stranger.commit("r", "readme\n")
	stranger.git("push", "-q", "origin", "HEAD:main")
	want(t, b.sent("--force", "origin", "main"), all...)
}

func TestHasByURL(t *testing.T) {
	t.Parallel()
	b, _ := withRemote(t)
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

func TestPushedTagsAndDeletions(t *testing.T) {
	t.Parallel()
	b, _ := withRemote(t)
	b.git("tag", "-a", "-m", "what the tag says", "v1")
	want(t, b.sent("origin", "v1"), "tag=what the tag says")
	b.git("tag", "light")
	if p := b.pushed("origin", "light")[0]; p.Nothing == "" {
		t.Errorf("%+v: a tag of what the remote has sends nothing", p)
	}
	b.commit("b", "new\n")
	b.git("tag", "-a", "-m", "a tag of a tag", "v2", "v1")
	b.git("tag", "-a", "-m", "with commits", "v3")
	want(t, b.sent("origin", "v2"), "tag=a tag of a tag", "tag=what the tag says")
	want(t, b.sent("origin", "v3"), "tag=with commits", "message=change b", "b=new")
	blob := b.feed("a key in a tag\n", "hash-object", "-w", "--stdin")
	b.git("tag", "blob", blob)
	want(t, b.sent("origin", "blob"), "=a key in a tag")
	b.git("tag", "tree", "HEAD^{tree}")
	want(t, b.sent("origin", "tree"), "a=one", "b=new")
	if err := os.Mkdir(filepath.Join(b.dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	want(t, b.in(filepath.Join(b.dir, "below")).sent("origin", "tree"), "a=one", "b=new")
	b.git("push", "-q", "origin", "v1")
	if p := b.pushed("origin", ":v1")[0]; !p.Deletes() || p.Nothing == "" {
		t.Errorf("%+v, want a deletion", p)
	}
	b.git("branch", "other")
	if got := b.pushed("origin", "main", "other", "v3"); len(got) != 3 {
		t.Errorf("%d refs, want three", len(got))
	}
}

func TestPushedFromShallowClone(t *testing.T) {
	t.Parallel()
	b, far := withRemote(t)
	for i := range 5 {
		b.commit("a", fmt.Sprintf("version %d\n", i))
	}
	b.git("push", "-q", "origin", "main")
	near := b.in(filepath.Join(t.TempDir(), "shallow clone"))
	b.git("clone", "-q", "--depth=2", "file://"+far.dir, near.dir)
	near.commit("b", "new\n")
	want(t, near.sent("origin", "main"), "message=change b", "b=new")
	near.git("checkout", "-q", "-b", "other")
	near.commit("c", "newer\n")
	want(t, near.sent("origin", "other"), "message=change b", "message=change c", "b=new", "c=newer")
	// The oldest commit here has no parent here, so that all of it is new.
	want(t, changed(t, near.open(), "HEAD~3"), "message=change a", "a=version 3")
}

func TestPushedInWorktreeAndSubmodule(t *testing.T) {
	t.Parallel()
	b, far := withRemote(t)
	tree := b.in(filepath.Join(t.TempDir(), "linked tree"))
	b.git("worktree", "add", "-q", "-b", "linked", tree.dir)
	tree.commit("b", "from there\n")
	want(t, tree.sent("origin", "linked"), "message=change b", "b=from there")
	outer := newBed(t)
	outer.git("submodule", "--quiet", "add", far.dir, "sub mod")
	sub := outer.in(filepath.Join(outer.dir, "sub mod"))
	sub.commit("c", "inside\n")
	want(t, sub.sent("origin", "HEAD:refs/heads/inner"), "message=change c", "c=inside")
}

// A partial clone has no contents of old files; that is said, not passed over.
func TestMissingContents(t *testing.T) {
	t.Parallel()
	b, far := withRemote(t)
	far.git("config", "uploadpack.allowFilter", "true")
	b.commit("a", "two\n")
	b.git("push", "-q", "origin", "main")
	near := b.in(filepath.Join(t.TempDir(), "partial"))
	b.git("clone", "-q", "--filter=blob:none", "file://"+far.dir, near.dir)
	r := near.open()
	err := r.ReadEntries(t.Context(), slices.Values([]git.Entry{{ID: b.git("rev-parse", "HEAD~1:a")}}), func(git.Entry, git.Content) error { return nil })
	if !errors.Is(err, git.ErrPartial) {
		t.Errorf("got %v, want what is missing to be said", err)
	}
	near.commit("b", "new\n")
	want(t, near.sent("origin", "main"), "message=change b", "b=new")
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

// TestLongRange has a secret that was added and removed long ago.
func TestLongRange(t *testing.T) {
	t.Parallel()
	b, _ := withRemote(t)
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
	b.feed(in.String(), "fast-import", "--quiet")
	p := b.pushed("origin", "long")[0]
	if len(p.Commits) != commits {
		t.Fatalf("%d commits", len(p.Commits))
	}
	got := textsOf(t, b.open(), p.Commits)
	if len(got) != 2*commits+1 || !slices.Contains(got, "key=a secret") {
		t.Errorf("%d texts", len(got))
	}
}
