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

// newRepo returns a new repository and its directory.
func newRepo(t testing.TB) (string, *git.Repo) {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	r, err := git.OpenRepo(context.Background(), dir, gitEnv())
	if err != nil {
		t.Fatal(err)
	}
	return dir, r
}

// scanGit scans the source that pick returns with the policy p.
func scanGit(t testing.TB, r *git.Repo, p *policy.Policy, pick func(*Git) Source) ([]string, Totals) {
	t.Helper()
	s := &Scan{Policy: p}
	g := &Git{Repo: r, Scan: s}
	list, totals, err := runScan(t, s, pick(g))
	g.AddCounts(&totals)
	if err != nil {
		t.Fatal(err)
	}
	return list, totals
}

// allCommits returns a function that returns a source of all commits of r.
func allCommits(t testing.TB, r *git.Repo) func(*Git) Source {
	return func(g *Git) Source {
		ids, err := r.ListRange(context.Background(), "--all")
		if err != nil {
			t.Fatal(err)
		}
		return g.CommitItems(context.Background(), ids)
	}
}

// stagedItems returns a source of the staged files.
func stagedItems(g *Git) Source { return g.StagedItems(context.Background()) }

// TestScanStaged checks that the index is scanned, not the working tree.
func TestScanStaged(t *testing.T) {
	t.Parallel()
	dir, r := newRepo(t)
	writeFile(t, dir, "a", testToken())
	runGit(t, dir, "add", "a")
	writeFile(t, dir, "a", "clean")
	writeFile(t, dir, "b", testToken())
	list, totals := scanGit(t, r, defaultPolicy(t), stagedItems)
	wantFindings(t, list, "a:1 github-pat")
	if totals.Files != 1 {
		t.Errorf("%+v", totals)
	}
}

// TestScanCommits checks that a secret is found that one commit adds and the next removes, and one in
// a message.
func TestScanCommits(t *testing.T) {
	t.Parallel()
	dir, r := newRepo(t)
	writeFile(t, dir, "a", "one\n"+testToken()+"\n")
	runGit(t, dir, "add", "a")
	runGit(t, dir, "commit", "-qm", "first")
	writeFile(t, dir, "a", "one\n")
	runGit(t, dir, "commit", "-qam", "a subject\n\nsee "+testToken())
	list, totals := scanGit(t, r, defaultPolicy(t), allCommits(t, r))
	slices.Sort(list)
	wantFindings(t, list, "a:2 github-pat", "commit message:3 github-pat")
	if totals.Commits != 2 || totals.Files != 2 || totals.Messages != 2 {
		t.Errorf("%+v", totals)
	}
}

// TestCommitHeaders checks that the headers of commits, which a push sends too, are
// scanned: authors and hosts, merged tags, and fields that a program added.
func TestCommitHeaders(t *testing.T) {
	t.Parallel()
	dir, r := newRepo(t)
	tree := runGit(t, dir, "write-tree")
	commit := func(lines ...string) string {
		text := "tree " + tree + "\n" + strings.Join(lines, "\n") + "\n\nthe message, without an end of its line"
		writeFile(t, dir, ".git/object", text)
		return runGit(t, dir, "hash-object", "-t", "commit", "-w", "--literally", ".git/object")
	}
	who := " A B <a@example.com> 1700000000 +0000"
	for _, tt := range []struct {
		lines []string
		want  []string
	}{
		{[]string{"author" + who, "committer" + who, "encoding ISO-8859-1"}, nil},
		{[]string{"author" + who, "committer " + testToken() + " <a@example.com> 1700000000 +0000"}, []string{"commit message:4 github-pat"}},
		{[]string{"author" + who, "committer A <a@build1.corp.internal> 1700000000 +0000"}, []string{"commit message:4 internal-hostname"}},
		{[]string{"author" + who, "committer" + who, "mergetag object " + tree, " type commit", " tagger" + who, " ", " the tag has " + testToken(), " and more"}, []string{"commit message:9 github-pat"}},
		{[]string{"author" + who, "committer" + who, "x-more " + testToken(), "gpgsig -----BEGIN PGP SIGNATURE-----", " " + strings.Repeat("x9Kq", 15), " -----END PGP SIGNATURE-----"}, []string{"commit message:5 github-pat"}},
	} {
		id := commit(tt.lines...)
		list, totals := scanGit(t, r, defaultPolicy(t), func(g *Git) Source { return g.CommitItems(t.Context(), []string{id}) })
		wantFindings(t, list, tt.want...)
		if totals.Messages != 1 {
			t.Errorf("%+v", totals)
		}
	}
}

// TestCommitsReportOnce checks that a secret that stays in a file is reported with the commit that
// added it, and not with each commit that changes the file.
func TestCommitsReportOnce(t *testing.T) {
	t.Parallel()
	dir, r := newRepo(t)
	for _, text := range []string{testToken(), "more\n" + testToken(), "more\nand " + testToken() + "\n" + testToken(), testToken() + " 10.1.2.3"} {
		writeFile(t, dir, "a", text)
		runGit(t, dir, "add", "a")
		runGit(t, dir, "commit", "-qm", "x")
	}
	writeFile(t, dir, "b", testToken())
	runGit(t, dir, "add", "b")
	runGit(t, dir, "commit", "-qm", "x")
	list, totals := scanGit(t, r, defaultPolicy(t), allCommits(t, r))
	wantFindings(t, list, "a:1 github-pat", "a:1 private-ipv4", "b:1 github-pat")
	if totals.Repeated != 4 || totals.Commits != 5 {
		t.Errorf("%+v", totals)
	}
}
