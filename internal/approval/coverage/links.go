package coverage

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const maxLinks = 40 // symlinks followed in one path, as operating systems limit them

// resolveDots returns the path that a process in dir opens as name. A ".." goes up from the target of
// a symlink, not from the symlink.
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

// walkPath joins name to dir one element at a time and resolves symlinks before each "..". left is the
// number of symlinks that may still be followed.
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

// followLinks returns path with its symlinks resolved, as far as left permits. Symlinks in the path of
// the repository itself stay, so that its files have a single name.
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

// readLink returns the target of the symlink at path, or "" if path is not a symlink. For paths in the
// repository, the DiskView records the result in both cases.
func (p *planner) readLink(path string) string {
	if !p.nameInRepo(path) {
		if to, err := os.Readlink(path); err != nil || to == "" {
			return ""
		}
	}
	return p.disk.Link(path)
}

// topOfRepo returns the top of the working tree that git reports for dir. It reports false if dir is
// outside the repository or the top cannot be determined.
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

// workTree returns at, the directory that contains the git directory git, as the working tree. It
// reports false if git's settings may name another one.
func (p *planner) workTree(at, git string) (string, bool) {
	for _, name := range [...]string{"config", "config.worktree"} {
		text, _ := p.disk.File(filepath.Join(git, name))
		if lower := strings.ToLower(string(text)); strings.Contains(lower, "[include") || strings.Contains(lower, "worktree") {
			p.noteUnsureAnywhere("git's settings may place the repository's files elsewhere")
			return "", false
		}
	}
	return at, true
}

// isFoundInTree reports whether w stands for files that a program such as find finds in a directory
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
