package environ

import (
	"os"
	"path/filepath"
	"strings"
)

// ParentDirs are a directory and its parents, as far as they may belong to the same project.
//
// They end at the top of a repository, below the home directory, which is a project only for sessions
// in the home itself, and below a directory of another user, which cannot belong to the person's
// project. Root's directories do not end them, nor do those of the user who owns the session's
// directory.
type ParentDirs struct {
	dirs   []level
	InRepo bool // the last directory is the top of a repository
}

type level struct {
	path string
	own  bool // owned by this user or root, and not writable by every user
}

// ParentsOf returns the parents of a directory.
func ParentsOf(dir string) ParentDirs {
	var c ParentDirs
	start := filepath.Clean(dir)
	home := os.Getenv("HOME")
	at := statPath(start)
	worker := at.uid
	end := -1 // where HOME ends the parents, unless it is in a repository
	for d := start; ; d, at = filepath.Dir(d), statPath(filepath.Dir(d)) {
		if at.isForeign(worker) {
			break
		}
		c.dirs = append(c.dirs, level{d, at.isOwn()})
		if git := lstatPath(filepath.Join(d, ".git")); git.exists && !git.isForeign(worker) {
			c.InRepo = true
			return c
		}
		if d == home || !isBelow(home, d) && d != start && d == AccountHome() {
			if end = len(c.dirs) - 1; d == AccountHome() { // a project can change the variable, but not the account
				break
			}
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if end >= 0 {
		c.dirs = c.dirs[:max(end, 1)]
	}
	return c
}

// isBelow reports whether a path lies below a directory, lexically.
func isBelow(dir, path string) bool {
	return dir != "" && strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// Top returns the top of the repository; "" outside of one.
func (c *ParentDirs) Top() string {
	if c.InRepo {
		return c.dirs[len(c.dirs)-1].path
	}
	return ""
}

// ProjectDirs returns the directories whose files may be a project's, the lowest first: in a
// repository all of them, elsewhere those that other users cannot write to.
func (c *ParentDirs) ProjectDirs() []string {
	var out []string
	for _, l := range c.dirs {
		if c.InRepo || l.own {
			out = append(out, l.path)
		}
	}
	return out
}

// RepoTop returns the top of the git repository that contains a directory, or the directory itself. A
// linked worktree and a submodule have a top of their own.
func RepoTop(dir string) string {
	c := ParentsOf(dir)
	if top := c.Top(); top != "" {
		return top
	}
	return dir
}
