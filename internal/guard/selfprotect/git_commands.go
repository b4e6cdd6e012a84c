package selfprotect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A gitCall is a call of git as its words are read.
type gitCall struct {
	program.Put
	verb     string
	args     []shell.Word // from the verb on
	tree     string       // the work tree that the call names; "" = it names none
	store    bool         // it names the repository
	settings []gitPair    // that hold for this call
}

// A gitPair is a setting of git with its value.
type gitPair struct{ key, value, by string }

// gitCallOf reads a call of git in the guard's directory. It returns the guard in the
// directory that git changes to, and false if the call has no verb.
func (k *guard) gitCallOf(c *shell.Call) (g gitCall, at *guard, ok bool) {
	g.Put.Reading, at = program.Of(c), k
	if len(g.Words) == 0 {
		return g, at, false
	}
	g.verb, g.args = g.Words[0].Text, g.Words
	if g.At[0] >= 0 {
		g.args = c.Args[g.At[0]:]
	}
	for _, f := range g.Flags {
		if f.At >= g.At[0] {
			break // behind the verb
		}
		switch f.Name {
		case "C":
			at = at.from(f.Value)
		case "work-tree":
			g.tree = f.Value
		case "git-dir":
			g.store = true
		case "c", "config-env":
			key, value, _ := strings.Cut(f.Value, "=")
			g.settings = append(g.settings, gitPair{key, value, key})
		}
	}
	for i := range c.Env {
		v := &c.Env[i]
		switch number, keyed := strings.CutPrefix(v.Name, "GIT_CONFIG_KEY_"); {
		case v.Name == "GIT_WORK_TREE":
			g.tree = v.Value.Text
		case v.Name == "GIT_DIR":
			g.store = true
		case keyed:
			g.settings = append(g.settings, gitPair{v.Value.Text, envOf(c, "GIT_CONFIG_VALUE_"+number), v.Name})
		case v.Name == "GIT_CONFIG_PARAMETERS" && mentionsHooks(v.Value.Text):
			g.settings = append(g.settings, gitPair{"core.hookspath", "", v.Name})
		}
	}
	for _, s := range g.settings {
		if strings.EqualFold(s.key, "core.worktree") {
			g.tree = s.value
		}
	}
	return g, at, true
}

// envOf returns the value of a variable that is set for a call.
func envOf(c *shell.Call, name string) string {
	for i := range c.Env {
		if c.Env[i].Name == name {
			return c.Env[i].Value.Text
		}
	}
	return ""
}

// versioned judges what git and patch do in a directory of ours or a host's: there
// the files that they write are named nowhere.
func (k *guard) versioned(c *shell.Call) finding {
	switch name := program.Of(c).Name; {
	case name == "patch" || name == "gpatch":
		r := program.Put{Reading: program.Of(c)}
		return k.patchedIn(c, r.Words, r.Value("-d|--directory"))
	case name != "git":
		return finding{}
	}
	g, at, ok := k.gitCallOf(c)
	if !ok {
		return finding{}
	}
	if file := envOf(c, "GIT_CONFIG"); file != "" && len(g.args) > 2 {
		if w := k.writeFinding(file); w.decision != checkrein.NoOpinion {
			return w
		}
	}
	if g.verb == "config" {
		return at.gitConfig(&g)
	}
	if does := unhooks(&g); does != "" && at.hooked() {
		return k.around(ruleGitHooks, does)
	}
	var w finding
	for _, s := range g.settings {
		if isAlias(s.key) {
			w.add(at.aliased(s.value, nil))
		}
	}
	if w.isHookFinding() {
		return w
	}
	if value := at.alias(g.verb); value != "" {
		return at.aliased(value, g.args[1:])
	}
	if g.verb == "mv" || g.verb == "rm" {
		for _, word := range g.Words[1:] {
			w.add(at.hooksMoved(word.Text))
		}
	}
	tree := g.tree
	if tree == "" && g.store {
		tree = at.place.Dir
	}
	w.add(at.workTreeFinding(tree, g.args))
	if takesUntracked(&g) {
		if tree == "" {
			tree = at.workTree()
		}
		w.add(k.emptied(tree))
	}
	if g.verb == "apply" || g.verb == "am" {
		w.add(at.patchedIn(c, g.Words[1:], g.Value("--directory")))
	}
	return w
}

