package scan

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/sampled"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/sys/state"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

var today = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func repository(t testing.TB) (string, *git.Repo) {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	r, err := git.Open(context.Background(), dir, gitEnv())
	if err != nil {
		t.Fatal(err)
	}
	return dir, r
}

// scanGit scans with what is remembered in a state directory.
func scanGit(t testing.TB, r *git.Repo, memory state.Dir, p *policy.Policy, pick func(*Git) Source) ([]string, Totals) {
	t.Helper()
	s := &Scan{Policy: p, Clean: OpenClean(memory, "build", p)}
	g := &Git{Repo: r, Scan: s}
	list, totals, err := scanned(t, s, pick(g))
	g.Count(&totals)
	if err == nil {
		err = s.Clean.Save()
	}
	if err != nil {
		t.Fatal(err)
	}
	return list, totals
}

func all(t testing.TB, r *git.Repo) func(*Git) Source {
	return func(g *Git) Source {
		ids, err := r.List(context.Background(), "--all")
		if err != nil {
			t.Fatal(err)
		}
		return g.Commits(context.Background(), ids)
	}
}

func staged(g *Git) Source { return g.Staged(context.Background()) }

// What is in the index counts, not what is in the working tree.
func TestStaged(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	put(t, dir, "a", token())
	runGit(t, dir, "add", "a")
	put(t, dir, "a", "clean")
	put(t, dir, "b", token())
	list, totals := scanGit(t, r, state.Dir{}, standard(t), staged)
	want(t, list, "a:1 github-pat")
	if totals.Files != 1 {
		t.Errorf("%+v", totals)
	}
}

// A secret that one commit adds and the next removes is found, as is one in a
// message.
func TestCommits(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	put(t, dir, "a", "one\n"+token()+"\n")
	runGit(t, dir, "add", "a")
	runGit(t, dir, "commit", "-qm", "first")
	put(t, dir, "a", "one\n")
	runGit(t, dir, "commit", "-qam", "a subject\n\nsee "+token())
	list, totals := scanGit(t, r, state.Dir{}, standard(t), all(t, r))
	slices.Sort(list)
	want(t, list, "a:2 github-pat", "commit message:3 github-pat")
	if totals.Commits != 2 || totals.Files != 2 || totals.Messages != 2 {
		t.Errorf("%+v", totals)
	}
}

// A secret that stays is reported with the commit that brought it, and not with
// each that changes the file.
// What stands before a message is sent with it: who wrote it and where, tags that
// were merged, and what a program put there.
func TestCommitHeaders(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	tree := runGit(t, dir, "write-tree")
	commit := func(lines ...string) string {
		text := "tree " + tree + "\n" + strings.Join(lines, "\n") + "\n\nthe message, without an end of its line"
		put(t, dir, ".git/object", text)
		return runGit(t, dir, "hash-object", "-t", "commit", "-w", "--literally", ".git/object")
	}
	who := " A B <a@example.com> 1700000000 +0000"
	for _, tt := range []struct {
		lines []string
		want  []string
	}{
		{[]string{"author" + who, "committer" + who, "encoding ISO-8859-1"}, nil},
		{[]string{"author" + who, "committer " + token() + " <a@example.com> 1700000000 +0000"}, []string{"commit message:4 github-pat"}},
		{[]string{"author" + who, "committer A <a@build1.corp.internal> 1700000000 +0000"}, []string{"commit message:4 internal-hostname"}},
		{[]string{"author" + who, "committer" + who, "mergetag object " + tree, " type commit", " tagger" + who, " ", " the tag has " + token(), " and more"}, []string{"commit message:9 github-pat"}},
		{[]string{"author" + who, "committer" + who, "x-more " + token(), "gpgsig -----BEGIN PGP SIGNATURE-----", " " + strings.Repeat("x9Kq", 15), " -----END PGP SIGNATURE-----"}, []string{"commit message:5 github-pat"}},
	} {
		id := commit(tt.lines...)
		list, totals := scanGit(t, r, state.Dir{}, standard(t), func(g *Git) Source { return g.Commits(t.Context(), []string{id}) })
		want(t, list, tt.want...)
		if totals.Messages != 1 {
			t.Errorf("%+v", totals)
		}
	}
}

