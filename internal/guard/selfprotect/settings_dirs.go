package selfprotect

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// isSettingsDir reports whether dir is a directory in which only hosts look for settings, such as .claude.
func isSettingsDir(dir string) bool {
	name := filepath.Base(dir)
	return name[0] == '.' && name != ".config" && name != ".local" && hostfiles.IsHostDir(name)
}

// settingsDirFinding returns the finding for putting unknown files into dir, a directory with settings of
// a host.
func (k *guard) settingsDirFinding(dir string) finding {
	return k.askFinding("protect/unnamed", dir, "an agent reads settings there that run programs, and it is unknown "+
		"which files this command puts there; name the files, or use another folder")
}

// checkSettingsDirs returns the finding for c if it makes a directory with settings of a host by a link, or
// from a repository, or copies or unpacks files with unknown names into it. list has the effects of c.
func (k *guard) checkSettingsDirs(c *shell.Call, list []shell.Effect) finding {
	target := ""
	switch row := findCopier(c); {
	case row != nil:
		sources, to := copyOperands(c, row)
		target = to.Text
		links := row.target != "" || c.Name == "cp" && hasOption(c, "-s -l --symbolic-link --link")
		if len(sources) == 1 && links && isDir(k.absPath(target)) {
			target = path.Join(target, path.Base(sources[0].Text))
		}
		if !links && !slices.ContainsFunc(sources, func(s shell.Word) bool { return k.hasUnknownNames(c, s) }) {
			return finding{}
		}
	case program.Is(c.Name, program.IsUnpacker):
		if i := slices.IndexFunc(effectPaths(list), isSettingsDir); i >= 0 {
			target = effectPaths(list)[i]
		}
	case program.Is(c.Name, program.IsCheckout|program.IsGit) && slices.ContainsFunc(c.Args, isCloneVerb),
		c.Name == "mount" && len(c.Args) > 1:
		target = c.Args[len(c.Args)-1].Text
		if w := k.checkChange(target, pathChange{follow: true}); w.decision != checkrein.NoOpinion {
			return w
		}
	case c.Name == "degit" && len(c.Args) > 1:
		target = c.Args[len(c.Args)-1].Text
	}
	if target == "" || !isSettingsDir(target) {
		return finding{}
	}
	return k.settingsDirFinding(target)
}

// isCloneVerb reports whether w is the subcommand that copies a repository.
func isCloneVerb(w shell.Word) bool { return w.Text == "clone" }

// hasUnknownNames reports whether the names of the files that c copies from s are unknown: s is a pattern
// that matches nothing yet, or a directory that does not exist yet or is on another machine.
func (k *guard) hasUnknownNames(c *shell.Call, s shell.Word) bool {
	switch {
	case !s.IsKnown(), isRemotePath(s.Text):
		return true
	case s.Glob:
		found, err := filepath.Glob(k.absPath(s.Text))
		return err != nil || len(found) == 0
	}
	return (c.Name == "rsync" || copiesDirs(c)) && path.Ext(s.Text) == "" && !exists(k.absPath(s.Text))
}

// A linkedDir is a symlink to a directory, with the path that it leads to.
type linkedDir struct{ link, to string }

// linkedSettings returns the directories with settings of hosts that are symlinks: a file below the target
// of one is also a file of that directory.
func (k *guard) linkedSettings() []linkedDir {
	if k.linked != nil {
		return *k.linked
	}
	k.linked = new([]linkedDir)
	var seen []string
	roots := []string{k.place.Root, k.place.Dir}
	hostfiles.EachPath(k.place.Home, k.getenv, roots, func(p string, _ *hostfiles.File) bool {
		dir := p[:max(strings.LastIndexByte(p, '/'), 1)] // cheaper than filepath.Dir
		if slices.Contains(seen, dir) || !isSettingsDir(dir) {
			return false
		}
		seen = append(seen, dir)
		if dir = filepath.Clean(dir); state.IsAbsent(dir) {
			return false
		}
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
			*k.linked = append(*k.linked, linkedDir{dir, study.RealPath(dir, true)})
		}
		return false
	})
	return *k.linked
}
