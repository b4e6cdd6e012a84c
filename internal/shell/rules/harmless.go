package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// harmless returns why a call changes nothing: "help" or "dry-run"; "" = it may.
func (r *reading) harmless() shell.Category {
	if len(r.Flags) == 0 && len(r.Words) == r.Extra {
		return shell.NoCategory
	}
	if r.onlyVersion() || r.isHelp() {
		return shell.Help
	}
	if r.Row.Real || r.Sub != nil && r.Sub.Real {
		return shell.NoCategory
	}
	if !r.known() && r.about(r.Call.Name) == "" {
		return shell.NoCategory
	}
	if r.Has("--dry-run") == yes || r.Has("--dryrun") == yes || r.own(r.Row.Dry) ||
		r.Sub != nil && r.own(r.Sub.Dry) || r.Sub2 != nil && r.own(r.Sub2.Dry) {
		return shell.DryRun
	}
	return shell.NoCategory
}

// own reports whether one of a program's own flags is given.
func (r *reading) own(list string) bool { return list != "" && r.any(list, ' ') == yes }

// onlyVersion reports whether the version is all that is asked for. A program
// that is named by its path may take --version for anything.
func (r *reading) onlyVersion() bool {
	if strings.ContainsRune(r.Call.Path, '/') && !r.Row.Listed() && !r.known() {
		return false
	}
	if len(r.Call.Args) != 1 {
		return false
	}
	switch r.Call.Args[0].Text {
	case "--version", "-V", "-version":
		return true
	case "--help":
		return r.known()
	case "-v", "version":
		return r.Row.Listed()
	}
	return false
}

// isHelp reports whether a call only prints help. --help ends a program that has a
// row, behind nothing but its subcommands: an option or operand before it may act,
// and what runs others hands it on.
func (r *reading) isHelp() bool {
	if !r.Row.Listed() && !r.known() {
		return false
	}
	if r.endsInHelp() {
		return true
	}
	if !r.Row.Subs || len(r.Words) <= r.Extra {
		return false
	}
	return r.Words[r.Extra].Text == "help"
}

// endsInHelp reports whether a call is the program, its subcommands, flags without
// a value and one for help.
func (r *reading) endsInHelp() bool {
	args := r.Call.Args
	if len(args) == 0 || len(args) > 6 || len(r.Call.Env) > 0 {
		return false
	}
	words := args[1:]
	if first := args[0].Text; first != "--help" && !r.helps(first) {
		words = args[:len(args)-1]
		if last := args[len(args)-1].Text; last != "--help" && !r.helps(last) {
			return false
		}
	}
	if len(words) > 0 && !r.Row.Subs {
		return false
	}
	for i, w := range words {
		if len(w.From) > 0 || w.Glob || !r.passive(w.Text) {
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

// passive reports whether a word beside --help does nothing: a subcommand, or a flag
// that takes no value.
func (r *reading) passive(word string) bool {
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

// helps reports whether a flag is one of the row's for help.
func (r *reading) helps(flag string) bool {
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
