package coverage

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const maxLinks = 40 // on one way, as systems have it

// where is what a process in a directory opens by a name: two dots lead up from where
// links led, not from where the words say.
func (p *planner) where(dir, name string) string {
	if !strings.Contains(name, "..") {
		if isAbs(name) {
			return filepath.Clean(name)
		}
		return filepath.Join(dir, name)
	}
	left := maxLinks
	return p.walk(dir, name, &left)
}

func (p *planner) walk(dir, name string, left *int) string {
	if isAbs(name) {
		dir = string(filepath.Separator)
	}
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		switch part {
		case "", ".":
		case "..":
			dir = filepath.Dir(p.resolved(dir, left))
		default:
			dir = filepath.Join(dir, part)
		}
	}
	return dir
}

// real is where a path leads for a process in a directory, behind all links.
func (p *planner) real(dir, name string) string {
	left := maxLinks
	return p.resolved(p.walk(dir, name, &left), &left)
}

// resolved goes along the links in a path. What lies above the repository is taken as it
// is called, so that its files have one name.
func (p *planner) resolved(path string, left *int) string {
	base := string(filepath.Separator)
	if vol := filepath.VolumeName(path); vol != "" {
		base = vol + base
	}
	for _, top := range [...]string{p.place.Root, p.place.Top} {
		if within(top, path) {
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
		to := p.link(next)
		if to == "" || *left <= 0 {
			at = next
			continue
		}
		*left--
		at = p.resolved(p.walk(at, to, left), left)
	}
	return at
}

// link is where a link leads; "" = the path is none. That one of the repository's is
// none counts as seen.
func (p *planner) link(path string) string {
	if !p.named(path) {
		if to, err := os.Readlink(path); err != nil || to == "" {
			return ""
		}
	}
	return p.look.Link(path)
}

// topAt is what git calls the top of the repository in a directory.
func (p *planner) topAt(dir string) (string, bool) {
	at := p.real(dir, ".")
	if !p.named(at) {
		return "", false
	}
	for ; p.named(at); at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		switch p.look.Kind(git) {
		case Directory:
		case Regular:
			text, _ := p.look.File(git)
			to, ok := strings.CutPrefix(string(text), "gitdir: ")
			if !ok {
				continue
			}
			git = p.where(at, strings.TrimRight(to, "\r\n"))
			if p.look.Kind(filepath.Join(git, "commondir")) == Regular {
				return at, true // a linked worktree, of which the settings do not tell
			}
		default:
			continue
		}
		return p.workTree(at, git)
	}
	return p.place.Top, p.place.Top != ""
}

// workTree is where the files of a repository are: where it lies, unless its settings may
// say otherwise.
func (p *planner) workTree(at, git string) (string, bool) {
	for _, name := range [...]string{"config", "config.worktree"} {
		text, _ := p.look.File(filepath.Join(git, name))
		if lower := strings.ToLower(string(text)); strings.Contains(lower, "[include") || strings.Contains(lower, "worktree") {
			p.anywhere("git's settings may say that the repository's files are elsewhere")
			return "", false
		}
	}
	return at, true
}

// sought reports whether a word stands for files that a program looked for in a tree.
func (p *planner) sought(w shell.Word) bool {
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
