package selfprotect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// versioned judges what git and patch do in a directory of ours or a host's: there
// the files that they write are named nowhere.
func (k *guard) versioned(c *shell.Call) finding {
	if c.Name == "patch" || c.Name == "gpatch" {
		return k.patchedIn(c, "", optionAfter(c, "-d", "--directory"))
	}
	if c.Name != "git" {
		return finding{}
	}
	dir, sub := "", -1
	tree, store := "", false
	for i := 0; i < len(c.Args) && sub < 0; i++ {
		t := c.Args[i].Text
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		name, value, glued := strings.Cut(t, "=")
		switch {
		case t == "-C":
			dir = next
			i++
		case name == "--work-tree":
			if tree = value; !glued {
				tree = next
				i++
			}
		case t == "-c":
			if key, v, _ := strings.Cut(next, "="); strings.EqualFold(key, "core.worktree") {
				tree = v
			}
			i++
		case name == "--git-dir":
			if store = true; !glued {
				i++
			}
		case t == "--namespace" || t == "--super-prefix" || t == "--config-env":
			i++
		case t == "" || t[0] != '-':
			sub = i
		}
	}
	if sub < 0 {
		return finding{}
	}
	for i := range c.Env {
		switch c.Env[i].Name {
		case "GIT_WORK_TREE":
			tree = c.Env[i].Value.Text
		case "GIT_DIR":
			store = true
		case "GIT_CONFIG":
			if w := k.touched(c.Env[i].Value.Text, touch{follow: true}); w.decision == checkrein.Deny && len(c.Args) > sub+2 {
				return w
			}
		}
	}
	at := *k
	if dir != "" {
		at.place.Dir = k.absolute(dir)
	}
	verb := c.Args[sub].Text
	if verb == "config" {
		return at.gitConfig(c, sub)
	}
	if does := unhooks(c, sub); does != "" && at.hooked() {
		return k.around(ruleGitHooks, does)
	}
	if w := at.setAliases(c, sub); w.isHookFinding() {
		return w
	}
	if value := at.alias(verb); value != "" {
		return at.aliased(value, c.Args[sub+1:])
	}
	var w finding
	if verb == "mv" || verb == "rm" {
		for i := range c.Args[sub+1:] {
			w.add(at.hooksMoved(c.Args[sub+1+i].Text))
		}
	}
	if tree == "" && store {
		tree = at.place.Dir
	}
	w.add(at.workTreeFinding(tree, c.Args[sub:]))
	if takesUntracked(verb, c.Args[sub+1:]) {
		if tree == "" {
			tree = at.workTree()
		}
		w.add(k.emptied(tree))
	}
	if verb == "apply" || verb == "am" {
		w.add(at.patchedIn(c, verb, optionAfter(c, "--directory", "--directory")))
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
	tree = filepath.Clean(k.absolute(tree))
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
		path := filepath.Clean(base.absolute(w.Text))
		if strings.HasPrefix(w.Text, "-") || !exists(path) && !readsAsGlob(path) {
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

// takesUntracked reports whether a command of git takes away files that it does not know.
func takesUntracked(verb string, args []shell.Word) bool {
	has := func(letters, long string) bool {
		return slices.ContainsFunc(args, func(w shell.Word) bool {
			t := w.Text
			return len(t) > 3 && strings.HasPrefix(long, t) || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t[1:], letters)
		})
	}
	switch verb {
	case "clean":
		return !has("n", "--dry-run")
	case "stash":
		return has("ua", "--include-untracked") || has("", "--all")
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
	way: "the command would write files there that it does not name; change them with the file edit tool"}

// gitReads are git's commands that write nothing into the work tree.
var gitReads = [...]string{"add", "blame", "branch", "cat-file", "check-ignore", "commit", "describe", "diff", "fetch", "for-each-ref", "grep", "init", "log", "ls-files", "ls-remote", "ls-tree", "push", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "status", "tag", "var", "version", "worktree"}

// gitNamesFiles are git's commands that write only the files which their words name, if
// they name some.
var gitNamesFiles = [...]string{"checkout", "checkout-index", "mv", "restore", "rm", "stash"}

// gitWrites reports whether a word of git's is a file that it writes.
func gitWrites(c *shell.Call, i int) bool {
	t := c.Args[i].Text
	if strings.HasPrefix(t, "--output=") || strings.HasPrefix(t, "-o") {
		return true
	}
	if i > 0 {
		switch c.Args[i-1].Text {
		case "-o", "--output", "create":
			return true
		}
	}
	return false
}

// gitConfig judges settings in a file that git is told to use.
func (k *guard) gitConfig(c *shell.Call, sub int) finding {
	file, words := "", 0
	ours := "" // a setting by which our hooks of git go
	for i := sub + 1; i < len(c.Args); i++ {
		t := c.Args[i].Text
		name, value, glued := strings.Cut(t, "=")
		switch {
		case (t == "-f" || t == "--file") && i+1 < len(c.Args):
			i++
			file = c.Args[i].Text
		case name == "--file" && glued:
			file = value
		case strings.HasPrefix(t, "-f") && len(t) > 2:
			file = t[2:]
		case t == "--get" || t == "--get-all" || t == "--list" || t == "-l" || t == "get" || t == "list":
			return finding{}
		case t == "--edit" || t == "-e" || strings.HasPrefix(t, "--unset") || strings.HasPrefix(t, "--remove") || t == "unset" || t == "set":
			words = 2
		case strings.EqualFold(t, "core.worktree") && i+1 < len(c.Args) && k.hostDir(c.Args[i+1].Text):
			return hostDirFinding
		case !strings.HasPrefix(t, "-"):
			if strings.HasPrefix(strings.ToLower(t), "checkrein") {
				ours = t
			}
			if isAlias(t) && i+1 < len(c.Args) && k.hooked() {
				if w := k.aliased(c.Args[i+1].Text, nil); w.isHookFinding() {
					return w
				}
			}
			words++
		}
	}
	if ours != "" && words >= 2 {
		return k.around(ruleGitHooks, "changes "+ours+", which checkrein's git hooks depend on")
	}
	if file == "" || words < 2 {
		return finding{}
	}
	w := k.touched(file, touch{follow: true})
	if w.decision != checkrein.Deny {
		return finding{}
	}
	return w
}

// hostDir reports whether a directory is one of ours, or one in which a host is told
// to call us.
func (k *guard) hostDir(dir string) bool {
	return (k.place.Root == "" || !study.InDir(filepath.Clean(k.absolute(dir)), k.place.Root)) && k.leadsTo(dir, "")
}

// ruleGitHooks is the rule of commands that leave out checkrein's hooks of git.
const ruleGitHooks = "git-hooks-off"

// unhooks says how a call of git leaves hooks out, or takes others; "" = it does not.
func unhooks(c *shell.Call, sub int) string {
	for i := range c.Args[:sub] {
		t := c.Args[i].Text
		key, ok := strings.CutPrefix(t, "--config-env=")
		if !ok && i > 0 && (c.Args[i-1].Text == "-c" || c.Args[i-1].Text == "--config-env") {
			key, ok = t, true
		}
		if ok && ofHooks(key) {
			return "sets " + key + " for this git command, which skips checkrein's hooks"
		}
	}
	for i := range c.Env {
		v := &c.Env[i]
		if strings.HasPrefix(v.Name, "GIT_CONFIG_KEY_") && ofHooks(v.Value.Text) || v.Name == "GIT_CONFIG_PARAMETERS" && mentionsHooks(v.Value.Text) {
			return "sets " + v.Name + ", which makes git skip checkrein's hooks"
		}
	}
	verb := c.Args[sub].Text
	switch verb {
	case "commit", "push":
	default:
		if slices.Contains(gitReads[:], verb) {
			return ""
		}
	}
	for i := sub + 1; i < len(c.Args); i++ {
		t := c.Args[i].Text
		switch {
		case t == "--":
			return ""
		case len(t) >= len("--no-v") && strings.HasPrefix("--no-verify", t), verb == "commit" && shortOf(t, 'n', "mFCctSu"):
			return "makes git skip its hooks with " + t
		case verb == "commit" && len(t) == 2 && strings.Contains("-m-F-C-c-t", t):
			i++ // its value
		}
	}
	return ""
}

// shortOf reports whether a flag is among the bundled ones of a word, before one that
// takes the rest as its value.
func shortOf(word string, flag byte, takes string) bool {
	if len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return false
	}
	for i := 1; i < len(word); i++ {
		if word[i] == flag {
			return true
		}
		if strings.IndexByte(takes, word[i]) >= 0 {
			return false
		}
	}
	return false
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

// optionAfter is the value of an option, in the next word or after a =.
func optionAfter(c *shell.Call, short, long string) string {
	for i := range c.Args {
		t := c.Args[i].Text
		if (t == short || t == long) && i+1 < len(c.Args) {
			return c.Args[i+1].Text
		}
		if v, ok := strings.CutPrefix(t, long+"="); ok {
			return v
		}
	}
	return ""
}

// patchedIn judges a patch: by the files that it names where it can be read, and
// else by the directory.
func (k *guard) patchedIn(c *shell.Call, verb, dir string) finding {
	at := *k
	if dir != "" {
		at.place.Dir = k.absolute(dir)
	}
	var worst finding
	read := false
	texts := func(path string) {
		text, ok := k.readScript(k.absolute(path))
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
					if w := at.touched(p, touch{follow: true}); w.decision == checkrein.Deny || w.isHookFinding() {
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
	for i := range c.Args {
		if t := c.Args[i].Text; t != "" && t[0] != '-' && t != verb && t != dir {
			texts(t)
		}
	}
	if read || worst.decision != checkrein.NoOpinion {
		return worst
	}
	if d := at.place.Dir; k.place.Root != "" && !study.InDir(d, k.place.Root) && (at.leadsTo(d, "") || k.holds(d).decision != checkrein.NoOpinion) {
		w := k.asked("self/wiring", "the directory "+d, "a patch writes files there that the command does not name")
		w.final = true
		worst.add(w)
	}
	return worst
}
