package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// harmlessCategory returns shell.Help or shell.DryRun if the call changes nothing because it prints
// help or does a dry run. It returns shell.NoCategory otherwise.
func (r *reading) harmlessCategory() shell.Category {
	if len(r.Flags) == 0 && len(r.Words) == r.Extra {
		return shell.NoCategory
	}
	if r.onlyPrintsVersion() || r.onlyPrintsHelp() {
		return shell.Help
	}
	if r.Row.Real || r.Sub != nil && r.Sub.Real {
		return shell.NoCategory
	}
	if !r.hasRules() && r.rulesFor(r.Call.Name) == "" {
		return shell.NoCategory
	}
	if r.Has("--dry-run") == yes || r.Has("--dryrun") == yes || r.hasAnyFlag(r.Row.Dry) ||
		r.Sub != nil && r.hasAnyFlag(r.Sub.Dry) || r.Sub2 != nil && r.hasAnyFlag(r.Sub2.Dry) {
		return shell.DryRun
	}
	return shell.NoCategory
}

// hasAnyFlag reports whether the call has one of the flags in list, which is separated by spaces.
func (r *reading) hasAnyFlag(list string) bool { return list != "" && r.matchAny(list, ' ') == yes }

// onlyPrintsVersion reports whether the only argument makes the program print its version or its help.
// A program that is called by its path may interpret --version in any way, so it must have a row or
// rules.
func (r *reading) onlyPrintsVersion() bool {
	if strings.ContainsRune(r.Call.Path, '/') && !r.Row.IsListed() && !r.hasRules() {
		return false
	}
	if len(r.Call.Args) != 1 {
		return false
	}
	switch r.Call.Args[0].Text {
	case "--version", "-V", "-version":
		return true
	case "--help":
		return r.hasRules()
	case "-v", "version":
		return r.Row.IsListed()
	}
	return false
}

// onlyPrintsHelp reports whether the call only prints help. The program must have a row or rules. A
// help flag counts only with subcommands and harmless flags, because an option or operand before it
// may act, and a runner passes it on.
func (r *reading) onlyPrintsHelp() bool {
	if !r.Row.IsListed() && !r.hasRules() {
		return false
	}
	if r.hasOnlyHelpFlag() {
		return true
	}
	if !r.Row.Subs || len(r.Words) <= r.Extra {
		return false
	}
	return r.Words[r.Extra].Text == "help"
}

// hasOnlyHelpFlag reports whether the call consists of the program, subcommands, flags without a
// value, and a help flag as the first or last argument.
func (r *reading) hasOnlyHelpFlag() bool {
	args := r.Call.Args
	if len(args) == 0 || len(args) > 6 || len(r.Call.Env) > 0 {
		return false
	}
	words := args[1:]
	if first := args[0].Text; first != "--help" && !r.isHelpFlag(first) {
		words = args[:len(args)-1]
		if last := args[len(args)-1].Text; last != "--help" && !r.isHelpFlag(last) {
			return false
		}
	}
	if len(words) > 0 && !r.Row.Subs {
		return false
	}
	for i, w := range words {
		if len(w.From) > 0 || w.Glob || !r.isPassiveWord(w.Text) {
			return false
		}
		switch w.Text {
		case "run", "exec", "x", "dlx", "tool", "script", "eval", "foreach", "start", "test":
			if i+1 < len(words) {
				return false
			}
		}
	}
	return true
}

// isPassiveWord reports whether word has no effect beside --help, because it is a subcommand or a flag
// without a value.
func (r *reading) isPassiveWord(word string) bool {
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") != "" {
		return false
	}
	if word[0] != '-' {
		return true
	}
	for _, row := range [...]*program.Row{r.Row, r.Sub, r.Sub2} {
		if row != nil && strings.Contains(" "+row.Options+" ", " "+word+" ") {
			return false
		}
	}
	for _, part := range [...]string{"exec", "config", "command", "cmd", "eval", "script", "shell", "hook", "pager", "editor"} {
		if strings.Contains(word, part) {
			return false
		}
	}
	return strings.HasPrefix(word, "--") && word != "--"
}

// isHelpFlag reports whether flag is one of the help flags in the rows of the program and its
// subcommands.
func (r *reading) isHelpFlag(flag string) bool {
	for _, row := range [...]*program.Row{r.Row, r.Sub, r.Sub2} {
		if row == nil {
			continue
		}
		for f := range strings.FieldsSeq(row.Help) {
			if f == flag {
				return true
			}
		}
	}
	return false
}
