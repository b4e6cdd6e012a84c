package walls

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// ProjectDirs returns the directories that a command in dir works on: the top directory of its git
// repository, or dir if there is none, and for a worktree the directory in which the repository is kept.
func ProjectDirs(dir string) []string {
	for top := dir; ; top = filepath.Dir(top) {
		info, err := os.Lstat(filepath.Join(top, ".git"))
		switch {
		case err == nil && info.IsDir():
			return []string{top}
		case err == nil:
			return append([]string{top}, commonDir(top)...)
		case top == filepath.Dir(top):
			return []string{dir}
		}
	}
}

// commonDir returns the repository of the worktree top, if the repository lists the worktree: the file
// .git alone could name any directory.
func commonDir(top string) []string {
	const limit = 4 << 10
	data, err := state.ReadRegular(filepath.Join(top, ".git"), limit)
	own, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return nil
	}
	if !filepath.IsAbs(own) {
		own = filepath.Join(top, own)
	}
	back, err := state.ReadRegular(filepath.Join(own, "gitdir"), limit)
	if err != nil || filepath.Base(filepath.Dir(own)) != "worktrees" || strings.TrimSpace(string(back)) != filepath.Join(top, ".git") {
		return nil
	}
	return []string{filepath.Dir(filepath.Dir(own))}
}
