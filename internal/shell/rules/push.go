package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A pushedRef is a ref on the remote that a push changes, and the local ref that replaces it.
type pushedRef struct {
	ref    string // the full ref on the remote
	from   string // the local ref that replaces ref; "" if ref is deleted
	delete bool
	commit bool // from is a commit that no branch names
}

// A push describes which refs of which remote git push changes, as far as its words and the
// repository's files determine it.
type push struct {
	remote  string
	refs    []pushedRef
	unknown string // why the destination is unknown or not only branches; "" if refs is complete
}

// unknownPush returns a push whose destination is unknown because of why.
func unknownPush(why string) push { return push{unknown: why} }

// resolvePush returns the destination of git push with words, which are a remote and refspecs. If
// remove is set, the push has the flag --delete.
//
// It follows the rules of git. The remote is the named one, or that of the current branch, or the
// default one. The refs are the named ones, or those of the remote's settings, or the ones that
// push.default selects.
func resolvePush(repo *shell.Repo, words []string, remove bool) push {
	if repo.Incomplete {
		return unknownPush("Git's settings are conditional")
	}
	p := push{}
	remoteNamed := len(words) > 0
	if remoteNamed {
		p.remote = words[0]
		words = words[1:]
	} else {
		p.remote = defaultPushRemote(repo)
	}
	switch why := remoteProblem(repo, p.remote); {
	case why == noRemote && !remoteNamed && p.remote != "origin":
		return unknownPush("Git's settings name the remote " + p.remote + ", which is not a remote of this repository")
	case why == noRemote && !remoteNamed && len(repo.Remotes()) > 0:
		return unknownPush("the command names no remote, and Git's settings choose none of " + strings.Join(repo.Remotes(), ", "))
	case why == noRemote && !remoteNamed:
		return unknownPush("the command names no remote, and none is configured here")
	case p.remote == "":
		return unknownPush("the command has an empty name for the remote")
	case why == noRemote:
		return push{remote: p.remote, unknown: withoutUser(p.remote) + " is not a remote of this repository"}
	case why != "":
		return unknownPush(why)
	}
	specs := words
	if len(specs) == 0 && !remove {
		specs = repo.GetAll("remote", p.remote, "push")
		if len(specs) == 0 {
			return resolveDefaultPush(repo, p)
		}
	}
	if len(specs) == 0 || len(specs) > maxRefspecs {
		return unknownPush("no branch is named")
	}
	named := len(words) > 0
	for _, spec := range specs {
		one, why := resolveRefspec(repo, p.remote, spec, remove, named)
		if why != "" {
			return unknownPush(why)
		}
		if !slices.Contains(p.refs, one) {
			p.refs = append(p.refs, one)
		}
	}
	return p
}

// maxRefspecs is the largest number of refspecs of one push that are resolved.
const maxRefspecs = 50

// branchName returns the name of the branch that the full ref names. It reports false if ref is not a
// branch.
func branchName(ref string) (string, bool) { return strings.CutPrefix(ref, "refs/heads/") }

// defaultPushRemote returns the name of the remote of a push that names none.
func defaultPushRemote(repo *shell.Repo) string {
	branch, on := branchName(repo.Head)
	if on {
		if name, ok := repo.Get("branch", branch, "pushremote"); ok {
			return name
		}
	}
	if name, ok := repo.Get("remote", "", "pushdefault"); ok {
		return name
	}
	return trackedRemote(repo)
}

// trackedRemote returns the name of the remote that the current branch tracks, or else the only
// remote, or else "origin".
func trackedRemote(repo *shell.Repo) string {
	if branch, on := branchName(repo.Head); on {
		if name, ok := repo.Get("branch", branch, "remote"); ok {
			return name
		}
	}
	if all := repo.Remotes(); len(all) == 1 {
		return all[0]
	}
	return "origin"
}

// noRemote is what remoteProblem returns for a name that is not a remote of the repository.
const noRemote = "not a remote"

