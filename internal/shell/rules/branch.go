package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// mainNames are the usual names of branches that others build on.
const mainNames = "main master trunk develop development dev devel default mainline head base live deploy deployment gh-pages pages next canary integration preprod uat qa"

// mainWords begin the names of branches that are released or maintained: release/1.2, prod-eu,
// stable2.
var mainWords = [...]string{"release", "releases", "rel", "prod", "production", "stable", "staging", "stage", "maint", "maintenance", "lts", "support", "rc"}

// hasProtectedName reports whether a branch has the name of one that others build on or that is
// released.
func hasProtectedName(branch string) bool {
	branch = strings.ToLower(branch)
	if inListFold(mainNames, branch) || isVersionName(branch) {
		return true
	}
	for _, word := range mainWords {
		if rest, ok := strings.CutPrefix(branch, word); ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	if first, _, ok := strings.Cut(branch, "/"); ok && inListFold("main master trunk", first) {
		return true
	}
	last := branch[strings.LastIndexAny(branch, "/-_.")+1:]
	return inListFold("main master trunk stable prod production release", last)
}

// isVersionName reports whether a branch is named like a version: v1, 1.x, v2.3.1, 2.0-stable. 123-fix
// is the name of a fix.
func isVersionName(branch string) bool {
	name, v := strings.CutPrefix(branch, "v")
	dots, digits := 0, 0
	for i := range len(name) {
		switch c := name[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && i > 0:
			dots++
		case c == 'x' && i > 0 && name[i-1] == '.':
		case (c == '-' || c == '_') && dots > 0 && digits > 0:
			return true
		default:
			return false
		}
	}
	return digits > 0 && (v || dots > 0)
}

// isProtectedBranch reports whether a branch of a remote is its default, or looks like one that others
// build on. If the default is unknown, there must be another branch that can be it.
func isProtectedBranch(repo *shell.Repo, remote, ref string) bool {
	branch, is := branchName(ref)
	if !is || branch == "" || strings.Contains(branch, placeholder) || hasProtectedName(branch) {
		return true
	}
	if main := repo.Default(remote); main != "" {
		return main == ref
	}
	known := false
	for _, other := range repo.Remotes() {
		// A fork most likely has the same default as its origin.
		if main := repo.Default(other); main != "" {
			if main == ref {
				return true
			}
			known = true
		}
	}
	if known {
		return false
	}
	for _, name := range [...]string{"main", "master", "trunk", "develop"} {
		if repo.Ref("refs/remotes/"+remote+"/"+name) == shell.PlainRef || repo.Ref("refs/heads/"+name) == shell.PlainRef {
			return false
		}
	}
	return true
}
