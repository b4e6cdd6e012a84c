package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// refineGit adjusts the effects of git to the data that is lost. Rules see only words; here the
// repository shows where a push goes, and the operands which files are discarded.
func (s *search) refineGit(r *reading) {
	s.refineCheckout(r)
	for i := range s.found {
		e := &s.found[i]
		switch e.Rule {
		case "push-force", "push-lease":
			s.refinePush(r, e)
		case "push-delete", "push-delete-main":
			s.refinePushDelete(r, e)
		case "push-mirror":
			e.ContextBound = true // the effect depends on the refs of both repositories
		case "checkout-force", "checkout-paths", "checkout-file", "checkout-tree", "restore", "restore-both", "rm-force":
			if s.onlyNamesFiles(r) {
				e.Category = shell.GitRestoreFile
			}
		case "clean":
			if slices.ContainsFunc(r.Flags, func(f program.Flag) bool { return f.Name == "x" || f.Name == "X" }) {
				e.Keeps = shell.SaveIgnored
			}
		case "stash-drop":
			if len(r.Words) > 1 && r.Words[1].Text == "drop" {
				e.Category = shell.GitStashDrop
			}
		case "branch-delete-force", "branch-delete-forced":
			if s.deletesOwnBranches(r) {
				e.Category = shell.GitBranchDelete
			}
		}
	}
}

// refineCheckout sets what the safe effect of git checkout loses after all if its only operand is a
// path rather than a branch.
func (s *search) refineCheckout(r *reading) {
	if s.safe.Rule != "checkout" || len(r.Words) != 2 || r.Has("-b") != no || r.Has("--orphan") != no || s.place == nil || s.place.Kind == nil {
		return
	}
	if top := s.workTree(r); top != "" && r.Words[1].IsKnown() && s.place.Kind(path.Join(top, r.Words[1].Text)) != shell.NoPath {
		s.safe.Keeps, s.safe.Repo = shell.SaveWork, top
	}
}

// substituteHead returns the push c with HEAD in place of a command that only prints the current
// branch, as in git push -f origin $(git branch --show-current). It returns other calls unchanged.
func substituteHead(c *shell.Call) *shell.Call {
	if !program.Is(c.Name, program.IsGit) || len(c.Args) < 3 {
		return c
	}
	push, copied := false, false
	for i := range c.Args {
		a := &c.Args[i]
		push = push || a.Text == "push"
		if !push || a.Text != placeholder || len(a.From) != 1 || !printsCurrentBranch(a.From[0]) {
			continue
		}
		if !copied {
			same := *c
			same.Args = append([]shell.Word(nil), c.Args...)
			c, copied = &same, true
		}
		c.Args[i] = shell.Word{Text: "HEAD", Quoted: true}
	}
	return c
}

// printsCurrentBranch reports whether c prints the name of the current branch and nothing else.
func printsCurrentBranch(c *shell.Call) bool {
	if c == nil || !program.Is(c.Name, program.IsGit) || c.Dir != "" || len(c.Env) > 0 {
		return false
	}
	switch words := callText(c); words {
	case "git branch --show-current", "git rev-parse --abbrev-ref HEAD", "git symbolic-ref --short HEAD", "git symbolic-ref -q --short HEAD":
		return true
	}
	return false
}

// deletesOwnBranches reports whether git branch deletes branches that it names, and none that others
// build on.
func (s *search) deletesOwnBranches(r *reading) bool {
	if len(r.Words) < 2 || r.Open && !listsMergedBranches(&r.Words[len(r.Words)-1]) {
		return false
	}
	repo, _ := s.repository(r)
	for i := range r.Words[1:] {
		w := &r.Words[1+i]
		if listsMergedBranches(w) {
			continue // the commits of a merged branch are not lost
		}
		if !w.IsKnown() || w.Glob || w.Text == "…" || w.Text == "" {
			return false
		}
		name := strings.TrimPrefix(w.Text, "refs/heads/")
		if hasProtectedName(name) || repo != nil && repo.Default("origin") == "refs/heads/"+name {
			return false
		}
	}
	return true
}

// listsMergedBranches reports whether w is the output of git branch --merged.
func listsMergedBranches(w *shell.Word) bool {
	for _, c := range w.From {
		if !program.Is(c.Name, program.IsGit) || len(c.Args) < 2 || c.Args[0].Text != "branch" {
			continue
		}
		for i := range c.Args {
			if c.Args[i].Text == "--merged" || strings.HasPrefix(c.Args[i].Text, "--merged=") {
				return true
			}
		}
	}
	return false
}

// onlyNamesFiles reports whether git checkout, restore or rm names only single files, and no
// directories or patterns.
func (s *search) onlyNamesFiles(r *reading) bool {
	if r.Open || r.Has("--pathspec-from-file") != no || r.Has("-r") == yes && r.Words[0].Text == "rm" {
		return false
	}
	words, sure := r.Words[1:], r.Words[0].Text != "checkout"
	switch {
	case r.Dash > 0:
		words, sure = r.Words[r.Dash:], true
	case !sure && len(words) > 1 && !s.namesSingleFile(r, &words[0], false):
		words, sure = words[1:], true // the first word is the commit that the files come from
	}
	for i := range words {
		if !s.namesSingleFile(r, &words[i], sure) {
			return false
		}
	}
	return len(words) > 0
}

// namesSingleFile reports whether w names a single file. If sure is set, w is a path and not a branch.
func (s *search) namesSingleFile(r *reading, w *shell.Word, sure bool) bool {
	t := w.Text
	base := path.Base(t)
	if !w.IsKnown() || w.Glob || t == "" || t[0] == ':' || t[0] == '~' || strings.ContainsAny(t, "*?[") || strings.HasSuffix(t, "/") || base == "." || base == ".." {
		return false
	}
	if s.place != nil && s.place.Kind != nil && r.Has("-C") == no {
		dir := r.Call.Dir
		if dir == "" {
			dir = s.place.Dir
		}
		if !path.IsAbs(t) {
			t = path.Join(dir, t)
		}
		switch s.place.Kind(t) {
		case shell.PathFile:
			return true
		case shell.PathDir:
			return false
		}
		if sure {
			return true // a file that does not exist cannot be lost
		}
	}
	return isFileName(base)
}

// isFileName reports whether base is a name that files usually have and directories do not.
func isFileName(base string) bool {
	switch base {
	case "Makefile", "GNUmakefile", "Dockerfile", "Containerfile", "Gemfile", "Rakefile", "Procfile", "Justfile", "justfile", "Vagrantfile", "Jenkinsfile", "Pipfile", "Brewfile",
		"CODEOWNERS", "LICENSE", "README", "CHANGELOG", "AUTHORS", "NOTICE", "VERSION", "WORKSPACE", "BUILD":
		return true
	case ".github", ".gitlab", ".vscode", ".idea", ".husky", ".circleci", ".config", ".cargo", ".devcontainer", ".storybook", ".yarn":
		return false
	}
	if slices.Contains(hosts.Folders[:], base) {
		return false
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || dot == len(base)-1 {
		return false
	}
	end := base[dot+1:]
	return dot == 0 || len(end) <= 10 && strings.Trim(end, "0123456789") != "" && end != "d"
}
