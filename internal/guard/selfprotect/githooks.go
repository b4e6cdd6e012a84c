package selfprotect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// A gitHookCache caches the paths of checkrein's Git hooks, by work tree.
type gitHookCache []struct {
	top   string
	hooks []string
}

// ownHookNames lists the Git hooks that checkrein installs to scan commits and pushes.
var ownHookNames = [...]string{"pre-commit", "pre-push"}

// maxParents limits how many parent directories are searched for a work tree.
const maxParents = 64

// findWorkTree returns the top directory of the work tree that contains dir, which need not exist, or
// "" if there is none.
func findWorkTree(dir string) string {
	for range maxParents {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// ownGitHooks returns the paths of checkrein's Git hooks for the work tree of dir: the directory that
// Git uses for hooks, if a script in it mentions checkrein.
func (k *guard) ownGitHooks(dir string) []string {
	if k.place.Repo == nil || !filepath.IsAbs(dir) {
		return nil
	}
	dir = filepath.Clean(dir)
	if filepath.Base(dir) == "hooks" && filepath.Base(filepath.Dir(dir)) == ".git" {
		dir = filepath.Dir(filepath.Dir(dir))
	}
	top := findWorkTree(dir)
	if top == "" {
		return nil
	}
	if k.trees != nil {
		for _, t := range *k.trees {
			if t.top == top {
				return t.hooks
			}
		}
	}
	hooks := k.findOwnGitHooks(top)
	if k.trees != nil {
		*k.trees = append(*k.trees, struct {
			top   string
			hooks []string
		}{top, hooks})
	}
	return hooks
}

// findOwnGitHooks computes the result of ownGitHooks for the work tree top.
func (k *guard) findOwnGitHooks(top string) []string {
	r := k.place.Repo(top)
	if r == nil {
		return nil
	}
	dir := filepath.Join(r.Common, "hooks")
	if value, ok := r.Get("core", "", "hookspath"); ok {
		switch {
		case strings.HasPrefix(value, "~/"):
			dir = filepath.Join(k.place.Home, value[2:])
		case filepath.IsAbs(value):
			dir = filepath.Clean(value)
		default:
			dir = filepath.Join(top, filepath.FromSlash(value))
		}
	}
	if !slices.ContainsFunc(ownHookNames[:], func(name string) bool {
		text, ok := k.readScript(filepath.Join(dir, name))
		return ok && strings.Contains(text, "checkrein")
	}) {
		return nil
	}
	out := []string{dir}
	if study.InDir(top, dir) { // the hooks' directory contains the work tree, so that only the scripts are protected
		out = out[:0]
		for _, name := range ownHookNames {
			out = append(out, filepath.Join(dir, name))
		}
	}
	for _, path := range out[:len(out):len(out)] {
		if real := study.RealPath(path, true); real != path {
			out = append(out, real)
		}
	}
	return out
}

// hasOwnGitHooks reports whether the repository of the guard's directory runs checkrein's hooks.
func (k *guard) hasOwnGitHooks() bool { return len(k.ownGitHooks(k.place.Dir)) > 0 }

// checkHookChange returns the finding for a change of abs, which may be a pattern, if it concerns
// checkrein's Git hooks.
func (k *guard) checkHookChange(abs string) finding {
	if !hasGlob(abs) && !k.besideHooks(abs) {
		return finding{} // this cheap check comes first, since reading Git's settings is slow
	}
	for _, dir := range k.ownGitHooks(filepath.Dir(abs)) {
		if study.InDir(abs, dir) || hasGlob(abs) && (patternInDir(filepath.ToSlash(abs), filepath.ToSlash(dir)) || slices.ContainsFunc(ownHookNames[:], func(name string) bool {
			return patternInDir(filepath.ToSlash(abs), filepath.ToSlash(filepath.Join(dir, name)))
		})) {
			return k.hookFinding(dir)
		}
	}
	return finding{}
}

// besideHooks is like hooksAbove, but caches the last result.
func (k *guard) besideHooks(path string) bool {
	if k.beside.path == path { // each path is checked twice: as written, and with symlinks resolved
		return k.beside.is
	}
	k.beside.path, k.beside.is = path, hooksAbove(path)
	return k.beside.is
}

// hooksAbove reports whether abs, or one of its parent directories up to the top of the work tree,
// contains a script with the name of one of checkrein's Git hooks.
func hooksAbove(abs string) bool {
	for range maxParents {
		for _, name := range ownHookNames {
			if _, err := os.Lstat(filepath.Join(abs, name)); err == nil {
				return true
			}
		}
		if _, err := os.Lstat(filepath.Join(abs, ".git")); err == nil || filepath.Dir(abs) == abs {
			break
		}
		abs = filepath.Dir(abs)
	}
	return false
}

// checkHooksBelow returns the finding for removing or moving all paths for which below returns true,
// if checkrein's Git hooks for abs or the guard's directory are among them.
func (k *guard) checkHooksBelow(abs string, below func(string) bool) finding {
	for _, from := range [...]string{k.place.Dir, filepath.Dir(abs)} {
		for _, dir := range k.ownGitHooks(from) {
			if below(dir) {
				return k.hookFinding(dir)
			}
		}
	}
	return finding{}
}

// checkHookRemoval returns the finding for path, an argument of git mv or git rm.
func (k *guard) checkHookRemoval(path string) finding {
	if path == "" || path[0] == '-' {
		return finding{}
	}
	abs := filepath.Clean(k.absPath(path))
	w := k.checkHookChange(abs)
	w.merge(k.checkHooksBelow(abs, func(p string) bool { return study.InDir(p, abs) || files.DirContains(abs, p, &k.place) }))
	return w
}

// hookFinding returns the finding for a change of files in dir, which contains checkrein's Git hooks.
func (k *guard) hookFinding(dir string) finding {
	return k.bypassFinding(ruleGitHooks, "changes files in "+dir+", which has checkrein's Git hooks")
}

// isHookFinding reports whether w is about checkrein's Git hooks.
func (w *finding) isHookFinding() bool {
	return w.rule == "protect/around" && w.decision != checkrein.NoOpinion
}

// gitVerbs lists Git's own commands that are not in gitReadOnly. Any other word is an alias or a
// program.
var gitVerbs = [...]string{"am", "apply", "archive", "bisect", "bundle", "checkout", "cherry-pick", "clean", "clone", "config", "gc", "hash-object", "help", "lfs", "maintenance", "merge", "merge-base", "mv", "name-rev", "notes", "pull", "range-diff", "read-tree", "rebase", "replace", "reset", "restore", "revert", "rm", "show-ref", "sparse-checkout", "stash", "submodule", "switch", "symbolic-ref", "update-index", "update-ref", "write-tree"}

// isGitVerb reports whether word is one of Git's own commands.
func isGitVerb(word string) bool {
	return slices.Contains(gitReadOnly[:], word) || slices.Contains(gitVerbs[:], word)
}

// checkAlias returns the finding for the command value of a Git alias, followed by the arguments more.
// Only findings about Git hooks count. The receiver is a copy that counts the aliases expanded so far,
// because they may form a cycle.
func (k guard) checkAlias(value string, more []shell.Word) finding {
	if k.aliases++; k.aliases > maxSources {
		return finding{}
	}
	text, ok := strings.CutPrefix(value, "!")
	if !ok {
		text = "git " + value
	}
	for i := range more {
		text += " '" + strings.ReplaceAll(more[i].Text, "'", `'\''`) + "'"
	}
	calls, _ := resolve.Calls(text, k.place)
	if w := k.checkCalls(text, []study.Text{{Dir: k.place.Dir, Calls: calls}}, false); w.isHookFinding() {
		return w
	}
	return finding{}
}

// lookupAlias returns the value of the Git alias word, or "" if there is none or the repository does
// not run checkrein's hooks.
func (k *guard) lookupAlias(word string) string {
	if k.place.Repo == nil || isGitVerb(word) || !k.hasOwnGitHooks() {
		return ""
	}
	r := k.place.Repo(k.place.Dir)
	if r == nil {
		return ""
	}
	word = strings.ToLower(word)
	if value, ok := r.Get("alias", "", word); ok {
		return value
	}
	value, _ := r.Get("alias", word, "command")
	return value
}

// isAlias reports whether key is a Git setting that defines an alias.
func isAlias(key string) bool { return len(key) > 6 && strings.EqualFold(key[:6], "alias.") }
