package classify

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// worksElsewhere reports whether c works in a directory that is known to be neither in the project nor
// for temporary files: after a cd, or because an option of git or a build tool names it.
func worksElsewhere(c *shell.Call, p *shell.Place) bool {
	if c == nil || p.Root == "" {
		return false
	}
	if isOutside(c.Dir, p) {
		return true
	}
	if !program.Is(c.Name, program.IsGit|program.IsBuildTool) {
		return false
	}
	for i := range c.Args {
		switch option, value, _ := strings.Cut(c.Args[i].Text, "="); option {
		case "-C", "--directory", "--git-dir", "--work-tree", "--manifest-path", "--prefix", "--cwd", "--project-dir":
			if value == "" && i+1 < len(c.Args) {
				value = c.Args[i+1].Text
			}
			if value != "" && isOutside(path.Join(c.Dir, value), p) || path.IsAbs(value) && isOutside(value, p) {
				return true
			}
		}
	}
	return false
}

// isOutside reports whether dir is known to be neither in the project of p nor for temporary files.
func isOutside(dir string, p *shell.Place) bool {
	switch {
	case dir == "" || strings.ContainsRune(dir, shell.Placeholder):
		return false
	case !path.IsAbs(dir):
		dir = path.Join(p.Dir, dir)
	}
	return path.IsAbs(dir) && dir != p.Root && !strings.HasPrefix(dir, p.Root+"/") && facts.TempDirOf(dir) == ""
}
