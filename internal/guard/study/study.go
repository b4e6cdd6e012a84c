// Package study finds what a tool call does, whatever its tool is called: which commands,
// code and deletions are in it, in which directories they may run, and with what effect.
// One study of a call serves every builtin that asks about it.
package study

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/scriptfile"
)

// A Study is what one part of a call does, as it stands.
type Study struct {
	List  []Judged // without the files that it runs
	Read  []Judged // with them; nil = it runs none
	all   []Judged // both: see [classify.WithFiles]
	Reads []string // the files that it would run, as far as it names them itself
	Repos []string // the directories whose repositories it asked about
}

// studies are those of one event: several builtins ask about each of its parts, at the
// same time too, and so do denial memory and whoever binds a grant.
type studies struct {
	mu   sync.Mutex
	list []*oneStudy
}

// oneStudy is a study, or the wait for it.
type oneStudy struct {
	input           []byte // of the call; held, so that no other has its address
	text, dir, home string
	lang            string
	role            tools.Role
	once            sync.Once
	study           Study
}

type studiesKey struct{}

// Of is JudgePart, once for all who ask about the same call: first without the
// files that it runs, and where there may be some, with them.
func Of(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *Ground) Study {
	all, _ := at.Seen.Kept(studiesKey{}, func() any { return new(studies) }).(*studies)
	if all == nil || len(t.Input) == 0 {
		return newStudy(p, t, place, at)
	}
	one := all.of(p, t, place)
	if one == nil {
		return newStudy(p, t, place, at)
	}
	one.once.Do(func() { one.study = newStudy(p, t, place, at) })
	return one.study
}

// of finds the study of a part in a place, or makes room for it; nil = there is none left.
func (all *studies) of(p *tools.Part, t *checkrein.Tool, place *shell.Place) *oneStudy {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.list {
		if len(s.input) == len(t.Input) && &s.input[0] == &t.Input[0] && s.role == p.Role && s.lang == p.Lang && s.text == p.Text && s.dir == place.Dir && s.home == place.Home {
			return s
		}
	}
	if len(all.list) >= maxPlaces*4 {
		return nil
	}
	s := &oneStudy{input: t.Input, text: p.Text, dir: place.Dir, home: place.Home, lang: p.Lang, role: p.Role}
	all.list = append(all.list, s)
	return s
}

func newStudy(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *Ground) Study {
	var s Study
	where := *place
	where.Real = ThroughLinks
	runs := false
	if place.Repo != nil {
		where.Repo = func(dir string) *shell.Repo {
			s.Repos = append(s.Repos, dir)
			return place.Repo(dir)
		}
	}
	where.Read = func(path string) (string, bool) {
		s.Reads = append(s.Reads, path)
		runs = runs || scriptfile.IsFile(path) && len(OwnPrograms(path)) == 0
		return "", false
	}
	s.List = JudgePart(p, t, &where)
	release(s.List, place, readNone)
	s.all = s.List
	if !runs {
		return s
	}
	files := scriptfile.Reader{Seen: at.Seen.File, Wrote: at.Wrote, Skip: func(path string) bool {
		return len(OwnPrograms(path)) > 0 // what our commands do is known, also behind a wrapper of our name
	}}
	where.Read, where.Wrote = files.Read, at.Wrote
	s.Read = JudgePart(p, t, &where)
	release(s.Read, place, files.Read)
	if len(s.Read) != len(s.List) {
		return s
	}
	s.all = slices.Clone(s.List)
	for i := range s.all {
		s.all[i].Report = classify.WithFiles(s.List[i].Report, s.Read[i].Report, place)
	}
	return s
}

// release lets go of what notes files and repositories: whoever asks later asks for
// itself.
func release(list []Judged, place *shell.Place, read func(string) (string, bool)) {
	for i := range list {
		list[i].Place.Repo, list[i].Place.Read = place.Repo, read
	}
}

func readNone(string) (string, bool) { return "", false }