// workTreeFinding judges the files that a command of git writes or takes away in a work tree:
// the one that the call names or, if that is "", the one that it runs in.
func (k *guard) workTreeFinding(tree string, words []shell.Word) finding {
	if verb := words[0].Text; slices.Contains(gitReads[:], verb) ||
		verb == "stash" && len(words) > 1 && (words[1].Text == "list" || words[1].Text == "show") {
		return finding{}
	}
	named, base := tree != "", k
	whole := named // it may write any file of the tree
	if !named {
		tree = treeOf(k.place.Dir)
		whole = tree != "" && writesTree(words)
	}
	tree = filepath.Clean(k.absPath(tree))
	if k.hostDir(tree) || k.hostDir(k.place.Dir) {
		return hostDirFinding
	}
	if k.place.Root != "" && study.InDir(tree, k.place.Root) {
		return finding{} // git keeps a project
	}
	if !study.InDir(k.place.Dir, tree) {
		base = k.from(tree)
	}
	var worst finding
	for _, w := range words[1:] {
		path := filepath.Clean(base.absPath(w.Text))
		if strings.HasPrefix(w.Text, "-") || !exists(path) && !hasGlob(path) {
			continue
		}
		whole = whole && !slices.Contains(gitNamesFiles[:], words[0].Text)
		worst.add(k.writeFinding(path))
		if isDir(path) {
			worst.add(k.unnamedFinding(path, true))
		}
	}
	if whole {
		at := *k
		if !named {
			at.place.Dir = k.place.Root // git keeps what makes hosts call checkrein in other projects, too
		}
		worst.add(at.unnamedFinding(tree, true))
	}
	return worst
}

// writesTree reports whether a command of git that is not among gitReads may write files of
// the work tree that it runs in.
func writesTree(words []shell.Word) bool {
	switch words[0].Text {
	case "clone":
		return false
	case "reset":
		return slices.ContainsFunc(words, func(w shell.Word) bool {
			return len(w.Text) > 3 && strings.HasPrefix(w.Text, "--") && w.Text != "--soft" && w.Text != "--mixed"
		})
	}
	return true
}

// takesUntracked reports whether a call of git takes away files that it does not know.
func takesUntracked(g *gitCall) bool {
	switch g.verb {
	case "clean":
		return !hasOption(g.Call, "-n --dry-run")
	case "stash":
		return hasOption(g.Call, "-u -a --include-untracked --all")
	}
	return false
}

// workTree is where git works when it is called in the guard's directory.
func (k *guard) workTree() string {
	if k.place.Repo == nil {
		return k.place.Dir
	}
	if r := k.place.Repo(k.place.Dir); r != nil {
		if tree, ok := r.Get("core", "", "worktree"); ok {
			return tree
		}
	}
	return k.place.Dir
}

var hostDirFinding = finding{decision: checkrein.Deny, rule: "self/wiring", final: true, what: "a directory with settings that make an agent call checkrein",
	advice: "the command would write files there that it does not name; change them with the file edit tool"}

// gitReads are git's commands that write nothing into the work tree.
var gitReads = [...]string{"add", "blame", "branch", "cat-file", "check-ignore", "commit", "describe", "diff", "fetch", "for-each-ref", "grep", "init", "log", "ls-files", "ls-remote", "ls-tree", "push", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "status", "tag", "var", "version", "worktree"}

// gitNamesFiles are git's commands that write only the files which their words name, if
// they name some.
var gitNamesFiles = [...]string{"checkout", "checkout-index", "mv", "restore", "rm", "stash"}

