package classify

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// WithFiles returns what a command does together with the files that it runs: unread is the report
// without them, read the report with them.
//
// Files that the session wrote count like the command itself. Of others, which belong to the project,
// only what is surely sent, or lost beyond the project, counts: people clean up in their own scripts,
// and use variables that are unknown here, and neither is asked about. No file makes a command more
// harmless than it is without it.
func WithFiles(unread, read shell.Report, p *shell.Place) shell.Report {
	var more []shell.Effect
	for i := range read.Effects {
		e := &read.Effects[i]
		if !mayRaise(e) || slices.ContainsFunc(unread.Effects, func(o shell.Effect) bool { return sameEffect(&o, e) }) {
			continue
		}
		told := *e
		if s := e.Source; s != nil {
			told.Reason = sourceText(s, p) + ": " + e.Reason
		}
		more = append(more, told)
	}
	if len(more) == 0 {
		return unread
	}
	return shell.NewReport(append(more, unread.Effects...), unread.Gaps)
}

// mayRaise reports whether what a file does may make the verdict about the command worse.
func mayRaise(e *shell.Effect) bool {
	switch {
	case e.Label == shell.Safe:
		return false
	case e.Source != nil && e.Source.Own:
		return true
	}
	far := e.Label == shell.Exfiltration || e.Label == shell.Destructive && e.Impact == shell.ImpactHigh
	// A script that goes up from where it is is made to be started elsewhere.
	return far && !e.Uncertain && !strings.ContainsRune(e.Words, shell.Placeholder) && !strings.Contains(e.Words, "..") && e.Row().Pack != shell.PackDatabases &&
		!slices.ContainsFunc(e.Paths, func(path string) bool { return strings.ContainsRune(path, shell.Placeholder) })
}

// sourceText returns the file and the line of a source.
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
