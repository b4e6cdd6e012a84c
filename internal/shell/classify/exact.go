package classify

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// isContextBound reports whether the words, paths and hosts of an effect do not determine what a call
// does: they are truncated, or variables, input, another directory, another machine or other
// privileges matter. Then only the very same command does the same.
func isContextBound(e *shell.Effect, c *shell.Call) bool {
	if strings.HasSuffix(e.Words, "…") || len(e.Words) >= maxReason || strings.ContainsRune(e.Words, shell.Placeholder) {
		return true
	}
	switch {
	case c == nil:
		return false
	case isUnusualPath(c.Path):
		return true // it only has the name
	case c.Wrapped:
		return true // who runs it may have a say
	case e.Subject != "":
		return len(c.Env) > 0 || c.Remote != "" || c.Elevated
	case onlyRemovesNamed(e, c): // of another machine, with other rights, by another program
		return c.Remote != "" || c.Elevated || len(c.Env) > 0
	}
	return hasOtherInputs(c) || slices.ContainsFunc(c.Args, isAmbiguous)
}

// isUnusualPath reports whether a program is named by a path outside the system's directories.
func isUnusualPath(path string) bool {
	return strings.ContainsAny(path, `/\`) && !slices.ContainsFunc(systemDirs[:], func(dir string) bool {
		name, ok := strings.CutPrefix(path, dir)
		return ok && !strings.ContainsAny(name, `/\`)
	})
}

// isForeign reports whether a call runs on another machine or with other privileges, may be another
// program than its name suggests, or runs one that a variable names. Commands that find runs are
// determined by its words.
func isForeign(c, by *shell.Call) bool {
	if c == nil {
		return false
	}
	found := by != nil && c.Depth > by.Depth && (program.FilesOf(by.Name) == program.FilesFind || program.FilesOf(by.Name) == program.FilesFd)
	return c.Remote != "" || c.Elevated || c.Wrapped && !found || isUnusualPath(c.Path) || len(c.Env) > 0 && argv.HasProgramVar(c)
}

var systemDirs = [...]string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"}

// onlyRemovesNamed reports whether a call only removes the files that it names literally, so that the
// paths of the effect are complete.
func onlyRemovesNamed(e *shell.Effect, c *shell.Call) bool {
	return e.Kind == "delete" && len(e.Paths) > 0 && program.FilesOf(c.Name) == program.FilesRm && !slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return w.Glob || strings.ContainsAny(w.Text, "*?[{") || w.Text != "" && w.Text[0] == '-' && strings.ContainsAny(w.Text, " \t\n")
	})
}

// isAmbiguous reports whether a word looks like others when several are written on one line: 'a b'
// like a b, and '*' like *.
func isAmbiguous(w shell.Word) bool {
	return w.Text == "" || w.Glob || strings.ContainsAny(w.Text, " \t\r\n*?[{")
}

// hasOtherInputs reports whether more than the words of a call determines what it does.
func hasOtherInputs(c *shell.Call) bool {
	return len(c.Env) > 0 || c.In != nil || c.Remote != "" || c.Dir != "" || c.Elevated || len(c.Files) > 0 || hasInputRedirect(c)
}

// A source is a text, and whether it changes state: that is determined once, and only if it matters.
type source struct {
	text       string
	seen, sets bool
}

func (r *classifier) changesState() bool {
	if s := &r.source; !s.seen {
		s.seen, s.sets = true, mayChangeState(s.text)
	}
	return r.source.sets
}

// mayChangeState reports whether a command may change what its calls depend on: an assignment leaves
// no trace in them.
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

// hasInputRedirect reports whether a call reads what the command gives it.
func hasInputRedirect(c *shell.Call) bool {
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<") {
			return true
		}
	}
	return false
}

// noteTouchedPacks records the packs for which a call had a harmless effect: it may have chosen what
// later calls are about, as docker context use does.
func (r *classifier) noteTouchedPacks(from int) {
	for i := range r.effects[from:] {
		if e := &r.effects[from+i]; e.Label == shell.Safe {
			r.touchedPacks |= 1 << e.Row().Pack
		}
	}
}

// isTouched reports whether an earlier call may have chosen what an effect is about. The files of a
// repository determine where pushes go, and are no longer used if that may have changed.
func (r *classifier) isTouched(e *shell.Effect) bool {
	pack := e.Row().Pack
	return r.touchedPacks&(1<<pack) != 0 && len(e.Paths) == 0 && (pack != shell.PackGit || e.Subject == "")
}
