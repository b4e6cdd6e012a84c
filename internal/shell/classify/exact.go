package classify

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// tellsNotAll reports whether the words, paths and hosts of an effect leave open
// what a call does: they are cut short, or variables, input, another directory,
// another machine or other rights have a say. Then only the very same command does
// the same.
func tellsNotAll(e *shell.Effect, c *shell.Call) bool {
	if strings.HasSuffix(e.Words, "…") || len(e.Words) >= maxReason || strings.ContainsRune(e.Words, shell.Placeholder) {
		return true
	}
	switch {
	case c == nil:
		return false
	case strange(c.Path):
		return true // it only has the name
	case c.Wrapped:
		return true // who runs it may have a say
	case e.Subject != "":
		return len(c.Env) > 0 || c.Remote != "" || c.Elevated
	case takesAway(e, c): // of another machine, with other rights, by another program
		return c.Remote != "" || c.Elevated || len(c.Env) > 0
	}
	return leavesOpen(c) || slices.ContainsFunc(c.Args, blurred)
}

// strange reports whether a program is named by a path that is none of the system's.
func strange(path string) bool {
	return strings.ContainsAny(path, `/\`) && !slices.ContainsFunc(systemDirs[:], func(dir string) bool {
		name, ok := strings.CutPrefix(path, dir)
		return ok && !strings.ContainsAny(name, `/\`)
	})
}

// away reports whether a call runs on another machine or with other rights, or may be
// another program than its name says, or run one that a variable names. What find runs is what its words say.
func away(c, by *shell.Call) bool {
	if c == nil {
		return false
	}
	found := by != nil && c.Depth > by.Depth && (program.FilesOf(by.Name) == program.FilesFind || program.FilesOf(by.Name) == program.FilesFd)
	return c.Remote != "" || c.Elevated || c.Wrapped && !found || strange(c.Path) || len(c.Env) > 0 && argv.HasProgramVar(c)
}

var systemDirs = [...]string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"}

// takesAway reports whether a call only takes away the files that it names, each by its
// own name, so that the paths of the effect say all.
func takesAway(e *shell.Effect, c *shell.Call) bool {
	return e.Kind == "delete" && len(e.Paths) > 0 && program.FilesOf(c.Name) == program.FilesRm && !slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return w.Glob || strings.ContainsAny(w.Text, "*?[{") || w.Text != "" && w.Text[0] == '-' && strings.ContainsAny(w.Text, " \t\n")
	})
}

// blurred reports whether a word looks like others where several are written in one
// line: 'a b' like a b, and '*' like *.
func blurred(w shell.Word) bool {
	return w.Text == "" || w.Glob || strings.ContainsAny(w.Text, " \t\r\n*?[{")
}

// leavesOpen reports whether more than the words of a call decides what it does.
func leavesOpen(c *shell.Call) bool {
	return len(c.Env) > 0 || c.In != nil || c.Remote != "" || c.Dir != "" || c.Elevated || len(c.Files) > 0 || isFed(c)
}

// A source is a text, and whether it sets things: that is looked at once, and only
// when it matters.
type source struct {
	text       string
	seen, sets bool
}

func (r *run) sets() bool {
	if s := &r.source; !s.seen {
		s.seen, s.sets = true, setsThings(s.text)
	}
	return r.source.sets
}

// setsThings reports whether a command may change what its calls go by: an
// assignment leaves no trace in them.
func setsThings(text string) bool {
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

// isFed reports whether a call reads what the command gives it.
func isFed(c *shell.Call) bool {
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<") {
			return true
		}
	}
	return false
}

// stir notes the packs whose things a call has touched without a loss: it may have
// chosen what later calls are about, as docker context use does.
func (r *run) stir(from int) {
	for i := range r.effects[from:] {
		if e := &r.effects[from+i]; e.Label == shell.Safe {
			r.steps |= 1 << e.Row().Pack
		}
	}
}

// stirred reports whether an earlier call may have chosen what an effect is about.
// The files of a repository say where pushes go, and are not asked any more when
// that may have changed.
func (r *run) stirred(e *shell.Effect) bool {
	pack := e.Row().Pack
	return r.steps&(1<<pack) != 0 && len(e.Paths) == 0 && (pack != shell.PackGit || e.Subject == "")
}
