package coverage

import (
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// Starts reports whether a hook may start programs at all.
func Starts(h *checkrein.Hook) bool {
	switch h.Run {
	case "command":
		return true
	case "builtin":
		return len(builtinCommand(h)) > 0
	}
	return false
}

// A Call is a program that a hook starts, and the first word that it gives it.
type Call struct{ Program, First string }

// Calls returns what a hook surely starts, as far as its own words tell: also behind
// wrappers such as env and timeout, and in the text that a shell is given. It looks at
// no file.
func Calls(h *checkrein.Hook) []Call {
	var t *resolve.Trace
	switch text, argv := textOf(h), argvOf(h); {
	case text != "":
		t = resolve.Follow(text, shell.Place{}, &resolve.Setting{})
	case len(argv) > 0:
		t = resolve.FollowWords(literal(argv), shell.Place{}, &resolve.Setting{})
	default:
		return nil
	}
	var out []Call
	for i := range t.Starts {
		s := &t.Starts[i]
		if !s.Word.Known() || s.Call.Remote != "" {
			continue
		}
		c := Call{Program: s.Call.Path}
		if len(s.Call.Args) > 0 {
			c.First = s.Call.Args[0].Text
		}
		out = append(out, c)
	}
	return out
}

// literal are words without a shell.
func literal(argv []string) []shell.Word {
	words := make([]shell.Word, len(argv))
	for i, a := range argv {
		words[i] = shell.Word{Text: a, Quoted: true}
	}
	return words
}

// At is the place of hooks that run in a directory with the process's own environment.
func At(root string) Place {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // what needs it is not known
	}
	return Place{Root: root, Top: environ.Top(root), Home: home}
}

// Started returns the programs that a hook's own words start by a name with a slash,
// whether they are there or not. What an interpreter is given is not among them: it
// need not be executable.
func Started(h *checkrein.Hook, p Place, look *Look) []string {
	if folderOf(h) != "" {
		return nil
	}
	var out []string
	of(h, p, look, func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	})
	return out
}

// Files returns the files that a hook would run and that are there.
func Files(h *checkrein.Hook, p Place) []string {
	var look Look
	var out []string
	for _, part := range Of(h, p, &look).Parts {
		if look.Kind(part.Path) == Regular && !slices.Contains(out, part.Path) {
			out = append(out, part.Path)
		}
	}
	return out
}

// Runs is [Files] for a hook of the project at root; of the files of runners only
// those count that are read anyway.
func Runs(root string, h *checkrein.Hook) []string { return Files(h, At(strings.TrimSpace(root))) }
