package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A setting is a setting of a program that the text changes and that a later call may run, such as a
// git alias or a script of a package.
type setting struct {
	tool, name string
	value      shell.Word
}

// lookupSetting returns the latest setting name of tool, or nil if there is none.
func (w *shellModel) lookupSetting(tool, name string) *setting {
	for i := len(w.settings) - 1; i >= 0; i-- {
		if s := &w.settings[i]; s.tool == tool && s.name == name {
			return s
		}
	}
	return nil
}

// addSetting records that the text sets the setting name of tool to value.
func (w *shellModel) addSetting(tool, name string, value shell.Word) {
	switch {
	case name == "":
	case len(w.settings) >= maxVars:
		w.reportLimit()
	default:
		w.settings = append(w.settings, setting{tool, name, value})
	}
}

// walkGit walks git and the commands that git runs. It always returns true, since nothing is left to
// resolve.
func (w wrappers) walkGit(c *command) bool {
	args := c.words[1:]
	verb := argv.Options{Sub: "*", Short: "cC", Long: "--git-dir --work-tree --namespace --super-prefix --config-env"}
	at := argv.SubcommandIndex(args, &verb)
	if given := w.addGitSettings(c, args, at); given > 0 {
		defer func(n int) { w.settings = w.settings[:n] }(len(w.settings) - given)
	}
	if at >= 0 {
		if text := w.gitAlias(args[:at], args[at].Text); text != nil {
			w.addBareRedirects(c)
			w.walkGitAlias(c, text, args, at)
			return true
		}
		if args[at].Text == "config" {
			w.recordGitConfig(c, args[at+1:])
		}
	}
	w.emitCall(c)
	w.walkGitOptions(c)
	return true
}

// gitAlias returns the value of the git alias verb, set by -c in globals or earlier in the text. It
// returns nil if there is none.
func (w wrappers) gitAlias(globals []shell.Word, verb string) *shell.Word {
	for i := 0; i+1 < len(globals); i++ {
		if globals[i].Text != "-c" {
			continue
		}
		key, val, ok := strings.Cut(globals[i+1].Text, "=")
		if name, is := strings.CutPrefix(strings.ToLower(key), "alias."); ok && is && name == strings.ToLower(verb) {
			return &shell.Word{Text: val, From: globals[i+1].From}
		}
	}
	if len(w.settings) == 0 {
		return nil
	}
	switch verb {
	case "add", "commit", "push", "pull", "fetch", "status", "log", "diff", "checkout", "reset", "clean", "rebase", "merge", "branch", "stash", "tag", "show", "config", "remote", "clone", "init", "rm", "mv":
		return nil // git ignores aliases of its own commands
	}
	if s := w.lookupSetting("git", "alias."+strings.ToLower(verb)); s != nil {
		return &s.value
	}
	return nil
}

// walkGitAlias walks the command that alias, the value of the git alias args[at], stands for.
func (w wrappers) walkGitAlias(c *command, alias *shell.Word, args []shell.Word, at int) {
	var b strings.Builder
	text, isShell := strings.CutPrefix(alias.Text, "!")
	if !isShell {
		b.WriteString("git ")
		for i := 0; i < at; i++ {
			if i+1 < at && args[i].Text == "-c" && strings.HasPrefix(strings.ToLower(args[i+1].Text), "alias.") {
				i++
				continue
			}
			b.WriteString(expand.Quote(args[i].Text) + " ")
		}
	}
	b.WriteString(text)
	for _, a := range args[at+1:] {
		b.WriteString(" " + expand.Quote(a.Text))
	}
	if w.spendBytes(b.Len()) {
		w.walkShellText(c, shell.Word{Text: b.String(), From: alias.From})
	}
}

// recordGitConfig records the setting that git config KEY VALUE changes, and walks the command in it.
// args are the words after config.
func (w wrappers) recordGitConfig(c *command, args []shell.Word) {
	f := argv.FlagReader{Args: args, Options: &argv.Options{Short: "f", Long: "--file --blob --type --comment --value"}}
	rest := f.Operands()
	if len(rest) > 0 && rest[0].Text == "set" {
		f.Args = rest[1:]
		rest = f.Operands()
	}
	if len(rest) < 2 || argv.HasWord(args, "--unset") || argv.HasWord(args, "--get") || argv.HasWord(args, "--unset-all") {
		return
	}
	key, val := strings.ToLower(rest[0].Text), rest[1]
	w.addSetting("git", key, val)
	if strings.HasPrefix(key, "alias.") {
		return // an alias is walked when it is called
	}
	w.walkGitSetting(c, key, val)
}

// walkGh walks gh. The command of gh alias set counts as run when it is set.
func (w wrappers) walkGh(c *command) {
	w.emitCall(c)
	args := c.words[1:]
	if len(args) < 4 || args[0].Text != "alias" || args[1].Text != "set" {
		return
	}
	f := argv.FlagReader{Args: args[2:], Options: &argv.Options{}}
	rest := f.Operands()
	if len(rest) < 2 {
		return
	}
	text, isShell := strings.CutPrefix(rest[1].Text, "!")
	if !isShell && !argv.HasWord(args, "-s") && !argv.HasWord(args, "--shell") {
		text = "gh " + text
	}
	w.walkShellText(c, shell.Word{Text: text, From: rest[1].From})
}

