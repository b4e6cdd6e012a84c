package coverage

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const maxLinks = 40 // symlinks followed in one path, as operating systems limit them

// resolveDots returns the path that a process in dir opens by name: ".." goes up from the target of a
// symlink, not from its name.
func (p *planner) resolveDots(dir, name string) string {
	if !strings.Contains(name, "..") {
		if isAbs(name) {
			return filepath.Clean(name)
		}
		return filepath.Join(dir, name)
	}
	left := maxLinks
	return p.walkPath(dir, name, &left)
}

// walkPath joins name to dir one element at a time. It follows symlinks before each ".."; left is how
// many more it may follow.
func (p *planner) walkPath(dir, name string, left *int) string {
	if isAbs(name) {
		dir = string(filepath.Separator)
	}
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		switch part {
		case "", ".":
		case "..":
			dir = filepath.Dir(p.followLinks(dir, left))
		default:
			dir = filepath.Join(dir, part)
		}
	}
	return dir
}

// realPath returns the path that name refers to for a process in dir, with all symlinks resolved.
func (p *planner) realPath(dir, name string) string {
	left := maxLinks
	return p.followLinks(p.walkPath(dir, name, &left), &left)
}

// followLinks resolves the symlinks in path. The path of the repository itself is not resolved, so
// that its files have a single name.
func (p *planner) followLinks(path string, left *int) string {
	base := string(filepath.Separator)
	if vol := filepath.VolumeName(path); vol != "" {
		base = vol + base
	}
	for _, top := range [...]string{p.place.Root, p.place.Top} {
		if isWithin(top, path) {
			base = filepath.Clean(top)
		}
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(path, base), string(filepath.Separator))
	at := base
	for part := range strings.SplitSeq(rest, string(filepath.Separator)) {
		if part == "" {
			continue
		}
		next := filepath.Join(at, part)
		to := p.readLink(next)
		if to == "" || *left <= 0 {
			at = next
			continue
		}
		*left--
		at = p.followLinks(p.walkPath(at, to, left), left)
	}
	return at
}

// readLink returns the target of the symlink at path, or "" if it is none. For paths in the
// repository, the result is recorded even then.
func (p *planner) readLink(path string) string {
	if !p.nameInRepo(path) {
		if to, err := os.Readlink(path); err != nil || to == "" {
			return ""
		}
	}
	return p.disk.Link(path)
}

// topOfRepo returns what git reports as the top of the repository for dir.
func (p *planner) topOfRepo(dir string) (string, bool) {
	at := p.realPath(dir, ".")
	if !p.nameInRepo(at) {
		return "", false
	}
	for ; p.nameInRepo(at); at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		switch p.disk.Kind(git) {
		case Directory:
		case Regular:
			text, _ := p.disk.File(git)
			to, ok := strings.CutPrefix(string(text), "gitdir: ")
			if !ok {
				continue
			}
			git = p.resolveDots(at, strings.TrimRight(to, "\r\n"))
			if p.disk.Kind(filepath.Join(git, "commondir")) == Regular {
				return at, true // a linked worktree, whose directory is not in the settings
			}
		default:
			continue
		}
		return p.workTree(at, git)
	}
	return p.place.Top, p.place.Top != ""
}

// workTree returns the working tree of the repository at at, whose git directory is git. It returns
// false if git's settings may name another one.
func (p *planner) workTree(at, git string) (string, bool) {
	for _, name := range [...]string{"config", "config.worktree"} {
		text, _ := p.disk.File(filepath.Join(git, name))
		if lower := strings.ToLower(string(text)); strings.Contains(lower, "[include") || strings.Contains(lower, "worktree") {
			p.unsureAnywhere("git's settings may say that the repository's files are elsewhere")
			return "", false
		}
	}
	return at, true
}

// isFoundInTree reports whether w stands for files that a program such as find looks up in a directory
// tree.
func (p *planner) isFoundInTree(w shell.Word) bool {
	if !w.Glob {
		return false
	}
	if p.found {
		return true
	}
	for _, c := range w.From {
		if isFinder(c.Name) {
			return true
		}
	}
	return false
}

func isFinder(name string) bool { return hasWord("find gfind bfs fd fdfind", name) }