// remoteProblem returns why the destination of pushes to the remote name is unknown, or "" if it is
// known.
func remoteProblem(repo *shell.Repo, name string) string {
	urls := repo.GetAll("remote", name, "pushurl")
	if len(urls) == 0 {
		urls = repo.GetAll("remote", name, "url")
	}
	switch {
	case name == "" || len(urls) == 0:
		return noRemote
	case len(urls) > 1:
		return "the remote has several URLs"
	case urls[0] == "":
		return "the remote has no URL"
	case repo.Bool("remote", name, "mirror"):
		return "the remote is a mirror: every branch is pushed"
	}
	if len(repo.GetAll("remote", name, "vcs")) > 0 {
		return "the remote is not a Git repository"
	}
	for _, section := range [...]string{"push", "submodule"} {
		key := "recursesubmodules"
		if section == "submodule" {
			key = "recurse"
		}
		if v, ok := repo.Get(section, "", key); ok && v != "check" && v != "no" && v != "false" {
			return "submodules are pushed too"
		}
	}
	return ""
}

// resolveDefaultPush returns p with the destination of a push without refspecs, which push.default
// determines.
func resolveDefaultPush(repo *shell.Repo, p push) push {
	how, ok := repo.Get("push", "", "default")
	if !ok {
		how = "simple"
	}
	if how == "matching" {
		return unknownPush("push.default is \"matching\", which pushes all matching branches")
	}
	branch, on := branchName(repo.Head)
	if !on || repo.Ref(repo.Head) == shell.OtherRef {
		return unknownPush("no branch is checked out")
	}
	same := p.remote == trackedRemote(repo)
	to := repo.Head
	switch how {
	case "current":
	case "simple", "upstream", "tracking":
		if !same {
			if how != "simple" {
				return unknownPush("git refuses: the branch tracks another remote")
			}
			break
		}
		up, ok := upstreamRef(repo, branch)
		if !ok && repo.Bool("push", "", "autosetupremote") && len(repo.GetAll("branch", branch, "merge")) == 0 {
			up, ok = repo.Head, true
		}
		if !ok || how == "simple" && up != repo.Head {
			return unknownPush("git refuses: the upstream branch has another name")
		}
		to = up
	default:
		return unknownPush("git refuses: push.default is " + how)
	}
	p.refs = []pushedRef{{ref: to, from: repo.Head}}
	return p
}

// upstreamRef returns the ref on the remote that branch tracks. It reports false if branch tracks
// none, or several.
func upstreamRef(repo *shell.Repo, branch string) (string, bool) {
	merge := repo.GetAll("branch", branch, "merge")
	if _, ok := repo.Get("branch", branch, "remote"); !ok || len(merge) != 1 {
		return "", false
	}
	return merge[0], strings.HasPrefix(merge[0], "refs/")
}

// resolveRefspec returns the destination of the refspec spec, or why it is unknown. If remove is set,
// the push has the flag --delete. If named is set, the command names spec.
func resolveRefspec(repo *shell.Repo, remote, spec string, remove, named bool) (p pushedRef, why string) {
	spec, forced := strings.CutPrefix(spec, "+")
	switch {
	case spec == "" || spec[0] == '-' || strings.Contains(spec, placeholder):
		return p, "one of the branches is unknown"
	case spec == ":" || strings.ContainsAny(spec, "*^~?[\\ ") || strings.Contains(spec, "@{") || spec == "tag":
		return p, "the push does not name exactly one branch"
	}
	src, dst, pair := strings.Cut(spec, ":")
	if remove && (pair || forced) {
		return p, "git refuses: --delete takes plain names"
	}
	if remove {
		src, dst, pair = "", spec, true
	}
	if pair && src == "" {
		p.ref, why = remoteRef(repo, dst)
		p.delete = true
		return p, why
	}
	from, why := localBranch(repo, src)
	if pair && why != "" && isCommit(repo, src) { // no branch names the new commit
		from, why, p.commit = src, "", true
	}
	if why != "" {
		return p, why
	}
	p.from = from
	if pair {
		p.ref, why = remoteRef(repo, dst)
		return p, why
	}
	if named && !forced && src == spec {
		from, why = mappedRemoteRef(repo, remote, src, from)
	}
	p.ref = from
	return p, why
}

// isCommit reports whether word names a commit by its digest, or by HEAD if no branch is checked out.
func isCommit(repo *shell.Repo, word string) bool {
	if word == "HEAD" || word == "@" {
		_, on := branchName(repo.Head)
		return !on
	}
	return len(word) >= 4 && strings.Trim(word, "0123456789abcdef") == "" &&
		repo.Ref("refs/tags/"+word) == shell.NoRef && repo.Ref("refs/heads/"+word) == shell.NoRef
}

