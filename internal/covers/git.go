package covers

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// gitCommand is the command of git in a call.
func gitCommand(c *shell.Call) string {
	if i := commandAt(c); i >= 0 {
		return c.Args[i].Text
	}
	return ""
}

// hooked notes where a call tells git that its hooks are.
func (p *planner) hooked(c *shell.Call) {
	if c.Name != "git" {
		return
	}
	for i := range c.Args {
		key, val, given := strings.Cut(c.Args[i].Text, "=")
		if !strings.EqualFold(key, "core.hookspath") {
			continue
		}
		if !given && i+1 < len(c.Args) {
			val = c.Args[i+1].Text
		}
		p.hooks = val
	}
}

// gitHooks covers the hooks that a command of git runs.
func (p *planner) gitHooks(c *shell.Call) {
	names := ""
	switch gitCommand(c) {
	case "commit":
		names = "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite"
	case "push":
		names = "pre-push"
	case "checkout", "switch", "worktree", "clone":
		names = "post-checkout"
	case "merge", "pull":
		names = "pre-merge-commit prepare-commit-msg commit-msg post-merge post-checkout"
	case "rebase", "cherry-pick", "revert":
		names = "pre-rebase prepare-commit-msg commit-msg post-commit post-rewrite post-checkout"
	case "am":
		names = "applypatch-msg pre-applypatch post-applypatch"
	case "gc":
		names = "pre-auto-gc"
	}
	if names == "" || p.place.Top == "" {
		return
	}
	dir := p.hooksPath()
	if strings.ContainsRune(dir, shell.Hole) {
		p.unsure("where the hooks of git are is only known when it runs")
		return
	}
	for name := range strings.FieldsSeq(names) {
		if path := filepath.Join(dir, name); p.part(path, false) {
			p.executed(path, nil, spot{dirs: []string{p.place.Top}})
		}
	}
}

// hooksPath is where git's hooks are: as the hook's words or the repository's own
// settings say.
func (p *planner) hooksPath() string {
	dir := p.hooks
	if dir == "" {
		dir = filepath.Join(".git", "hooks")
		text, _ := p.look.File(filepath.Join(p.place.Top, ".git", "config"))
		for line := range strings.Lines(string(text)) {
			key, val, ok := strings.Cut(line, "=")
			if ok && strings.EqualFold(strings.TrimSpace(key), "hookspath") {
				dir = strings.Trim(strings.TrimSpace(val), `"`)
			}
		}
	}
	if isAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(p.place.Top, dir)
}
