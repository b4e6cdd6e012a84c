package guard

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/scriptfile"
)

// A study is what one part of a call does, as it stands.
type study struct {
	list  []judged // without the files that it runs
	read  []judged // with them; nil = it runs none
	all   []judged // both: see [classify.WithFiles]
	reads []string // the files that it would run, as far as it names them itself
	repos []string // the directories whose repositories it asked about
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
	study           study
}

type studiesKey struct{}

// studied is judgePart, once for all who ask about the same call: first without the
// files that it runs, and where there may be some, with them.
func studied(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *Ground) study {
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

func newStudy(p *tools.Part, t *checkrein.Tool, place *shell.Place, at *Ground) study {
	var s study
	where := *place
	where.Real = throughLinks
	runs := false
	if place.Repo != nil {
		where.Repo = func(dir string) *shell.Repo {
			s.repos = append(s.repos, dir)
			return place.Repo(dir)
		}
	}
	where.Read = func(path string) (string, bool) {
		s.reads = append(s.reads, path)
		runs = runs || scriptfile.IsFile(path) && len(ownPrograms(path)) == 0
		return "", false
	}
	s.list = judgePart(p, t, &where)
	release(s.list, place, readNone)
	s.all = s.list
	if !runs {
		return s
	}
	files := scriptfile.Reader{Seen: at.Seen.File, Wrote: at.Wrote, Skip: func(path string) bool {
		return len(ownPrograms(path)) > 0 // what our commands do is known, also behind a wrapper of our name
	}}
	where.Read, where.Wrote = files.Read, at.Wrote
	s.read = judgePart(p, t, &where)
	release(s.read, place, files.Read)
	if len(s.read) != len(s.list) {
		return s
	}
	s.all = slices.Clone(s.list)
	for i := range s.all {
		s.all[i].report = classify.WithFiles(s.list[i].report, s.read[i].report, place)
	}
	return s
}

// release lets go of what notes files and repositories: whoever asks later asks for
// itself.
func release(list []judged, place *shell.Place, read func(string) (string, bool)) {
	for i := range list {
		list[i].place.Repo, list[i].place.Read = place.Repo, read
	}
}

func readNone(string) (string, bool) { return "", false }