// localBranch returns the full ref of the local branch that word names, or why there is none.
func localBranch(repo *shell.Repo, word string) (ref, why string) {
	if word == "HEAD" || word == "@" {
		if _, on := branchName(repo.Head); !on || repo.Ref(repo.Head) == shell.OtherRef {
			return "", "no branch is checked out"
		}
		return repo.Head, ""
	}
	ref = word
	if !strings.HasPrefix(ref, "refs/") {
		ref = "refs/heads/" + strings.TrimPrefix(word, "heads/")
		if repo.Ref("refs/tags/"+word) != shell.NoRef {
			return "", "a tag has the same name as the branch"
		}
	}
	if _, is := branchName(ref); !is || repo.Ref(ref) != shell.PlainRef {
		return "", "there is no local branch " + word
	}
	return ref, ""
}

// remoteRef returns the full ref on the remote that word names, or why it is unknown.
func remoteRef(repo *shell.Repo, word string) (ref, why string) {
	if strings.HasPrefix(word, "refs/") {
		return word, ""
	}
	switch first, _, _ := strings.Cut(word, "/"); first {
	case "", "HEAD", "@", "heads", "tags", "remotes":
		return "", "the remote branch for " + word + " is unknown"
	}
	if repo.Ref("refs/tags/"+word) != shell.NoRef {
		return "", "a tag has the same name as the branch"
	}
	return "refs/heads/" + word, ""
}

// mappedRemoteRef returns the ref on remote to which git pushes ref, the local branch that the command
// names as word without a destination. The remote's refspecs or push.default determine it. The second
// result is why it is unknown, or "".
func mappedRemoteRef(repo *shell.Repo, remote, word, ref string) (mapped, unknownWhy string) {
	if word == "HEAD" || word == "@" {
		return ref, ""
	}
	if len(repo.GetAll("remote", remote, "push")) > 0 {
		for _, spec := range repo.GetAll("remote", remote, "push") {
			spec = strings.TrimPrefix(spec, "+")
			src, dst, pair := strings.Cut(spec, ":")
			if strings.ContainsAny(spec, "*^") || !strings.HasPrefix(src, "refs/") {
				return "", "the remote's settings push branches under other names"
			}
			if src == ref && pair {
				return remoteRef(repo, dst)
			}
		}
	}
	if how, _ := repo.Get("push", "", "default"); how == "upstream" || how == "tracking" {
		branch, _ := branchName(ref)
		if merge := repo.GetAll("branch", branch, "merge"); len(merge) == 1 {
			return merge[0], ""
		}
	}
	return ref, ""
}

// resolvePush returns the destination of the call if it is git push. If repo is nil, unknown is why.
func (r *reading) resolvePush(repo *shell.Repo, unknown string) push {
	if len(r.Words) == 0 || r.Words[0].Text != "push" || r.Open || r.Loose {
		return unknownPush("some arguments are unknown")
	}
	remove, subcommand := false, r.subcommandIndex()
	for i := range r.Flags {
		f := &r.Flags[i]
		switch {
		case f.At < subcommand: // search.repository handles the flags of git itself
		case isNeutralPushFlag(f):
		case f.Raw == "--delete" || f.Name == "d" && f.Short:
			remove = true
		default:
			return unknownPush(f.Raw + " may push more than one branch")
		}
	}
	var words []string
	for i := range r.Words[1:] {
		w := &r.Words[1+i]
		if !w.IsKnown() || w.Glob || w.Text == "…" {
			return unknownPush("some arguments are unknown")
		}
		words = append(words, w.Text)
	}
	if repo == nil {
		return unknownPush(unknown)
	}
	return resolvePush(repo, words, remove)
}

// isNeutralPushFlag reports whether the flag f of git push does not change which refs are pushed
// where.
func isNeutralPushFlag(f *program.Flag) bool {
	if f.Short {
		switch f.Name {
		case "f", "u", "v", "q", "4", "6":
			return true
		case "o":
			return f.Set
		}
		return false
	}
	switch f.Name {
	case "force", "force-with-lease", "force-if-includes", "no-force-with-lease", "no-force-if-includes", "no-force", "set-upstream", "verbose", "quiet", "progress", "no-progress", "verify", "no-verify",
		"atomic", "no-atomic", "thin", "no-thin", "porcelain", "follow-tags", "no-follow-tags", "ipv4", "ipv6", "push-option", "signed", "no-signed", "no-recurse-submodules":
		return true
	case "recurse-submodules":
		return f.Value == "check" || f.Value == "no"
	}
	return false
}
