package classify

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// WithFiles returns the report on a command and the files that it runs. unread is the report without
// the files, and read the report with them.
//
// Files that the session wrote count like the command itself. Other files belong to the project, and
// of their effects only those count that certainly send data or lose something outside the project:
// people clean up in their own scripts, and use variables that are unknown here. The result is never
// more harmless than unread.
func WithFiles(unread, read shell.Report, p *shell.Place) shell.Report {
	var more []shell.Effect
	for i := range read.Effects {
		e := &read.Effects[i]
		if !mayWorsenReport(e) || slices.ContainsFunc(unread.Effects, func(o shell.Effect) bool { return sameEffect(&o, e) }) {
			continue
		}
		effect := *e
		if s := e.Source; s != nil {
			effect.Reason = sourceText(s, p) + ": " + e.Reason
		}
		more = append(more, effect)
	}
	if len(more) == 0 {
		return unread
	}
	return shell.NewReport(append(more, unread.Effects...), unread.Gaps)
}

// mayWorsenReport reports whether e, an effect of a file that a command runs, may make the report on
// the command worse.
func mayWorsenReport(e *shell.Effect) bool {
	switch {
	case e.Label == shell.Safe:
		return false
	case e.Source != nil && e.Source.Own:
		return true
	}
	far := e.Label == shell.Exfiltration || e.Label == shell.Destructive && e.Impact == shell.ImpactHigh
	// A script with .. in its paths is probably meant to be started in another directory.
	return far && !e.Uncertain && !strings.ContainsRune(e.Words, shell.Placeholder) && !strings.Contains(e.Words, "..") && e.Row().Pack != shell.PackDatabases &&
		!slices.ContainsFunc(e.Paths, func(path string) bool { return strings.ContainsRune(path, shell.Placeholder) })
}

// sourceText returns the path of s, relative to the directory of p if it is below that, and its line
// if it is known.
func sourceText(s *shell.Source, p *shell.Place) string {
	name := s.Path
	if rel, err := filepath.Rel(p.Dir, name); p.Dir != "" && err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	if s.Line > 0 {
		name += " line " + strconv.Itoa(s.Line)
	}
	return name
}
