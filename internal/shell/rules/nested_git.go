package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// mayRunProgram reports whether the call c of git has an option, a word or a variable that may name a
// program to run.
func mayRunProgram(c *shell.Call) bool {
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

// addGitCommands adds the commands that options, settings and variables make git run.
func (n *nestedCollector) addGitCommands() {
	n.addGitSettings()
	n.addGitEnv()
	w := n.r.Words
	if len(w) == 0 {
		return
	}
	switch w[0].Text {
	case "rebase":
		n.addOption("-x", "")
		n.addOption("--exec", "")
	case "bisect":
		if len(w) > 1 && w[1].Text == "run" {
			n.addWords(2)
		}
	case "submodule":
		if len(w) > 1 && w[1].Text == "foreach" {
			n.addWords(2)
		}
	case "filter-branch":
		for _, f := range [...]string{"--env-filter", "--tree-filter", "--index-filter", "--parent-filter", "--msg-filter", "--commit-filter", "--tag-name-filter", "--setup"} {
			n.addOption(f, "")
		}
	case "fetch", "pull", "clone", "ls-remote", "fetch-pack":
		n.addOption("--upload-pack", "")
		if w[0].Text == "clone" {
			n.addOption("-u", "")
		}
		n.addGitURLs()
	case "push", "send-pack", "archive":
		n.addOption("--receive-pack", "")
		n.addOption("--exec", "")
		n.addGitURLs()
	case "remote":
		n.addGitURLs()
	case "difftool":
		n.addOption("-x", "")
		n.addOption("--extcmd", "")
	case "grep":
		n.addOption("-O", "")
		n.addOption("--open-files-in-pager", "")
	case "send-email":
		n.addOption("--sendmail-cmd", "")
		n.addOption("--to-cmd", "")
		n.addOption("--cc-cmd", "")
	}
}

// addGitURLs adds the commands in ext:: addresses.
func (n *nestedCollector) addGitURLs() {
	for i := range n.r.Words {
		n.addCommand(shell.GitExtCommand(n.r.Words[i].Text))
	}
}

// addGitSettings adds the commands of settings that the call adds by -c key=value, or by
// GIT_CONFIG_KEY_0 and GIT_CONFIG_VALUE_0.
func (n *nestedCollector) addGitSettings() {
	for i := range n.r.Flags {
		f := &n.r.Flags[i]
		if f.Set && (f.Name == "c" && f.Short || f.Name == "config") {
			if key, value, ok := strings.Cut(f.Value, "="); ok {
				n.addGitSetting(key, value)
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
				n.addGitSetting(env[i].Value.Text, env[k].Value.Text)
			}
		}
	}
}

// addGitSetting adds the command that git runs because the setting key has this value, if there is
// one.
func (n *nestedCollector) addGitSetting(key, value string) {
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case section == "alias":
		n.addGitAlias(last, value)
	case key == "core.hookspath" || key == "init.templatedir":
		// The content of the hooks is unknown.
		if value != "" && value != "/dev/null" {
			n.addCommand(unknownVariable)
		}
	default:
		n.addCommand(shell.GitSettingCommand(key, value))
	}
}

// addGitAlias adds the command of the alias name, which is value, if the call uses the alias.
func (n *nestedCollector) addGitAlias(name, value string) {
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
	// All words after the alias go to its command, including flags.
	for i := range n.r.Call.Args {
		if n.r.Call.Args[i].Text == w[0].Text {
			appendQuoted(&b, n.r.Call.Args[i+1:])
			break
		}
	}
	n.addCommand(b.String())
}

// addGitEnv adds an unknown command for each variable that can make git run programs that the variable
// does not name.
func (n *nestedCollector) addGitEnv() {
	for i := range n.r.Call.Env {
		v := &n.r.Call.Env[i]
		switch v.Name {
		case "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR":
			n.addCommand(unknownVariable)
		}
	}
}
