package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An absence is a path at which a test found nothing before a command runs, as in test -e x || cp a x.
type absence struct {
	path  string // full; "" = none
	depth int    // the depth of the command
}

// absenceAfter returns the path at which nothing exists after s, if s is a test that was just walked and
// succeeded (passed) or failed.
func (w *walker) absenceAfter(s *syntax.Stmt, passed bool) absence {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(w.calls) == 0 || !isPlainStmt(s) {
		return absence{}
	}
	c := w.calls[len(w.calls)-1]
	if !program.Is(c.Name, program.IsFileTest) {
		return absence{}
	}
	args := c.Args
	if last := len(args) - 1; last >= 0 && args[last].Text == "]" {
		args = args[:last]
	}
	if s.Negated {
		passed = !passed
	}
	if len(args) > 0 && args[0].Text == "!" {
		args, passed = args[1:], !passed
	}
	if passed || len(args) != 2 || !args[1].IsKnown() || args[1].Glob || isStream(args[1].Text) || w.st.remote != "" || len(w.st.altDirs) > 0 {
		return absence{}
	}
	path := w.fullPath(args[1].Text, &w.st.context)
	switch args[0].Text {
	case "-e":
	case "-f", "-s":
		// A directory is no file, either, and something may be lost in it.
		if w.place.Kind == nil || strings.HasPrefix(path, "/dev/") || w.place.Kind(path) == shell.PathDir {
			return absence{}
		}
	default:
		return absence{}
	}
	return absence{path, w.depth}
}

// absentNames returns the words of call, seen from at, that name the path at which nothing exists.
func (w *fileTable) absentNames(call *shell.Call, at *context) (names []string) {
	add := func(word *shell.Word) {
		if word.IsKnown() && !word.Glob && w.fullPath(word.Text, at) == w.absent.path && !slices.Contains(names, word.Text) {
			names = append(names, word.Text)
		}
	}
	for i := range min(len(call.Args), maxVars) {
		add(&call.Args[i])
	}
	for i := range call.Redir {
		add(&call.Redir[i].Target)
	}
	return names
}
