package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkMake walks the variables that make gets from its arguments and its environment. SHELL runs every
// recipe, and $(shell x) runs x. Other variables are used in recipes; those that name programs begin
// commands there.
func (w wrappers) walkMake(c *command) {
	w.emitCall(c)
	var flags shell.Word
	for _, a := range c.words[1:] {
		name, val, ok := strings.Cut(a.Text, "=")
		if !ok || name == "" || strings.HasPrefix(name, "-") {
			continue
		}
		if strings.TrimRight(name, ":?+") == ".SHELLFLAGS" {
			flags = shell.Word{Text: val, From: a.From}
			continue
		}
		if strings.HasSuffix(name, "!") {
			w.walkShellText(c, shell.Word{Text: val, From: a.From})
			continue
		}
		w.walkMakeVariable(c, strings.TrimRight(name, ":?+"), shell.Word{Text: val, From: a.From})
	}
	if slices.ContainsFunc(strings.Fields(flags.Text), func(f string) bool { return f != "pipefail" && strings.Trim(f, "-ceuox") != "" }) {
		w.reportOpaque(displayWords(c.words), "runs recipes in a shell with other options")
	}
	for i := range c.env {
		if v := &c.env[i]; argv.OptionsVarOf(v.Name) == nil || strings.Contains(v.Value.Text, "$(shell ") {
			w.walkMakeVariable(c, v.Name, v.Value)
		}
	}
}

// walkMakeVariable walks val, the value of the make variable name, if it contains commands.
func (w wrappers) walkMakeVariable(c *command, name string, val shell.Word) {
	if strings.Contains(val.Text, "$(shell ") {
		w.reportOpaque(displayWords(c.words), "runs a command in a make variable, which checkrein does not read")
	}
	switch {
	case argv.IsToolchainVar(name):
		w.walkValue(c, val)
	case strings.ContainsAny(val.Text, ";&|`\n") || strings.Contains(val.Text, "$$("):
		// The value is used inside a recipe line, where a command follows each separator.
		val.Text = ": " + strings.ReplaceAll(val.Text, "$$", "$")
		if w.isShellText(val.Text) {
			w.walkValue(c, val)
		}
	}
}

// unwrapCmake walks cmake: the commands of cmake -E, definitions whose values are commands, and
// commands in its arguments. The result is that of [walker.resolveNext].
func (w wrappers) unwrapCmake(c *command) bool {
	args := c.words[1:]
	if len(args) > 1 && args[0].Text == "-E" {
		return w.unwrapCmakeTool(c, args[1:])
	}
	w.emitCall(c)
	for i := range args {
		t := args[i].Text
		switch {
		case strings.HasPrefix(t, "-D"):
			def := t[2:]
			if def == "" && i+1 < len(args) {
				def = args[i+1].Text
			}
			name, val, _ := strings.Cut(def, "=")
			name, _, _ = strings.Cut(name, ":")
			if strings.HasPrefix(name, "CMAKE_") && (argv.IsToolchainVar(name) || isCmakeCommandVar(name)) || strings.HasPrefix(name, "RULE_LAUNCH_") {
				w.walkValue(c, shell.Word{Text: cmakeCommand(val), From: args[i].From})
			}
		case t == "-P" && i+1 < len(args):
			if w.pathFlow(args[i+1].Text) != nil || args[i+1].Text == "/dev/stdin" {
				w.reportOpaque(displayWords(c.words), "runs a script that checkrein does not read")
			}
		case (t == "--test-command" || t == "--build-makeprogram") && i+1 < len(args):
			w.walkWords(c, args[i+1:])
		}
	}
	for i := range c.env {
		if v := &c.env[i]; strings.HasPrefix(v.Name, "CMAKE_") && isCmakeCommandVar(v.Name) {
			w.walkValue(c, shell.Word{Text: cmakeCommand(v.Value.Text), From: v.Value.From})
		}
	}
	return true
}

// cmakeCommand returns val, a value of CMake, as the text of a command. The semicolons of a CMake list
// become spaces between quoted words.
func cmakeCommand(val string) string {
	if strings.Contains(val, ";") && !strings.HasSuffix(val, ";") {
		return argv.QuoteList(val, ";")
	}
	return val
}

// isCmakeCommandVar reports whether the value of the CMake definition name is a command.
func isCmakeCommandVar(name string) bool {
	for _, end := range [...]string{"_LAUNCHER", "_COMPILER", "_LAUNCH_COMPILE", "_LAUNCH_LINK", "_LAUNCH_CUSTOM", "_EMULATOR", "_CLANG_TIDY", "_CPPCHECK", "_CPPLINT", "_WHAT_YOU_USE", "_MAKE_PROGRAM", "_LINKER", "_AR", "_RANLIB"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// unwrapCmakeTool replaces cmake -E ARGS by the equivalent shell command. The result is that of
// [walker.resolveNext].
func (w wrappers) unwrapCmakeTool(c *command, args []shell.Word) bool {
	as := ""
	switch args[0].Text {
	case "env", "time":
		c.words, c.skipFunctions = append([]shell.Word{{Text: args[0].Text}}, args[1:]...), true
		return false
	case "chdir":
		if len(args) > 2 {
			c.dir = w.fullPath(args[1].Text, &c.context)
			c.words, c.skipFunctions = args[2:], true
			return false
		}
	case "rm", "remove":
		as = "rm"
	case "remove_directory":
		as = "rm -rf"
	case "copy", "copy_if_different", "copy_if_newer":
		as = "cp"
	case "copy_directory", "copy_directory_if_different":
		as = "cp -r"
	case "rename":
		as = "mv"
	case "tar":
		as = "tar"
	case "touch", "touch_nocreate":
		as = "touch"
	case "create_symlink":
		as = "ln -sf"
	case "create_hardlink":
		as = "ln -f"
	case "make_directory":
		as = "mkdir -p"
	}
	if as == "" {
		w.emitCall(c)
		return true
	}
	var words []shell.Word
	for word := range strings.FieldsSeq(as) {
		words = append(words, shell.Word{Text: word})
	}
	c.words, c.skipFunctions = append(words, args[1:]...), true
	return false
}

// walkCargo walks Cargo settings that are commands, such as --config 'target.x.runner="y"'.
func (w wrappers) walkCargo(c *command) {
	w.emitCall(c)
	argv.EachSimpleOptionValue(c.words[1:], "--config", func(text shell.Word) {
		name, val, ok := strings.Cut(text.Text, "=")
		if !ok {
			return
		}
		name = strings.Trim(strings.TrimSpace(name), `"'`)
		switch last := name[strings.LastIndexByte(name, '.')+1:]; last {
		case "runner", "linker", "rustc", "rustdoc", "rustc-wrapper", "rustc-workspace-wrapper":
			w.walkValue(c, shell.Word{Text: configValueCommand(val), From: text.From})
		}
	})
}

// configValueCommand returns val, a TOML or JSON value, as the text of a command: a string without its
// quotes, or the elements of a list quoted for a shell.
func configValueCommand(val string) string {
	val = strings.TrimSpace(val)
	list, ok := strings.CutPrefix(val, "[")
	if !ok {
		if len(val) > 1 && (val[0] == '"' || val[0] == '\'') && val[len(val)-1] == val[0] {
			inner := val[1 : len(val)-1]
			if val[0] == '"' {
				inner = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
			}
			return inner
		}
		return val
	}
	var b strings.Builder
	for _, word := range argv.SplitWords(shell.Word{Text: strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(list, "]"), `",`, `" `), `',`, `' `)}) {
		b.WriteString(expand.Quote(word.Text) + " ")
	}
	return b.String()
}
