package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// sharedBranchNames lists the usual names of branches that others build on.
const sharedBranchNames = "main master trunk develop development dev devel default mainline head base live deploy deployment gh-pages pages next canary integration preprod uat qa"

// releasePrefixes begin the names of branches that are released or maintained, such as release/1.2,
// prod-eu and stable2.
var releasePrefixes = [...]string{"release", "releases", "rel", "prod", "production", "stable", "staging", "stage", "maint", "maintenance", "lts", "support", "rc"}

// hasProtectedName reports whether branch is named like one that others build on or that is released.
func hasProtectedName(branch string) bool {
	branch = strings.ToLower(branch)
	if inListFold(sharedBranchNames, branch) || isVersionName(branch) {
		return true
	}
	for _, word := range releasePrefixes {
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

// isVersionName reports whether branch is named like a version, such as v1, 1.x, v2.3.1 or 2.0-stable.
// A name such as 123-fix is not, because the number is most likely that of an issue.
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

// isProtectedBranch reports whether ref, a branch of remote, is its default branch or is named like
// one that others build on. If no default branch is known, ref counts as protected unless there is
// another branch that can be the default.
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
		// A fork most likely has the same default branch as the repository that it was forked from.
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
