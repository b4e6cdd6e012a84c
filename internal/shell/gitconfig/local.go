package gitconfig

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A LocalConfig is the configuration of one repository, without the settings of the user and the
// system.
type LocalConfig struct {
	Config   string          // the path of the settings file
	Hooks    string          // the default directory of the hooks, which a setting may override
	Settings []shell.Setting // including conditional ones, as if their conditions held
}

// FindGitDir returns the .git of the repository that contains dir, or the directory of a bare repository, or "" if
// there is none. kind returns what is at a path.
func FindGitDir(dir string, kind func(path string) shell.PathKind) string {
	for len(dir) > 1 && dir[0] == '/' {
		if kind(dir+"/.git") != shell.NoPath {
			return dir + "/.git"
		}
		if kind(dir+"/HEAD") == shell.PathFile && kind(dir+"/objects") == shell.PathDir {
			return dir
		}
		dir = dir[:strings.LastIndexByte(dir, '/')]
	}
	return ""
}

// ReadLocal reads the settings of the repository whose .git is git, a directory or a file that points
// to one, and of the files that they include. Home is the user's home directory, and read reads a file
// of at most most bytes. ReadLocal reports false if a file cannot be read or interpreted.
func ReadLocal(git, home string, read func(path string, most int) ([]byte, error)) (LocalConfig, bool) {
	r := reader{read: read, home: home, dir: git}
	if data, err := read(git, maxSmall); err == nil {
		to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
		if !ok {
			return LocalConfig{}, false
		}
		r.dir = resolvePath(filepath.Dir(git), to)
	}
	if !r.findCommonDir() {
		return LocalConfig{}, false
	}
	l := LocalConfig{Config: filepath.Join(r.common, "config"), Hooks: filepath.Join(r.common, "hooks")}
	ok := r.readSettings(l.Config, 0)
	if r.repo.Bool("extensions", "", "worktreeconfig") && !r.readSettings(filepath.Join(r.dir, "config.worktree"), 0) {
		ok = false
	}
	l.Settings = append(r.repo.Settings, r.repo.Conditional...)
	return l, ok && !r.unread
}
