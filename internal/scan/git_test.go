package scan

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/policy"
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

// scanGit scans what pick picks.
func scanGit(t testing.TB, r *git.Repo, p *policy.Policy, pick func(*Git) Source) ([]string, Totals) {
	t.Helper()
	s := &Scan{Policy: p}
	g := &Git{Repo: r, Scan: s}
	list, totals, err := scanned(t, s, pick(g))
	g.AddCounts(&totals)
	if err != nil {
		t.Fatal(err)
	}
	return list, totals
}

func all(t testing.TB, r *git.Repo) func(*Git) Source {
	return func(g *Git) Source {
		ids, err := r.ListRange(context.Background(), "--all")
		if err != nil {
			t.Fatal(err)
		}
		return g.CommitItems(context.Background(), ids)
	}
}

func staged(g *Git) Source { return g.StagedItems(context.Background()) }

// What is in the index counts, not what is in the working tree.
func TestStaged(t *testing.T) {
	t.Parallel()
	dir, r := repository(t)
	put(t, dir, "a", token())
	runGit(t, dir, "add", "a")
	put(t, dir, "a", "clean")
	put(t, dir, "b", token())
	list, totals := scanGit(t, r, standard(t), staged)
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
	list, totals := scanGit(t, r, standard(t), all(t, r))
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
		list, totals := scanGit(t, r, standard(t), func(g *Git) Source { return g.CommitItems(t.Context(), []string{id}) })
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
	list, totals := scanGit(t, r, standard(t), all(t, r))
	want(t, list, "a:1 github-pat", "a:1 private-ipv4", "b:1 github-pat")
	if totals.Repeated != 4 || totals.Commits != 5 {
		t.Errorf("%+v", totals)
	}
}
