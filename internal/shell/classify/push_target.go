package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// dropChangedRepo drops the repository of the place if c may have changed the destination of a push:
// the checked-out branch, a setting, a remote or a branch. The repository's files describe the state
// before the command. from is the index of the first effect of c.
func (r *classifier) dropChangedRepo(c *shell.Call, from int) {
	before := r.place.Repo
	if before == nil {
		before = r.place.Switched
	}
	if before == nil {
		return
	}
	if changesRepo(c) {
		r.place.Repo, r.place.Switched = nil, switchedRepo(c, before)
		return
	}
	for i := range r.effects[from:] {
		e := &r.effects[from+i]
		if e.Category == shell.RunScript && runsFile(c) || e.Label == shell.Unknown && e.Category.Row().Pack == shell.PackCode || touchesGit(e.Paths) && e.Kind != "read" {
			r.place.Repo, r.place.Switched = nil, nil
			return
		}
	}
}

// switchedRepo returns a function that returns a repository, as before does, with the branch that c, git
// switch or git checkout, checks out. It returns nil if c may change anything else.
func switchedRepo(c *shell.Call, before func(dir string) *shell.Repo) func(dir string) *shell.Repo {
	if program.RepoOf(c.Name) != program.RepoGit || len(c.Args) == 0 || c.Args[0].Text != "switch" && c.Args[0].Text != "checkout" {
		return nil
	}
	var names []string
	creates := false
	for _, a := range c.Args[1:] {
		switch t := a.Text; {
		case !a.IsKnown() || a.Glob || t == "":
			return nil
		case facts.InList("-b -B -c -C --create --force-create", t):
			creates = true
		case t[0] != '-':
			names = append(names, t)
		case !facts.InList("-q --quiet --progress --no-progress --no-track", t):
			return nil
		}
	}
	if len(names) == 0 || len(names) > 1 && !creates {
		return nil
	}
	head := "refs/heads/" + names[0]
	return func(dir string) *shell.Repo {
		repo := before(dir)
		if repo == nil || !creates && c.Args[0].Text == "checkout" && repo.Ref(head) != shell.PlainRef {
			return nil // it may be a file
		}
		same := *repo
		same.Head = head
		return &same
	}
}

// runsFile reports whether c runs a script by its path or with an interpreter, so that it may do
// anything. Tasks of make or npm do not count, because they are everyday steps before a push.
func runsFile(c *shell.Call) bool {
	if program.Is(c.Name, program.IsSourcing) || facts.IsShell(c.Name) || facts.IsInterpreter(c.Name) || strings.HasSuffix(c.Name, ".sh") || strings.HasSuffix(c.Name, ".py") {
		return true
	}
	return strings.Contains(c.Path, "/") && !strings.HasPrefix(c.Path, "/usr/") && !strings.HasPrefix(c.Path, "/bin/") && !strings.HasPrefix(c.Path, "/opt/")
}

// changesRepo reports whether c may change more of a repository than its commits and files, or pushes
// with force: two such pushes would affect several branches.
func changesRepo(c *shell.Call) bool {
	switch program.RepoOf(c.Name) {
	case program.RepoGit:
		return !keepsPushTarget(gitSubcommand(c.Args))
	case program.RepoForge:
		for _, a := range c.Args {
			switch a.Text {
			case "checkout", "co", "develop", "fork", "clone", "sync", "set-default", "remote", "push", "merge":
				return true
			}
		}
		return false
	case program.RepoOther:
		return true
	case program.RepoVariables:
		for _, a := range c.Args {
			if strings.HasPrefix(a.Text, "GIT_") || strings.HasPrefix(a.Text, "HOME") || strings.HasPrefix(a.Text, "XDG_CONFIG") {
				return true
			}
		}
	}
	return strings.HasPrefix(c.Name, "git-")
}

// gitSubcommand returns the words of args, the arguments of git, from the subcommand on. It returns
// nil if there is none or if it is unknown.
func gitSubcommand(args []shell.Word) []shell.Word {
	for i := 0; i < len(args); i++ {
		switch t := args[i].Text; {
		case !args[i].IsKnown():
			return nil
		case t == "-C" || t == "-c" || t == "--git-dir" || t == "--work-tree" || t == "--namespace" || t == "--config-env":
			i++
		case t == "" || t[0] != '-':
			return args[i:]
		}
	}
	return nil
}

