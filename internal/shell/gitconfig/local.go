package gitconfig

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A Local is what the files of one repository set, without the person's and the
// machine's.
type Local struct {
	Config   string          // the file of settings
	Hooks    string          // where its hooks are, unless a setting says otherwise
	Settings []shell.Setting // those under conditions too, as if these were met
}

// ReadLocal reads the settings of the repository with that .git, a directory or a file
// that points to one, and of the files that they include. read reads files, up to so
// many bytes. It reports false when some of it cannot be read or understood.
func ReadLocal(git, home string, read func(path string, most int) ([]byte, error)) (Local, bool) {
	r := reader{read: read, home: home, dir: git}
	if data, err := read(git, maxSmall); err == nil {
		to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
		if !ok {
			return Local{}, false
		}
		r.dir = resolvePath(filepath.Dir(git), to)
	}
	if !r.findCommon() {
		return Local{}, false
	}
	l := Local{Config: filepath.Join(r.common, "config"), Hooks: filepath.Join(r.common, "hooks")}
	ok := r.readSettings(l.Config, 0)
	if r.repo.Bool("extensions", "", "worktreeconfig") && !r.readSettings(filepath.Join(r.dir, "config.worktree"), 0) {
		ok = false
	}
	l.Settings = append(r.repo.Settings, r.repo.Conditional...)
	return l, ok && !r.unread
}
