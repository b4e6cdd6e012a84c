package binding

//go:generate go run ../../shell/argv/gen

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// An aim is programs whose own settings say which cluster, machine, account, registry
// or workspace they act on: the same words may mean another one after `use-context`.
// Variables name further files. A part of a path may be *.
type aim struct{ programs, files, variables string }

// aimOf is a digest of what an effect's program goes by beside its words: its own
// settings and, where only the words tell what it does, the files that it reads; "" =
// neither is there.
func aimOf(e *shell.Effect, p *shell.Place) string {
	var r readings
	name, _, _ := strings.Cut(e.Words, " ")
	r.settings(path.Base(name), p)
	if plain, _ := removal(e); !plain && e.On == "" {
		r.named(wordsIn(e.Words), touchedBy(e, p), !byNames(e), p)
	}
	if e.Row().Pack == shell.PackGit && p.Repo != nil {
		return r.sum() + gitAim(e, p.Repo(p.Dir))
	}
	return r.sum()
}

// namesOf is a digest of the files that the text of a call names, where its effects do
// not tell all that it does; "" = they do.
func namesOf(text string, all []study.PartReport, p *shell.Place) string {
	var about []string
	open, wide := false, false
	for i := range all {
		for k := range all[i].Report.Effects {
			e := &all[i].Report.Effects[k]
			open = open || e.Label == shell.Unknown || e.Maybe || e.Exact
			wide = wide || e.Label != shell.Safe && !byNames(e)
			about = append(about, touchedBy(e, p)...)
		}
	}
	if !open {
		return ""
	}
	var r readings
	r.named(wordsIn(text), about, wide, p)
	return "of " + r.sum()
}

// byNames reports whether an effect's program goes by the names of files, and by no
// settings in the directory where it runs.
func byNames(e *shell.Effect) bool {
	pack := e.Row().Pack
	return e.Label != shell.Unknown && (pack == shell.PackFilesystem || pack == shell.PackPermissions || pack == shell.PackGit)
}

// touchedBy are the paths that an effect changes or takes away: what lies there is told
// apart from what its program reads.
func touchedBy(e *shell.Effect, p *shell.Place) []string {
	if !byNames(e) {
		return nil
	}
	var out []string
	for _, path := range e.Paths {
		out = append(out, study.AbsFromDir(path, p))
	}
	return out
}
