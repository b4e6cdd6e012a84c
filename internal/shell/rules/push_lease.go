package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// refineLease adjusts e, the effect of a push with a lease, if all branches that it overwrites are known by
// name and others do not build on them. The lease makes sure that this clone has what is overwritten, so a
// branch need not exist here: without it the push fails, unless an earlier part of the command creates it.
// repo is nil if it is unknown, and p is the destination as far as it is known.
func (s *search) refineLease(r *reading, e *shell.Effect, repo *shell.Repo, p push) bool {
	if repo == nil {
		if repo, _ = s.repositoryBy(r, func(at *shell.Place) func(string) *shell.Repo { return at.Switched }); repo != nil {
			p = r.resolvePush(repo, "")
		}
	}
	refs := p.refs
	switch {
	case p.unknown == "" && slices.ContainsFunc(refs, func(one pushedRef) bool { return one.delete || one.commit }):
		return false
	case p.unknown == "":
	case repo != nil && strings.HasPrefix(p.unknown, "git refuses") && len(r.Words) < 3: // unless settings change first
		refs = []pushedRef{{ref: repo.Head, from: repo.Head}}
	default:
		refs = s.leasedRefs(r, repo)
	}
	remote := p.remote
	if len(r.Words) > 1 {
		remote = r.Words[1].Text
	}
	for _, one := range refs {
		name, isBranch := branchName(one.ref)
		if !isBranch || hasProtectedName(name) || repo != nil && isProtectedBranch(repo, remote, one.ref) {
			return false
		}
	}
	if len(refs) == 0 {
		return false
	}
	if p.unknown != "" {
		named := push{remote: remote, refs: refs}
		e.Reason, e.ContextBound = named.describeLoss()+", unless someone else has pushed", true
	}
	e.Category, e.Impact = shell.GitPushBranch, shell.ImpactMedium
	return true
}

// leasedRefs returns the branches that a push with a lease names, or nil if its words do not determine them.
// If repo is nil, its settings are unknown; a part of the command that changed them is judged itself.
func (s *search) leasedRefs(r *reading, repo *shell.Repo) (refs []pushedRef) {
	c := r.Call
	if len(r.Words) < 3 || r.Open || r.Loose || c.Remote != "" || c.Elevated || !r.hasOnlyLeaseFlags() {
		return nil
	}
	for i := range c.Env {
		if name := c.Env[i].Name; strings.HasPrefix(name, "GIT_") && !shell.IsHarmlessGitVar(name) || name == "HOME" || name == "XDG_CONFIG_HOME" {
			return nil
		}
	}
	remote := r.Words[1]
	if !remote.IsKnown() || strings.ContainsAny(remote.Text, ":/.\\") {
		return nil
	}
	if repo != nil {
		if why := remoteProblem(repo, remote.Text); repo.Incomplete || why != "" && why != noRemote || len(repo.GetAll("remote", remote.Text, "push")) > 0 {
			return nil
		}
	}
	for i := range r.Words[2:] {
		ref := leasedRef(&r.Words[2+i], repo)
		if ref == "" {
			return nil
		}
		refs = append(refs, pushedRef{ref: ref, from: ref})
	}
	return refs
}

// leasedRef returns the branch on the remote that the refspec spec names, or "" if it is unknown.
func leasedRef(spec *shell.Word, repo *shell.Repo) string {
	src, dst, pair := strings.Cut(spec.Text, ":")
	if !spec.IsKnown() || spec.Glob || src == "" || src == "tag" || strings.ContainsAny(spec.Text, "+*^~?[\\ @") {
		return ""
	}
	if !pair {
		dst = src
		if repo != nil {
			if how, _ := repo.Get("push", "", "default"); how == "upstream" || how == "tracking" {
				return ""
			}
		}
	}
	dst = strings.TrimPrefix(dst, "refs/heads/")
	if dst == "" || facts.InList("HEAD heads refs tags remotes", firstOf(dst)) {
		return ""
	}
	return "refs/heads/" + dst
}

// firstOf returns the first element of the name of a branch.
func firstOf(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// hasOnlyLeaseFlags reports whether the flags of the push r select neither more branches nor settings.
func (r *reading) hasOnlyLeaseFlags() bool {
	subcommand := r.subcommandIndex()
	for i := range r.Flags {
		f := &r.Flags[i]
		if f.At < subcommand && !facts.InList("C p P paginate no-pager", f.Name) || f.At > subcommand && !isNeutralPushFlag(f) {
			return false
		}
	}
	return true
}
