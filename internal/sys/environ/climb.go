package environ

import (
	"os"
	"path/filepath"
	"strings"
)

// A Climb is the way up from a directory, as far as what lies there may belong to
// the same project.
//
// It ends at the top of a repository, below the home directory, which is a project
// only for who works in it itself, and below a directory of another user: what
// others put above us is not our project. Root's directories and, where a session
// works in somebody else's, that user's do not end it.
type Climb struct {
	dirs []level
	Repo bool // the last directory is the top of a repository
}

type level struct {
	path string
	own  bool // ours or root's, and not everyone may write to it
}

// Up climbs from a directory.
func Up(dir string) Climb {
	var c Climb
	start := filepath.Clean(dir)
	home := os.Getenv("HOME")
	at := lookAt(start)
	worker := at.uid
	end := -1 // where HOME ends the way, unless it lies in a repository
	for d := start; ; d, at = filepath.Dir(d), lookAt(filepath.Dir(d)) {
		if at.foreign(worker) {
			break
		}
		c.dirs = append(c.dirs, level{d, at.own()})
		if git := lookAtLink(filepath.Join(d, ".git")); git.there && !git.foreign(worker) {
			c.Repo = true
			return c
		}
		if d == home || !below(home, d) && d != start && d == AccountHome() {
			if end = len(c.dirs) - 1; d == AccountHome() { // a project may have moved the variable, but not the account
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

// below reports whether a path lies below a directory, by its name.
func below(dir, path string) bool {
	return dir != "" && strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// Top is the top of the repository, "" outside of one.
func (c *Climb) Top() string {
	if c.Repo {
		return c.dirs[len(c.dirs)-1].path
	}
	return ""
}

// Files are the directories whose files may be a project's, from below: in a
// repository all of them, elsewhere those that only we can write to.
func (c *Climb) Files() []string {
	var out []string
	for _, l := range c.dirs {
		if c.Repo || l.own {
			out = append(out, l.path)
		}
	}
	return out
}

// Top is the top of the git repository that a directory lies in, or the
// directory itself. A linked worktree and a submodule have a top of their own.
func Top(dir string) string {
	c := Up(dir)
	if top := c.Top(); top != "" {
		return top
	}
	return dir
}