// addToolVars appends to env the variables that make a program start another program or clear a
// directory.
func (w *shellModel) addToolVars(env []shell.Variable) []shell.Variable {
	for i := range w.st.vars {
		v := &w.st.vars[i]
		if v.Unset || v.Word.Text == "" || argv.IsHarmlessTool(v.Word.Text) {
			continue
		}
		if argv.IsProgramVar(v.Name) || (argv.IsToolchainVar(v.Name) || argv.OptionsVarOf(v.Name) != nil) && strings.ContainsAny(v.Word.Text, " /;&|`$") || argv.IsClearedDirVar(v.Name) {
			env = addVariable(env, v)
		}
	}
	return env
}

// addTrackedVars appends to env the exported variables that isTrackedVariable accepts. No check uses the
// others.
func (w *shellModel) addTrackedVars(env []shell.Variable) []shell.Variable {
	w.steps -= len(w.st.vars)
	var all []shell.Variable
	for i := range w.st.vars {
		v := &w.st.vars[i]
		if !isTrackedVariable(v) || !w.exportAll && v.Name != "HOME" && v.Name != "XDG_CONFIG_HOME" && !slices.Contains(w.exports, v.Name) {
			continue
		}
		w.steps -= len(w.exports) / 8
		all = addVariable(all, v)
		if len(all) >= maxVars {
			w.reportLimit()
			break
		}
	}
	if len(env) == 0 {
		return all
	}
	for i := range all {
		if !slices.ContainsFunc(env, func(v shell.Variable) bool { return v.Name == all[i].Name }) {
			env = append(env[:len(env):len(env)], all[i])
		}
	}
	return env
}

// addHostVars appends to env the variables that change what agents do, even if the text does not
// export them, because they may have been exported before.
func (w *shellModel) addHostVars(env []shell.Variable) []shell.Variable {
	w.steps -= len(w.st.vars)
	for i := range w.st.vars {
		if v := &w.st.vars[i]; !v.Unset && hostfiles.DescribeHijack(v.Name, v.Word.Text) != "" {
			env = addVariable(env, v)
		}
	}
	return env
}

// addMentionedVars returns the variables of call and the exported ones that its code mentions.
func (w *shellModel) addMentionedVars(call *shell.Call) []shell.Variable {
	env := call.Env
	w.steps -= len(w.st.vars)
	for i := range w.st.vars {
		v := &w.st.vars[i]
		if v.Unset || len(v.Name) == 0 || !w.exportAll && !slices.Contains(w.exports, v.Name) || !w.mentionsName(call, v.Name) {
			continue
		}
		if env = addVariable(env, v); len(env) >= maxVars {
			w.reportLimit()
			break
		}
	}
	return env
}

// mentionsName reports whether name occurs in the arguments, redirections or input of call.
func (w *shellModel) mentionsName(call *shell.Call, name string) bool {
	for i := range call.Args {
		if w.spendBytes(len(call.Args[i].Text)/16) && strings.Contains(call.Args[i].Text, name) {
			return true
		}
	}
	for i := range call.Redir {
		if w.spendBytes(len(call.Redir[i].Target.Text)/16) && strings.Contains(call.Redir[i].Target.Text, name) {
			return true
		}
	}
	return call.In != nil && w.spendBytes(len(call.In.Text)/16) && strings.Contains(call.In.Text, name)
}

// isTrackedVariable reports whether v holds the output of calls, redirects requests, names the home
// directory, or determines the repository and settings of git.
func isTrackedVariable(v *expand.Variable) bool {
	switch {
	case v.Name == "PATH":
		return false
	case len(v.Word.From) > 0, v.Name == "HOME" || v.Name == "XDG_CONFIG_HOME", strings.HasPrefix(v.Name, "GIT_") && !shell.IsHarmlessGitVar(v.Name), facts.IsServerVar(v.Name):
		return true
	}
	return false
}

// addVariable appends v to env unless env has a variable of the same name.
func addVariable(env []shell.Variable, v *expand.Variable) []shell.Variable {
	for i := range env {
		if env[i].Name == v.Name {
			return env
		}
	}
	return append(env[:len(env):len(env)], shell.Variable{Name: v.Name, Value: v.Word})
}

// addTargetVar appends v, which names what c acts on, to env unless env has it. Its value is unknown if
// only some branches set it, or if neither the text nor a wrapper of c exports it.
func (w *shellModel) addTargetVar(env []shell.Variable, c *command, v *expand.Variable) []shell.Variable {
	isSame := func(o expand.Variable) bool { return o.Name == v.Name }
	if len(v.Alts) == 0 && (w.exportAll || slices.Contains(w.exports, v.Name) || slices.ContainsFunc(c.savedVars, isSame)) {
		return addVariable(env, v)
	}
	return addVariable(env, &expand.Variable{Name: v.Name, Word: shell.Word{Text: placeholder}})
}
