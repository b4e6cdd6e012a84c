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

// A gitCall is a parsed call of Git.
type gitCall struct {
	program.OutputDir
	verb     string
	args     []shell.Word // the verb and all words after it
	tree     string       // the work tree that the call names, or ""
	gitDir   bool         // the call names the repository
	settings []gitPair    // settings for this call only
}

// A gitPair is a Git setting with its value and the option or variable that sets it.
type gitPair struct{ key, value, by string }

// parseGitCall parses c, a call of Git in the guard's directory. It returns the guard for the
// directory to which Git changes, and false if the call has no verb.
func (k *guard) parseGitCall(c *shell.Call) (g gitCall, at *guard, ok bool) {
	g.OutputDir.Reading, at = program.ReadingOf(c), k
	if len(g.Words) == 0 {
		return g, at, false
	}
	g.verb, g.args = g.Words[0].Text, g.Words
	if g.At[0] >= 0 {
		g.args = c.Args[g.At[0]:]
	}
	for _, f := range g.Flags {
		if f.At >= g.At[0] {
			break // after the verb
		}
		switch f.Name {
		case "C":
			at = at.inDir(f.Value)
		case "work-tree":
			g.tree = f.Value
		case "git-dir":
			g.gitDir = true
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
			g.gitDir = true
		case keyed:
			g.settings = append(g.settings, gitPair{v.Value.Text, callEnv(c, "GIT_CONFIG_VALUE_"+number), v.Name})
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

// callEnv returns the value of the variable name that is set for c, or "" if it is not set.
func callEnv(c *shell.Call, name string) string {
	for i := range c.Env {
		if c.Env[i].Name == name {
			return c.Env[i].Value.Text
		}
	}
	return ""
}

// checkGit returns the finding for c if it is a call of git or patch. These may write files of
// checkrein or a host that their arguments do not name.
func (k *guard) checkGit(c *shell.Call) finding {
	switch name := program.ReadingOf(c).Name; {
	case name == "patch" || name == "gpatch":
		r := program.OutputDir{Reading: program.ReadingOf(c)}
		return k.checkPatch(c, r.Words, r.Value("-d|--directory"))
	case name != "git":
		return finding{}
	}
	g, at, ok := k.parseGitCall(c)
	if !ok {
		return finding{}
	}
	if file := callEnv(c, "GIT_CONFIG"); file != "" && len(g.args) > 2 {
		if w := k.writeFinding(file); w.decision != checkrein.NoOpinion {
			return w
		}
	}
	if g.verb == "config" {
		return at.checkGitConfig(&g)
	}
	if does := hookBypass(&g); does != "" && at.hasOwnGitHooks() {
		return k.bypassFinding(ruleGitHooks, does)
	}
	var w finding
	for _, s := range g.settings {
		if isAlias(s.key) {
			w.merge(at.checkAlias(s.value, nil))
		}
	}
	if w.isHookFinding() {
		return w
	}
	if value := at.lookupAlias(g.verb); value != "" {
		return at.checkAlias(value, g.args[1:])
	}
	if g.verb == "mv" || g.verb == "rm" {
		for _, word := range g.Words[1:] {
			w.merge(at.checkHookRemoval(word.Text))
		}
	}
	tree := g.tree
	if tree == "" && g.gitDir {
		tree = at.place.Dir
	}
	w.merge(at.workTreeFinding(tree, g.args))
	if removesUntracked(&g) {
		if tree == "" {
			tree = at.workTree()
		}
		w.merge(k.checkCleaned(tree))
	}
	if g.verb == "apply" || g.verb == "am" {
		w.merge(at.checkPatch(c, g.Words[1:], g.Value("--directory")))
	}
	return w
}

// workTreeFinding returns the finding for the files that the Git command words writes or removes in
// tree or, if that is "", in the work tree in which it runs.
func (k *guard) workTreeFinding(tree string, words []shell.Word) finding {
	if verb := words[0].Text; slices.Contains(gitReadOnly[:], verb) ||
		verb == "stash" && len(words) > 1 && (words[1].Text == "list" || words[1].Text == "show") {
		return finding{}
	}
	named, base := tree != "", k
	whole := named // the command may write any file of the tree
	if !named {
		tree = findWorkTree(k.place.Dir)
		whole = tree != "" && mayWriteTree(words)
	}
	tree = filepath.Clean(k.absPath(tree))
	if k.isHostDir(tree) || k.isHostDir(k.place.Dir) {
		return hostDirFinding
	}
	if k.place.Root != "" && study.InDir(tree, k.place.Root) {
		return finding{} // in the project, Git can restore the files
	}
	if !study.InDir(k.place.Dir, tree) {
		base = k.inDir(tree)
	}
	var worst finding
	for _, w := range words[1:] {
		path := filepath.Clean(base.absPath(w.Text))
		if strings.HasPrefix(w.Text, "-") || !exists(path) && !hasGlob(path) {
			continue
		}
		whole = whole && !slices.Contains(gitPathCommands[:], words[0].Text)
		worst.merge(k.writeFinding(path))
		if isDir(path) {
			worst.merge(k.unnamedFinding(path, true))
		}
	}
	if whole {
		at := *k
		if !named {
			at.place.Dir = k.place.Root // in other projects, Git can restore settings as well
		}
		worst.merge(at.unnamedFinding(tree, true))
	}
	return worst
}

// mayWriteTree reports whether the Git command words, which is not among gitReadOnly, may write files
// of the work tree in which it runs.
func mayWriteTree(words []shell.Word) bool {
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

// removesUntracked reports whether g removes files that Git does not track.
func removesUntracked(g *gitCall) bool {
	switch g.verb {
	case "clean":
		return !hasOption(g.Call, "-n --dry-run")
	case "stash":
		return hasOption(g.Call, "-u -a --include-untracked --all")
	}
	return false
}

// workTree returns the work tree that Git uses in the guard's directory.
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

// hostDirFinding is the finding for a command that writes files which it does not name into a
// directory with the settings of a host.
var hostDirFinding = finding{decision: checkrein.Deny, rule: "self/wiring", final: true, what: "a directory with settings that make an agent call checkrein",
	advice: "the command would write files there that it does not name; change them with the file edit tool"}

// gitReadOnly lists the Git commands that do not write to the work tree.
var gitReadOnly = [...]string{"add", "blame", "branch", "cat-file", "check-ignore", "commit", "describe", "diff", "fetch", "for-each-ref", "grep", "init", "log", "ls-files", "ls-remote", "ls-tree", "push", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "status", "tag", "var", "version", "worktree"}

// gitPathCommands lists the Git commands that write only the files that their arguments name, if they
// name any.
var gitPathCommands = [...]string{"checkout", "checkout-index", "mv", "restore", "rm", "stash"}

// checkGitConfig returns the finding for a call of git config.
func (k *guard) checkGitConfig(g *gitCall) finding {
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
	for i, w := range g.args { // the word after a key is its value, even if it begins with a dash
		value := ""
		if i+1 < len(g.args) {
			value = g.args[i+1].Text
		}
		switch {
		case strings.EqualFold(w.Text, "core.worktree") && value != "" && k.isHostDir(value):
			return hostDirFinding
		case strings.HasPrefix(strings.ToLower(w.Text), "checkrein") && changes:
			return k.bypassFinding(ruleGitHooks, "changes "+w.Text+", which checkrein's git hooks depend on")
		case isAlias(w.Text) && value != "" && k.hasOwnGitHooks():
			if w := k.checkAlias(value, nil); w.isHookFinding() {
				return w
			}
		}
	}
	if file := g.Value("-f|--file"); file != "" && changes {
		return k.writeFinding(file)
	}
	return finding{}
}

// isHostDir reports whether dir is outside the project and is one of checkrein's directories or has
// settings that make a host call checkrein.
func (k *guard) isHostDir(dir string) bool {
	return (k.place.Root == "" || !study.InDir(filepath.Clean(k.absPath(dir)), k.place.Root)) && k.leadsToOwn(dir, "")
}

// ruleGitHooks is the rule for commands that bypass checkrein's Git hooks.
const ruleGitHooks = "git-hooks-off"

// hookBypass describes how g skips or replaces hooks, or returns "" if it does not.
func hookBypass(g *gitCall) string {
	for _, s := range g.settings {
		if isHookSetting(s.key) {
			return "sets " + s.by + " for this git command, which makes git skip checkrein's hooks"
		}
	}
	if g.verb != "commit" && g.verb != "push" && slices.Contains(gitReadOnly[:], g.verb) {
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

// isHookSetting reports whether key, a Git setting with or without its value, selects the hooks that
// run.
func isHookSetting(key string) bool {
	key, _, _ = strings.Cut(strings.ToLower(key), "=")
	return key == "core.hookspath" || strings.HasPrefix(key, "checkrein.") || strings.HasPrefix(key, "hook.")
}

// mentionsHooks reports whether text, the value of GIT_CONFIG_PARAMETERS, sets something that changes
// which hooks run.
func mentionsHooks(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "core.hookspath") || strings.Contains(text, "checkrein.") || strings.Contains(text, "'hook.") || strings.Contains(text, "alias.") && strings.Contains(text, "--no-v")
}

// checkPatch returns the finding for patches that c applies in dir: for the files that they name or,
// if no patch can be read, for the directory.
func (k *guard) checkPatch(c *shell.Call, words []shell.Word, dir string) finding {
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
						worst.merge(w)
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
	if d := at.place.Dir; k.place.Root != "" && !study.InDir(d, k.place.Root) && (at.leadsToOwn(d, "") || k.checkTree(d).decision != checkrein.NoOpinion) {
		w := k.askFinding("self/wiring", "the directory "+d, "a patch writes files there that the command does not name")
		w.final = true
		worst.merge(w)
	}
	return worst
}
