package resolve

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
)

// addGitSettings adds the settings that a call of git gets from its variables, its options and the
// files that it includes, and walks the commands in them. verb is the index of the subcommand in args,
// or negative if there is none. The result is the number of settings added.
func (w wrappers) addGitSettings(c *command, args []shell.Word, verb int) int {
	before := len(w.settings)
	for i := range c.env {
		v := &c.env[i]
		switch v.Name {
		case "GIT_CONFIG_PARAMETERS":
			for _, word := range argv.SplitWords(v.Value) {
				if key, val, ok := strings.Cut(word.Text, "="); ok {
					w.addGitSetting(c, key, shell.Word{Text: val, From: v.Value.From})
				}
			}
		case "GIT_DIR":
			w.addRepoSettings(c, v.Value.Text+"/config")
		case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG":
			w.addGitConfigFile(c, v.Value)
		default:
			if number, ok := strings.CutPrefix(v.Name, "GIT_CONFIG_KEY_"); ok {
				for k := range c.env {
					if c.env[k].Name == "GIT_CONFIG_VALUE_"+number {
						w.addGitSetting(c, v.Value.Text, c.env[k].Value)
					}
				}
			}
		}
	}
	if verb < 0 {
		verb = len(args)
	}
	for i := range args[:verb] {
		switch dir, given := strings.CutPrefix(args[i].Text, "--git-dir="); {
		case given:
			w.addRepoSettings(c, dir+"/config")
		case args[i].Text == "--git-dir" && i+1 < len(args):
			w.addRepoSettings(c, args[i+1].Text+"/config")
		case args[i].Text == "-C" && i+1 < len(args):
			w.addRepoSettings(c, args[i+1].Text+"/.git/config")
		}
		if args[i].Text != "-c" || i+1 >= len(args) {
			continue
		}
		key, val, _ := strings.Cut(args[i+1].Text, "=")
		switch key = strings.ToLower(key); key {
		case "include.path":
			w.addGitConfigFile(c, shell.Word{Text: val, From: args[i+1].From})
		case "core.hookspath":
			w.addSetting("git", key, shell.Word{Text: val, From: args[i+1].From})
		}
	}
	w.addWrittenSettings(c)
	return len(w.settings) - before
}

// addWrittenSettings adds the settings of the repository in which c runs git and walks the commands in them, as far as
// the session or the text wrote the files with the settings or the programs.
func (w wrappers) addWrittenSettings(c *command) {
	if w.place.Read == nil || w.place.Kind == nil || c.remote != "" {
		return
	}
	wrote := func(path string) bool { return w.wroteFile(path) || w.place.Wrote != nil && w.place.Wrote(path) }
	var read []string
	local, _ := gitconfig.ReadLocal(gitconfig.FindGitDir(w.fullPath(".", &c.context), w.place.Kind), w.place.Home, func(path string, _ int) ([]byte, error) {
		f := w.lookupFile(path)
		if f == nil {
			return nil, fs.ErrNotExist
		}
		read = append(read, path)
		return []byte(f.text), nil
	})
	for _, s := range local.Settings {
		text := shell.GitSettingCommand(s.FullKey(), s.Value)
		if text == "" && s.Section != "alias" || !w.spendStep() {
			continue
		}
		program, _, _ := strings.Cut(text, " ")
		if slices.ContainsFunc(read, wrote) || strings.Contains(program, "/") && wrote(w.fullPath(program, &c.context)) {
			before := w.source
			w.source = textSource{file: &shell.Source{Path: local.Config, Own: true}, depth: -1}
			w.addGitSetting(c, s.FullKey(), shell.Word{Text: s.Value})
			w.source = before
		}
	}
}

// addGitSetting adds a git setting and walks the command in its value.
func (w wrappers) addGitSetting(c *command, key string, val shell.Word) {
	key = strings.ToLower(strings.TrimSpace(key))
	w.addSetting("git", key, val)
	w.walkGitSetting(c, key, val)
}

// walkGitSetting walks the command in val, the value of the git setting key. It also reports code that
// the setting makes git load.
func (w wrappers) walkGitSetting(c *command, key string, val shell.Word) {
	// An include of ../x is relative to .git and so belongs to the repository.
	if shell.GitSettingLoads(key) && !(strings.HasPrefix(key, "include") && strings.HasPrefix(val.Text, "../")) {
		if path := w.untrustedPathIn(c, val, false, "="); path != "" {
			w.reportUnreadCode(c, key, path)
		}
	}
	if text := shell.GitSettingCommand(key, val.Text); text != "" {
		w.walkValue(c, shell.Word{Text: text, From: val.From})
	}
}