// gitConfig judges settings in a file that git is told to use.
func (k *guard) gitConfig(g *gitCall) finding {
	words, changes := g.Words[1:], false
	for _, f := range g.Flags {
		switch {
		case strings.HasPrefix(f.Name, "get"), f.Name == "list", f.Name == "l":
			return finding{}
		case strings.HasPrefix(f.Name, "unset"), strings.HasPrefix(f.Name, "remove"), f.Name == "edit", f.Name == "e":
			changes = true
		}
	}
	if len(words) > 0 {
		switch words[0].Text {
		case "get", "list":
			return finding{}
		case "set", "unset", "edit", "remove-section", "rename-section":
			changes, words = true, words[1:]
		}
	}
	changes = changes || len(words) > 1
	for i, w := range g.args { // behind a key git takes a value for one, whatever it begins with
		value := ""
		if i+1 < len(g.args) {
			value = g.args[i+1].Text
		}
		switch {
		case strings.EqualFold(w.Text, "core.worktree") && value != "" && k.hostDir(value):
			return hostDirFinding
		case strings.HasPrefix(strings.ToLower(w.Text), "checkrein") && changes:
			return k.around(ruleGitHooks, "changes "+w.Text+", which checkrein's git hooks depend on")
		case isAlias(w.Text) && value != "" && k.hooked():
			if w := k.aliased(value, nil); w.isHookFinding() {
				return w
			}
		}
	}
	if file := g.Value("-f|--file"); file != "" && changes {
		return k.writeFinding(file)
	}
	return finding{}
}

// hostDir reports whether a directory is one of ours, or one in which a host is told
// to call us.
func (k *guard) hostDir(dir string) bool {
	return (k.place.Root == "" || !study.InDir(filepath.Clean(k.absPath(dir)), k.place.Root)) && k.leadsTo(dir, "")
}

// ruleGitHooks is the rule of commands that leave out checkrein's hooks of git.
const ruleGitHooks = "git-hooks-off"

// unhooks returns how a call of git leaves hooks out, or takes others; "" = it does not.
func unhooks(g *gitCall) string {
	for _, s := range g.settings {
		if ofHooks(s.key) {
			return "sets " + s.by + " for this git command, which makes git skip checkrein's hooks"
		}
	}
	if g.verb != "commit" && g.verb != "push" && slices.Contains(gitReads[:], g.verb) {
		return ""
	}
	for _, f := range g.Flags {
		short := g.verb == "commit" && f.Short && f.Name == "n" && !strings.HasPrefix(f.Raw, "-u") && !strings.HasPrefix(f.Raw, "-S")
		if short || !f.Short && len(f.Name) >= len("no-v") && strings.HasPrefix("no-verify", f.Name) {
			return "makes git skip its hooks with " + f.Raw
		}
	}
	return ""
}

// ofHooks reports whether a key of git's settings, with a value or without, says which
// hooks run.
func ofHooks(key string) bool {
	key, _, _ = strings.Cut(strings.ToLower(key), "=")
	return key == "core.hookspath" || strings.HasPrefix(key, "checkrein.") || strings.HasPrefix(key, "hook.")
}

func mentionsHooks(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "core.hookspath") || strings.Contains(text, "checkrein.") || strings.Contains(text, "'hook.") || strings.Contains(text, "alias.") && strings.Contains(text, "--no-v")
}

// patchedIn judges a patch: by the files that it names where it can be read, and
// else by the directory.
func (k *guard) patchedIn(c *shell.Call, words []shell.Word, dir string) finding {
	at := *k
	if dir != "" {
		at.place.Dir = k.absPath(dir)
	}
	var worst finding
	read := false
	texts := func(path string) {
		text, ok := k.readScript(k.absPath(path))
		read = read || ok
		for line := range strings.Lines(text) {
			name, ok := strings.CutPrefix(line, "+++ ")
			if !ok {
				if name, ok = strings.CutPrefix(line, "--- "); !ok {
					continue
				}
			}
			name, _, _ = strings.Cut(strings.TrimSpace(name), "\t")
			_, below, _ := strings.Cut(name, "/")
			for _, p := range [...]string{name, below} {
				if p != "" && p != "dev/null" && p != "/dev/null" {
					if w := at.checkChange(p, pathChange{follow: true}); w.decision == checkrein.Deny || w.isHookFinding() {
						worst.add(w)
					}
				}
			}
		}
	}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" {
			texts(c.Redir[i].Target.Text)
		}
	}
	for _, w := range words {
		texts(w.Text)
	}
	if read || worst.decision != checkrein.NoOpinion {
		return worst
	}
	if d := at.place.Dir; k.place.Root != "" && !study.InDir(d, k.place.Root) && (at.leadsTo(d, "") || k.checkTree(d).decision != checkrein.NoOpinion) {
		w := k.askFinding("self/wiring", "the directory "+d, "a patch writes files there that the command does not name")
		w.final = true
		worst.add(w)
	}
	return worst
}
