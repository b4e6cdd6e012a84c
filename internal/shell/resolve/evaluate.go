package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// hooked walks a variable whose value the shell runs or expands by itself.
func (w *walker) hooked(name string) {
	if argv.RunsProgram(name) || argv.IsToolchain(name) || argv.FlaggedBy(name) != nil || argv.ClearsBy(name) {
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
		w.expandAgain(v.Word.Text)
	case "PROMPT_COMMAND":
		list := v.List
		if !v.Array {
			list = []shell.Word{v.Word}
		}
		for _, word := range list {
			// What was in it before is the user's own.
			w.text(strings.ReplaceAll(word.Text, placeholder, ":"))
		}
	}
}

// runsByItself reports whether a shell calls a function of this name without
// being told to.
func runsByItself(name string) bool {
	switch name {
	case "command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd", "zshexit", "periodic":
		return true
	}
	return false
}

// completes walks compgen and complete, which run commands to find words, now or later.
func (w *walker) completes(c *command, now bool) {
	w.emitCall(c)
	args := c.words[1:]
	for i := 0; i+1 < len(args); i++ {
		next := args[i+1]
		switch args[i].Text {
		case "-C":
			// The program that completes is most often named without more.
			if now || strings.ContainsAny(next.Text, " \t\n;|&$`<>") {
				w.handed(c, next)
			}
		case "-W":
			w.expandAgain(next.Text)
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

// binds handles bind, which ties commands to keys that are not read.
func (w *walker) binds(c *command) {
	w.emitCall(c)
	if slices.ContainsFunc(c.words, func(a shell.Word) bool {
		_, text, _ := strings.Cut(a.Text, `":`)
		return a.Text == "-x" || strings.HasPrefix(strings.TrimSpace(text), `"`) // a macro types its text
	}) {
		w.reportOpaque(displayWords(c.words), "ties a command to a key")
	}
}

// refill handles fc, which hands earlier commands to an editor.
func (w *walker) refill(c *command) {
	w.emitCall(c)
	if !slices.ContainsFunc(c.words[1:], func(a shell.Word) bool { return strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "l") }) {
		w.reportOpaque(displayWords(c.words), "runs earlier commands again")
	}
}

// exported walks a variable that a shell takes for a function: BASH_FUNC_x%%, or
// a value that begins as one, behind which old shells went on reading.
func (w *walker) exported(name, val string) {
	if !strings.HasPrefix(val, "() {") {
		return
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "BASH_FUNC_"), "%%")
	if strings.ContainsAny(name, " \t\n;|&$`<>(){}") {
		return
	}
	w.text(name + " " + val)
}

// timeProgram walks time with flags that only the program of that name has.
func (w *walker) timeProgram(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 0 || !strings.HasPrefix(call.Args[0].Lit(), "-") {
		return false
	}
	cmd := w.newCommand()
	cmd.words = w.Words([]shell.Word{{Text: "time"}}, call.Args)
	if len(s.Redirs) > 0 {
		w.walkRedirects(&cmd, s.Redirs)
	}
	w.resolveCommand(cmd)
	return true
}
