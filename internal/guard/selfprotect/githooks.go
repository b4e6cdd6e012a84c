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

// gitTrees remembers what checkrein's hooks of git are in the working trees that a call
// touches.
type gitTrees []struct {
	top   string
	hooks []string
}

// ourHooks are the names of the hooks that scan what leaves.
var ourHooks = [...]string{"pre-commit", "pre-push"}

// maxTreesUp bounds how far up a working tree is looked for.
const maxTreesUp = 64

// treeOf is the top of the working tree that a directory lies in, which need not be
// there; "" = there is none.
func treeOf(dir string) string {
	for range maxTreesUp {
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

// gitHooks is where checkrein's hooks of git lie that run in a directory: the folder
// that git goes by, where one of its scripts names checkrein.
func (k *guard) gitHooks(dir string) []string {
	if k.place.Repo == nil || !filepath.IsAbs(dir) {
		return nil
	}
	dir = filepath.Clean(dir)
	if filepath.Base(dir) == "hooks" && filepath.Base(filepath.Dir(dir)) == ".git" {
		dir = filepath.Dir(filepath.Dir(dir))
	}
	top := treeOf(dir)
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
	hooks := k.hooksIn(top)
	if k.trees != nil {
		*k.trees = append(*k.trees, struct {
			top   string
			hooks []string
		}{top, hooks})
	}
	return hooks
}

// hooksIn is gitHooks of one working tree.
func (k *guard) hooksIn(top string) []string {
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
	if !slices.ContainsFunc(ourHooks[:], func(name string) bool {
		text, ok := k.readScript(filepath.Join(dir, name))
		return ok && strings.Contains(text, "checkrein")
	}) {
		return nil
	}
	out := []string{dir}
	if study.InDir(top, dir) { // all the work lies in there
		out = out[:0]
		for _, name := range ourHooks {
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

// hooked reports whether the repository that git would work in runs checkrein's hooks.
func (k *guard) hooked() bool { return len(k.gitHooks(k.place.Dir)) > 0 }

// hookKept judges a change of checkrein's hooks of git, by a path that may be a pattern.
func (k *guard) hookKept(abs string) finding {
	if !hasGlob(abs) && !k.besideHooks(abs) {
		return finding{} // without a look at git's settings, which costs more than most calls
	}
	for _, dir := range k.gitHooks(filepath.Dir(abs)) {
		if study.InDir(abs, dir) || hasGlob(abs) && (patternWithin(filepath.ToSlash(abs), filepath.ToSlash(dir)) || slices.ContainsFunc(ourHooks[:], func(name string) bool {
			return patternWithin(filepath.ToSlash(abs), filepath.ToSlash(filepath.Join(dir, name)))
		})) {
			return k.hookFinding(dir)
		}
	}
	return finding{}
}

// besideHooks reports whether a path, or a directory that it lies in, holds a script
// by the name of one of our hooks.
func (k *guard) besideHooks(path string) bool {
	if k.beside.path == path { // each path is looked at twice: as it is written, and without links
		return k.beside.is
	}
	k.beside.path, k.beside.is = path, hooksAbove(path)
	return k.beside.is
}

func hooksAbove(abs string) bool {
	for range maxTreesUp {
		for _, name := range ourHooks {
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

// hooksBelow judges taking away or moving all that lies below a path.
func (k *guard) hooksBelow(abs string, below func(string) bool) finding {
	for _, from := range [...]string{k.place.Dir, filepath.Dir(abs)} {
		for _, dir := range k.gitHooks(from) {
			if below(dir) {
				return k.hookFinding(dir)
			}
		}
	}
	return finding{}
}

// hooksMoved judges a word of git mv and git rm, which name what they take away.
func (k *guard) hooksMoved(path string) finding {
	if path == "" || path[0] == '-' {
		return finding{}
	}
	abs := filepath.Clean(k.absPath(path))
	w := k.hookKept(abs)
	w.add(k.hooksBelow(abs, func(p string) bool { return study.InDir(p, abs) || files.Holds(abs, p, &k.place) }))
	return w
}

func (k *guard) hookFinding(dir string) finding {
	return k.bypassFinding(ruleGitHooks, "changes files in "+dir+", which has checkrein's Git hooks")
}

// isHookFinding reports whether a finding is that of checkrein's hooks of git.
func (w *finding) isHookFinding() bool {
	return w.rule == "protect/around" && w.decision != checkrein.NoOpinion
}

// gitVerbs are git's own commands that are not among gitReadOnly; another word is an alias
// or a program.
var gitVerbs = [...]string{"am", "apply", "archive", "bisect", "bundle", "checkout", "cherry-pick", "clean", "clone", "config", "gc", "hash-object", "help", "lfs", "maintenance", "merge", "merge-base", "mv", "name-rev", "notes", "pull", "range-diff", "read-tree", "rebase", "replace", "reset", "restore", "revert", "rm", "show-ref", "sparse-checkout", "stash", "submodule", "switch", "symbolic-ref", "update-index", "update-ref", "write-tree"}

func isGitVerb(word string) bool {
	return slices.Contains(gitReadOnly[:], word) || slices.Contains(gitVerbs[:], word)
}

// aliased judges the command that an alias of git stands for, with the words after it.
// The guard is a copy, which counts how deep it is: aliases may lead in a circle.
func (k guard) aliased(value string, more []shell.Word) finding {
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

// alias is what git runs for a word that is not a command of its own; "" = nothing is
// known.
func (k *guard) alias(word string) string {
	if k.place.Repo == nil || isGitVerb(word) || !k.hooked() {
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

func isAlias(key string) bool { return len(key) > 6 && strings.EqualFold(key[:6], "alias.") }
