package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// walkSpecialVariable walks the value of the variable name if the shell itself runs or expands it, as
// it does with PS1 and PROMPT_COMMAND. It also notes variables that change which programs others
// start.
func (w *walker) walkSpecialVariable(name string) {
	if argv.IsProgramVar(name) || argv.IsToolchainVar(name) || argv.OptionsVarOf(name) != nil || argv.IsClearedDirVar(name) {
		w.toolVars = true
		return
	}
	if name == "" || name[0] != 'P' && name[0] != 'R' {
		return
	}
	v := w.st.lookupVariable(name)
	if v == nil {
		return
	}
	switch name {
	case "PS0", "PS1", "PS2", "PS4", "PROMPT", "RPROMPT", "RPS1":
		w.walkReexpanded(v.Word.Text)
	case "PROMPT_COMMAND":
		list := v.List
		if !v.Array {
			list = []shell.Word{v.Word}
		}
		for _, word := range list {
			// A placeholder is the earlier value, which is the user's own.
			w.walkText(strings.ReplaceAll(word.Text, placeholder, ":"))
		}
	}
}

// isShellHook reports whether a shell itself calls functions with this name.
func isShellHook(name string) bool {
	switch name {
	case "command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd", "zshexit", "periodic":
		return true
	}
	return false
}

// walkComplete walks compgen and complete, which run commands to find completions: compgen now, and
// complete later.
func (w *walker) walkComplete(c *command, now bool) {
	w.emitCall(c)
	args := c.words[1:]
	for i := 0; i+1 < len(args); i++ {
		next := args[i+1]
		switch args[i].Text {
		case "-C":
			// It is usually the name of a completion program without arguments, which runs later.
			if now || strings.ContainsAny(next.Text, " \t\n;|&$`<>") {
				w.walkShellText(c, next)
			}
		case "-W":
			w.walkReexpanded(next.Text)
		case "-F":
			if f := w.st.lookupFunction(next.Text); f != nil {
				inner := *c
				inner.words, inner.redir = args[i+1:i+2], nil
				w.callFunction(f, &inner)
			}
		default:
			continue
		}
		i++
	}
}

// walkBind walks bind, which binds keys. It reports commands that are bound, and does not read them.
func (w *walker) walkBind(c *command) {
	w.emitCall(c)
	if slices.ContainsFunc(c.words, func(a shell.Word) bool {
		_, text, _ := strings.Cut(a.Text, `":`)
		return a.Text == "-x" || strings.HasPrefix(strings.TrimSpace(text), `"`) // a macro, which types its text
	}) {
		w.reportOpaque(displayWords(c.words), "binds a command to a key")
	}
}

// walkFc walks fc, which passes earlier commands to an editor and runs them.
func (w *walker) walkFc(c *command) {
	w.emitCall(c)
	if !slices.ContainsFunc(c.words[1:], func(a shell.Word) bool { return strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "l") }) {
		w.reportOpaque(displayWords(c.words), "runs earlier commands again")
	}
}

// walkExportedFunction walks the variable name if a shell imports its value val as a function, as with
// BASH_FUNC_x%%. Old shells also ran what follows the function in the value.
func (w *walker) walkExportedFunction(name, val string) {
	if !strings.HasPrefix(val, "() {") {
		return
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "BASH_FUNC_"), "%%")
	if strings.ContainsAny(name, " \t\n;|&$`<>(){}") {
		return
	}
	w.walkText(name + " " + val)
}

// resolveTimeProgram resolves s, the command after the keyword time, if it begins with a flag that
// only the program time accepts. Otherwise it reports false.
func (w *walker) resolveTimeProgram(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 0 || !strings.HasPrefix(call.Args[0].Lit(), "-") {
		return false
	}
	cmd := w.newCommand()
	cmd.words = w.ExpandWords([]shell.Word{{Text: "time"}}, call.Args)
	if len(s.Redirs) > 0 {
		w.walkRedirects(&cmd, s.Redirs)
	}
	w.resolveCommand(cmd)
	return true
}
