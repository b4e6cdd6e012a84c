package classify

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// isContextBound reports whether the words, paths and hosts of e do not determine what c does, because
// they are truncated, or because variables, input, another directory, another machine or other
// privileges matter. Then only the very same command is known to do the same. c may be nil.
func isContextBound(e *shell.Effect, c *shell.Call) bool {
	if strings.HasSuffix(e.Words, "…") || len(e.Words) >= maxReason || strings.ContainsRune(e.Words, shell.Placeholder) {
		return true
	}
	switch {
	case c == nil:
		return false
	case isUnusualPath(c.Path):
		return true // it may be another program of that name
	case c.Wrapped:
		return true // the wrapper may change what it does
	case e.Subject != "":
		return len(c.Env) > 0 || c.Remote != "" || c.Elevated
	case onlyRemovesNamed(e, c): // unless on another machine, with other privileges, or by another program
		return c.Remote != "" || c.Elevated || len(c.Env) > 0
	}
	return hasOtherInputs(c) || slices.ContainsFunc(c.Args, isAmbiguous)
}

// isUnusualPath reports whether path names a program in a directory that is not one of systemDirs.
func isUnusualPath(path string) bool {
	return strings.ContainsAny(path, `/\`) && !slices.ContainsFunc(systemDirs[:], func(dir string) bool {
		name, ok := strings.CutPrefix(path, dir)
		return ok && !strings.ContainsAny(name, `/\`)
	})
}

// isForeign reports whether c runs on another machine or with other privileges, may be another program
// than its name suggests, or runs a program that a variable names.
func isForeign(c *shell.Call) bool {
	return c != nil && (c.Remote != "" || c.Elevated || isUnusualPath(c.Path) || len(c.Env) > 0 && argv.HasProgramVar(c))
}

// isWrapped reports whether another program runs c, perhaps in another place. A command run by find or
// xargs, which by is then, is not wrapped: it runs where they do, and their words and input determine it.
func isWrapped(c, by *shell.Call) bool {
	if c == nil || !c.Wrapped {
		return false
	}
	if by == nil || c.Depth <= by.Depth {
		return true
	}
	isFind := program.FilesOf(by.Name) == program.FilesFind || program.FilesOf(by.Name) == program.FilesFd
	return !isFind && (by.Wrapped || program.RunsOf(by.Name) != program.RunsXargs)
}

// systemDirs lists the usual directories for installed programs.
var systemDirs = [...]string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"}

// onlyRemovesNamed reports whether c is an rm that only removes files which it names literally, so
// that the paths of e are complete.
func onlyRemovesNamed(e *shell.Effect, c *shell.Call) bool {
	return e.Kind == "delete" && len(e.Paths) > 0 && program.FilesOf(c.Name) == program.FilesRm && !slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return w.Glob || strings.ContainsAny(w.Text, "*?[{") || w.Text != "" && w.Text[0] == '-' && strings.ContainsAny(w.Text, " \t\n")
	})
}

// isAmbiguous reports whether w cannot be told apart from other words in the text of a call: 'a b'
// looks like a b, and '*' like *.
func isAmbiguous(w shell.Word) bool {
	return w.Text == "" || w.Glob || strings.ContainsAny(w.Text, " \t\r\n*?[{")
}

// hasOtherInputs reports whether anything besides its words determines what c does.
func hasOtherInputs(c *shell.Call) bool {
	return len(c.Env) > 0 || c.In != nil || c.Remote != "" || c.Dir != "" || c.Elevated || len(c.Files) > 0 || hasInputRedirect(c)
}

// A commandText is the text of a command, and whether it may change state. That is determined once,
// and only if it matters.
type commandText struct {
	text       string
	seen, sets bool
}

// changesState reports whether the current text may change what its calls depend on; see
// mayChangeState.
func (r *classifier) changesState() bool {
	if s := &r.source; !s.seen {
		s.seen, s.sets = true, mayChangeState(s.text)
	}
	return r.source.sets
}

// mayChangeState reports whether text may change what its calls depend on, such as variables. An
// assignment, for example, leaves no trace in the calls.
func mayChangeState(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c <= ' ' || strings.ContainsRune(";&|()`{}'\"", c) }) {
		switch word {
		case "export", "declare", "typeset", "readonly", "local", "unset", "set", "hash", "enable", "source", ".", "eval", "alias", "read", "mapfile", "readarray", "printf", "for", "select", "while", "until", "trap", "direnv", "mise", "asdf":
			return true
		}
		name, _, ok := strings.Cut(word, "=")
		if ok && name != "" && strings.Trim(strings.TrimSuffix(name, "+"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" {
			return true
		}
	}
	return false
}

// hasInputRedirect reports whether c has an input redirection.
func hasInputRedirect(c *shell.Call) bool {
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<") {
			return true
		}
	}
	return false
}

// noteTouchedPacks records the packs of the safe effects from index from on. The call with these
// effects may have chosen what later calls act on, as docker context use does.
func (r *classifier) noteTouchedPacks(from int) {
	for i := range r.effects[from:] {
		if e := &r.effects[from+i]; e.Label == shell.Safe {
			r.touchedPacks |= 1 << e.Row().Pack
		}
	}
}

// dependsOnEarlierCall reports whether an earlier call may have chosen what e acts on. A push with a
// subject is exempt: its destination comes from the repository's files, which are dropped if they may
// have changed.
func (r *classifier) dependsOnEarlierCall(e *shell.Effect) bool {
	pack := e.Row().Pack
	return r.touchedPacks&(1<<pack) != 0 && len(e.Paths) == 0 && (pack != shell.PackGit || e.Subject == "")
}