func TestCommitsReportOnce(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	for _, text := range []string{token(), "more\n" + token(), "more\nand " + token() + "\n" + token(), token() + " 10.1.2.3"} {
		put(t, dir, "a", text)
		runGit(t, dir, "add", "a")
		runGit(t, dir, "commit", "-qm", "x")
	}
	put(t, dir, "b", token())
	runGit(t, dir, "add", "b")
	runGit(t, dir, "commit", "-qm", "x")
	list, totals := scanGit(t, r, state.Dir{}, standard(t), all(t, r))
	want(t, list, "a:1 github-pat", "a:1 private-ipv4", "b:1 github-pat")
	if totals.Repeated != 4 || totals.Commits != 5 {
		t.Errorf("%+v", totals)
	}
}

// What was clean is not read again, as long as nothing changes that could find
// something in it.
func TestKnownClean(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	put(t, dir, "a", "clean\n")
	put(t, dir, "b", "Bluebird\n")
	put(t, dir, "c", token())
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-qm", "first")
	memory := state.At(filepath.Join(t.TempDir(), "state"))
	list, first := scanGit(t, r, memory, standard(t), all(t, r))
	want(t, list, "c:1 github-pat")
	list, again := scanGit(t, r, memory, standard(t), all(t, r))
	want(t, list, "c:1 github-pat")
	if first.Known != 0 || again.Known != 3 || again.Bytes != int64(len(token())) || again.Files != first.Files || again.Messages != first.Messages || again.Commits != 1 {
		t.Errorf("first %+v, then %+v", first, again)
	}
	words, err := policy.Parse("p.yaml", []byte("words: [bluebird]\n"), today)
	if err != nil {
		t.Fatal(err)
	}
	list, other := scanGit(t, r, memory, words, all(t, r))
	want(t, list, "b:1 word", "c:1 github-pat")
	if other.Known != 0 {
		t.Errorf("another policy: %+v", other)
	}
}

// A content that is clean at one path is looked at again where other rules apply.
func TestKnownCleanByPath(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	p, err := policy.Parse("p.yaml", []byte("rules: {email-address: {severity: block, exclude: [authors]}}\n"), today)
	if err != nil {
		t.Fatal(err)
	}
	memory := state.At(filepath.Join(t.TempDir(), "state"))
	put(t, dir, "authors", "jane.roe@acme.io\n")
	runGit(t, dir, "add", ".")
	list, _ := scanGit(t, r, memory, p, staged)
	want(t, list)
	runGit(t, dir, "mv", "authors", "readme")
	list, totals := scanGit(t, r, memory, p, staged)
	want(t, list, "readme:1 email-address")
	if totals.Known != 0 {
		t.Errorf("%+v", totals)
	}
}

func TestCleanIsBounded(t *testing.T) {
	sampled.Alone(t)
	t.Parallel()
	dir := state.At(filepath.Join(t.TempDir(), "state"))
	p := standard(t)
	item := func(round, i int) *Item {
		return &Item{Object: strings.Repeat(string(rune('a'+round)), 3) + time.Duration(i).String()}
	}
	for round := range 4 {
		c := OpenClean(dir, "build", p)
		if round > 0 && !c.Has(p, item(0, 7)) {
			t.Fatalf("round %d: what is asked for each time was forgotten", round)
		}
		for i := range cleanMost * 2 / 3 {
			c.Add(p, item(round, i))
		}
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
	}
	c := OpenClean(dir, "build", p)
	if c.Has(p, item(0, 8)) || !c.Has(p, item(3, 8)) || !c.Has(p, item(2, 8)) {
		t.Error("the oldest is not what was forgotten")
	}
	if n := len(c.stored[0]) + len(c.stored[1]); n > 2*cleanMost*16 {
		t.Errorf("%d bytes", n)
	}
	if c := OpenClean(dir, "another build", p); c.Has(p, item(3, 8)) {
		t.Error("another build remembers the same")
	}
	names, err := dir.Names(CleanFolder)
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if err := os.WriteFile(dir.Path(CleanFolder, names[0]), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	OpenClean(dir, "build", p).Has(p, item(3, 8))
}
