package binding

//go:generate go run ../../shell/argv/gen

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// An aim lists programs whose settings determine on which cluster, machine, account, registry or
// workspace they act, so that the same command may act on another one after `use-context`, for
// example. The settings are in files, and in files that variables name. An element of a path may be *.
type aim struct{ programs, files, variables string }

// settingsDigest returns a digest of what the program of e depends on besides its arguments: its
// settings and, if only its words show what it does, the files that it reads. It returns "" if there
// are none.
func settingsDigest(e *shell.Effect, p *shell.Place) string {
	var r fileDigests
	name, _, _ := strings.Cut(e.Words, " ")
	r.addSettings(path.Base(name), p)
	if plain, _ := parseRemoval(e); !plain && e.Subject == "" {
		r.addNamed(fileWords(e.Words), changedPaths(e, p), !dependsOnNames(e), p)
	}
	if e.Row().Pack == shell.PackGit && p.Repo != nil {
		return r.digest() + gitDigest(e, p.Repo(p.Dir))
	}
	return r.digest()
}

// namedFilesDigest returns a digest of the files that text, a call, names. It returns "" if the
// effects in all describe everything that the call does.
func namedFilesDigest(text string, all []study.PartReport, p *shell.Place) string {
	var about []string
	open, wide := false, false
	for i := range all {
		for k := range all[i].Report.Effects {
			e := &all[i].Report.Effects[k]
			open = open || e.Label == shell.Unknown || e.Uncertain || e.ContextBound
			wide = wide || e.Label != shell.Safe && !dependsOnNames(e)
			about = append(about, changedPaths(e, p)...)
		}
	}
	if !open {
		return ""
	}
	var r fileDigests
	r.addNamed(fileWords(text), about, wide, p)
	return "of " + r.digest()
}

// dependsOnNames reports whether the program of e depends only on the names of files, and not on
// settings in the directory where it runs.
func dependsOnNames(e *shell.Effect) bool {
	pack := e.Row().Pack
	return e.Label != shell.Unknown && (pack == shell.PackFilesystem || pack == shell.PackPermissions || pack == shell.PackGit)
}

// changedPaths returns the absolute paths that e changes or removes. They do not count as files that
// its program reads.
func changedPaths(e *shell.Effect, p *shell.Place) []string {
	if !dependsOnNames(e) {
		return nil
	}
	var out []string
	for _, path := range e.Paths {
		out = append(out, study.AbsFromDir(path, p))
	}
	return out
}
