package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// gitRuns reports whether a call of git has something that may name a program.
func gitRuns(c *shell.Call) bool {
	if len(c.Env) > 0 {
		return true
	}
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case t == "run" || t == "foreach" || strings.HasPrefix(t, "ext::"):
			return true
		case len(t) > 1 && t[0] == '-' && strings.IndexByte("-cxuO", t[1]) >= 0:
			return true
		}
	}
	return false
}

// git takes in what git's options, settings and variables run.
func (n *nest) git() {
	n.gitSettings()
	n.gitEnv()
	w := n.r.Words
	if len(w) == 0 {
		return
	}
	switch w[0].Text {
	case "rebase":
		n.option("-x", "")
		n.option("--exec", "")
	case "bisect":
		if len(w) > 1 && w[1].Text == "run" {
			n.call(2)
		}
	case "submodule":
		if len(w) > 1 && w[1].Text == "foreach" {
			n.call(2)
		}
	case "filter-branch":
		for _, f := range [...]string{"--env-filter", "--tree-filter", "--index-filter", "--parent-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--setup"} {
			n.option(f, "")
		}
	case "fetch", "pull", "clone", "ls-remote", "fetch-pack":
		n.option("--upload-pack", "")
		if w[0].Text == "clone" {
			n.option("-u", "")
		}
		n.gitURL()
	case "push", "send-pack", "archive":
		n.option("--receive-pack", "")
		n.option("--exec", "")
		n.gitURL()
	case "remote":
		n.gitURL()
	case "difftool":
		n.option("-x", "")
		n.option("--extcmd", "")
	case "grep":
		n.option("-O", "")
		n.option("--open-files-in-pager", "")
	case "send-email":
		n.option("--sendmail-cmd", "")
		n.option("--to-cmd", "")
		n.option("--cc-cmd", "")
	}
}

// gitURL takes in the commands of ext:: addresses.
func (n *nest) gitURL() {
	for i := range n.r.Words {
		n.add(shell.GitAddressRuns(n.r.Words[i].Text))
	}
}

// gitSettings takes in what -c key=value runs, and GIT_CONFIG_KEY_0 with its
// value.
func (n *nest) gitSettings() {
	for i := range n.r.Flags {
		f := &n.r.Flags[i]
		if f.Set && (f.Name == "c" && f.Short || f.Name == "config") {
			if key, value, ok := strings.Cut(f.Value, "="); ok {
				n.gitSetting(key, value)
			}
		}
	}
	env := n.r.Call.Env
	for i := range env {
		number, ok := strings.CutPrefix(env[i].Name, "GIT_CONFIG_KEY_")
		if !ok {
			continue
		}
		for k := range env {
			if v, ok := strings.CutPrefix(env[k].Name, "GIT_CONFIG_VALUE_"); ok && v == number {
				n.gitSetting(env[i].Value.Text, env[k].Value.Text)
			}
		}
	}
}

func (n *nest) gitSetting(key, value string) {
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case section == "alias":
		n.gitAlias(last, value)
	case key == "core.hookspath" || key == "init.templatedir":
		// The hooks of a directory that is no part of the text.
		if value != "" && value != "/dev/null" {
			n.add(unknownVariable)
		}
	default:
		n.add(shell.GitRuns(key, value))
	}
}

// gitAlias takes in an alias when it is the one that is called.
func (n *nest) gitAlias(name, value string) {
	w := n.r.Words
	if len(w) == 0 || !strings.EqualFold(w[0].Text, name) {
		return
	}
	var b strings.Builder
	if rest, ok := strings.CutPrefix(value, "!"); ok {
		b.WriteString(rest)
	} else {
		b.WriteString("git " + value)
	}
	// What follows the alias goes to the command, flags and all.
	for i := range n.r.Call.Args {
		if n.r.Call.Args[i].Text == w[0].Text {
			quoteAll(&b, n.r.Call.Args[i+1:])
			break
		}
	}
	n.add(b.String())
}

// gitEnv takes in the variables that name directories and settings of programs for
// git to run.
func (n *nest) gitEnv() {
	for i := range n.r.Call.Env {
		v := &n.r.Call.Env[i]
		switch v.Name {
		case "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR":
			n.add(unknownVariable)
		}
	}
}
