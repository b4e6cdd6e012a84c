package environ

import (
	"os"
	"path/filepath"
	"strings"
)

// ParentDirs holds a directory and its parents, as far as they may belong to the same project.
//
// The parents end at the top of a repository; below the home directory, which is a project only for
// sessions in the home directory itself; and below a directory of another user, which cannot belong to
// the user's project. Root and the owner of the session's directory do not count as other users.
type ParentDirs struct {
	dirs   []parentDir
	InRepo bool // the last directory is the top of a repository
}

// A parentDir is one of the directories of ParentDirs.
type parentDir struct {
	path string
	own  bool // this user or root owns it, and not every user may write to it
}

// FindParentDirs returns dir and its parents; see ParentDirs for where they end.
func FindParentDirs(dir string) ParentDirs {
	var c ParentDirs
	start := filepath.Clean(dir)
	home := os.Getenv("HOME")
	at := statPath(start)
	worker := at.uid
	end := -1 // the index at which HOME ends the parents, unless HOME is in a repository
	for d := start; ; d, at = filepath.Dir(d), statPath(filepath.Dir(d)) {
		if at.isForeign(worker) {
			break
		}
		c.dirs = append(c.dirs, parentDir{d, at.isOwn()})
		if git := lstatPath(filepath.Join(d, ".git")); git.exists && !git.isForeign(worker) {
			c.InRepo = true
			return c
		}
		if d == home || !isBelow(home, d) && d != start && d == AccountHome() {
			if end = len(c.dirs) - 1; d == AccountHome() { // a project can change HOME, but not the account
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

// isBelow reports whether path is lexically below dir. It reports false if dir is "".
func isBelow(dir, path string) bool {
	return dir != "" && strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// RepoTop returns the top of the repository, or "" outside of one.
func (c *ParentDirs) RepoTop() string {
	if c.InRepo {
		return c.dirs[len(c.dirs)-1].path
	}
	return ""
}

// ProjectDirs returns the directories whose files may belong to the project, lowest first: in a
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

// RepoTop returns the top of the git repository that contains dir, or dir itself outside of one. A
// linked worktree and a submodule have their own tops.
func RepoTop(dir string) string {
	c := FindParentDirs(dir)
	if top := c.RepoTop(); top != "" {
		return top
	}
	return dir
}