// keepsPushTarget reports whether words, a git subcommand with its arguments, leave the checked-out
// branch, the settings and the remotes unchanged. A push with force does not count.
func keepsPushTarget(words []shell.Word) bool {
	if len(words) == 0 {
		return false
	}
	rest := words[1:]
	switch words[0].Text {
	case "add", "stage", "commit", "status", "diff", "log", "show", "fetch", "pull", "merge", "cherry-pick", "revert", "reset", "restore", "rm", "mv", "clean", "blame", "grep", "shortlog", "describe",
		"rev-parse", "rev-list", "ls-files", "ls-tree", "ls-remote", "merge-base", "cat-file", "show-ref", "for-each-ref", "name-rev", "reflog", "cherry", "range-diff", "version", "help", "apply", "am", "gc", "diff-tree", "diff-index", "check-ignore", "var", "count-objects", "fsck":
		return true
	case "stash":
		return len(rest) == 0 || rest[0].Text != "branch"
	case "rebase":
		return countOperands(rest) < 2 // git rebase main x checks out x
	case "push":
		for _, a := range rest {
			if t := a.Text; !a.IsKnown() || strings.HasPrefix(t, "--force") || strings.HasPrefix(t, "+") || strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.Contains(t, "f") {
				return false
			}
		}
		return true
	case "branch", "tag":
		return onlyLists(rest)
	case "remote":
		if len(rest) > 0 && (rest[0].Text == "-v" || rest[0].Text == "--verbose") {
			rest = rest[1:]
		}
		return len(rest) == 0 || rest[0].Text == "show" || rest[0].Text == "get-url"
	case "config":
		return onlyPrintsSettings(rest)
	}
	return false
}

// onlyLists reports whether git branch or git tag with the arguments rest only lists. All options must
// be for listing, and a name is a pattern only if an option makes it one.
func onlyLists(rest []shell.Word) bool {
	names, patterns := false, false
	for _, a := range rest {
		if !a.IsKnown() {
			return false
		}
		name, _, _ := strings.Cut(a.Text, "=")
		switch {
		case facts.InList("-a -r -v -vv --all --remotes --verbose --show-current --no-color --no-column", a.Text):
		case facts.InList("-l --list --merged --no-merged --contains --no-contains --points-at", a.Text):
			patterns = true
		case facts.InList("--sort --format", name) && name != a.Text, strings.HasPrefix(name, "--color"), strings.HasPrefix(name, "--column"), strings.HasPrefix(name, "-n"):
		case strings.HasPrefix(name, "-"):
			return false
		default:
			names = true
		}
	}
	return patterns || !names
}

// onlyPrintsSettings reports whether git config with the arguments rest only prints settings.
func onlyPrintsSettings(rest []shell.Word) bool {
	for _, a := range rest {
		switch t := a.Text; t {
		case "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list":
			return true
		case "--global", "--local", "--system", "--worktree", "--show-origin", "--show-scope", "--null", "-z", "--name-only":
		default:
			return false
		}
	}
	return false
}

// countOperands returns the number of words, the arguments of git rebase, that are neither options nor
// their values.
func countOperands(words []shell.Word) int {
	n := 0
	for i := range words {
		if t := words[i].Text; t == "" || t[0] != '-' {
			n++
			if i > 0 {
				switch words[i-1].Text {
				case "--onto", "-x", "--exec", "-s", "--strategy", "-X", "--strategy-option":
					n--
				}
			}
		}
	}
	return n
}

// touchesGit reports whether one of paths is in a .git directory or is a file of git settings.
func touchesGit(paths []string) bool {
	for _, p := range paths {
		if p == ".git" || strings.HasPrefix(p, ".git/") || strings.Contains(p, "/.git/") || strings.HasSuffix(p, "/.git") || strings.HasSuffix(p, "gitconfig") || strings.HasSuffix(p, "git/config") {
			return true
		}
	}
	return false
}