// addRepoSettings adds the settings in path, the configuration file of another repository, if it can
// be read.
func (w wrappers) addRepoSettings(c *command, path string) {
	if f := w.fileAt(path, &c.context); f != nil && !f.isDir {
		w.addGitConfigFile(c, shell.Word{Text: path})
	}
}

// addGitConfigFile adds the settings in the git configuration file at path. If its contents are
// unknown, it adds a problem.
func (w wrappers) addGitConfigFile(c *command, path shell.Word) {
	text := ""
	if f := w.fileAt(path.Text, &c.context); f != nil {
		text = f.text
		before := w.enterSource(f)
		w.source.depth = -1
		defer func() { w.source = before }()
	} else if flow := w.pathFlow(path.Text); flow != nil {
		text = flowText(flow)
	} else {
		if path.Text != "/dev/null" && path.Text != "" {
			w.addProblem(shell.UnreadEffect(displayWords(c.words), "uses Git settings that checkrein did not read"))
		}
		return
	}
	if !w.spendBytes(len(text)) {
		return
	}
	for _, s := range gitconfig.ParseSettings(text) {
		if w.spendStep() {
			w.addGitSetting(c, s.FullKey(), shell.Word{Text: s.Value})
		}
	}
}

// gitFilters lists the options of git filter-branch whose values are commands.
const gitFilters = "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --tag-name-filter --parent-filter --setup"

// gitMailCommands lists the options of git send-email whose values are commands.
const gitMailCommands = "--sendmail-cmd --to-cmd --cc-cmd --header-cmd --smtp-server"

// walkGitOptions walks the commands in the options and arguments of git.
func (w wrappers) walkGitOptions(c *command) {
	args := c.words[1:]
	for i, a := range args {
		if text := shell.GitExtCommand(a.Text); text != "" {
			w.walkShellText(c, shell.Word{Text: text, From: a.From})
		}
		name, val, given := strings.Cut(a.Text, "=")
		text := shell.Word{Text: val, From: a.From}
		if !given && i+1 < len(args) {
			text = args[i+1]
		}
		if !given && i+1 >= len(args) {
			return
		}
		switch {
		case name == "--config-env":
			w.walkConfigEnv(c, text)
		case name == "--exec-path" && given:
			w.reportGitDir(c, "git --exec-path", text, "runs Git's programs from another directory")
		case name == "--template" && text.Text != "" && (argv.HasWord(args[:i], "clone") || argv.HasWord(args[:i], "init")):
			w.reportGitDir(c, "git --template", text, "gives the new repository hooks that checkrein did not read")
			if w.fileAt(strings.TrimSuffix(text.Text, "/")+"/hooks", &c.context) != nil {
				w.reportOpaque(displayWords(c.words), "runs hooks that this command writes and checkrein does not read")
			}
		case a.Text == "-c" || a.Text == "--config":
			key, val, _ := strings.Cut(text.Text, "=")
			w.walkGitSetting(c, strings.ToLower(key), shell.Word{Text: val, From: text.From})
		case a.Text == "foreach":
			rest := args[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
				rest = rest[1:]
			}
			if argv.HasWord(args[:i], "submodule") {
				w.walkShellText(c, expand.Join(rest, " "))
			}
			return
		case a.Text == "run":
			if argv.HasWord(args[:i], "bisect") {
				w.walkWords(c, args[i+1:])
				return
			}
		case (name == "-x" || name == "--exec") && argv.HasWord(args[:i], "rebase"), facts.InList(gitFilters, name) && argv.HasWord(args[:i], "filter-branch"):
			w.walkShellText(c, text)
		case facts.InList(gitMailCommands, name) && argv.HasWord(args[:i], "send-email") && (name != "--smtp-server" || strings.Contains(text.Text, "/")),
			name == "--authors-prog", a.Text == "-d" && argv.HasWord(args[:i], "instaweb"):
			w.walkValue(c, text)
		}
	}
}

// walkConfigEnv walks the git setting of --config-env=KEY=VARIABLE, whose value is that of the
// variable. text is KEY=VARIABLE.
func (w wrappers) walkConfigEnv(c *command, text shell.Word) {
	key, from, _ := strings.Cut(text.Text, "=")
	if v := w.st.lookupVariable(from); v != nil {
		w.walkGitSetting(c, strings.ToLower(key), v.Word)
	} else if shell.GitSettingCommand(key, "x") != "" {
		w.reportOpaque(displayWords(c.words), "makes Git run a command from a variable whose value is unknown")
	}
}

// reportGitDir reports that option makes git take programs from dir. why is the reason if dir is not
// one that everybody can write to.
func (w wrappers) reportGitDir(c *command, option string, dir shell.Word, why string) {
	if open := w.untrustedPathIn(c, dir, false, ""); open != "" {
		w.reportUnreadCode(c, option, open)
		return
	}
	w.addProblem(shell.UnreadEffect(displayWords(c.words), why))
}
