package builtin

import (
	"slices"
	"sync/atomic"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/disk"
	"github.com/checkrein/checkrein/internal/toolcall"
)

// A study is what one part of a call does, as it stands.
type study struct {
	text, dir string
	home      string
	lang      string
	role      toolcall.Role
	list      []judged // without the files that it runs
	read      []judged // with them; nil = it runs none
	all       []judged // both: see [classify.WithFiles]
}

// studies are those of one call: several builtins ask about each.
type studies struct {
	input []byte // of the call; held, so that no other has its address
	list  []study
}

var lastStudies atomic.Pointer[studies]

// throughLinks is [shell.Place.Real].
func throughLinks(path string) string { return realPath(path, false) }

// studied is judgePart, once for all who ask about the same call: first without the
// files that it runs, and where there may be some, with them.
func studied(p *toolcall.Part, t *checkrein.Tool, place *shell.Place, at *Ground) study {
	var have []study
	if last := lastStudies.Load(); last != nil && len(t.Input) > 0 && len(last.input) == len(t.Input) && &last.input[0] == &t.Input[0] {
		have = last.list
	}
	for i := range have {
		if s := &have[i]; s.role == p.Role && s.lang == p.Lang && s.text == p.Text && s.dir == place.Dir && s.home == place.Home {
			return *s
		}
	}
	s := newStudy(p, t, place, at)
	if len(t.Input) > 0 && len(have) < maxPlaces*4 {
		lastStudies.Store(&studies{t.Input, append(have[:len(have):len(have)], s)})
	}
	return s
}

func newStudy(p *toolcall.Part, t *checkrein.Tool, place *shell.Place, at *Ground) study {
	s := study{text: p.Text, dir: place.Dir, home: place.Home, lang: p.Lang, role: p.Role}
	where := *place
	where.Real = throughLinks
	runs := false
	where.Read = func(path string) (string, bool) {
		runs = runs || disk.IsFile(path) && len(ownPrograms(path)) == 0
		return "", false
	}
	s.list = judgePart(p, t, &where)
	s.all = s.list
	if !runs {
		return s
	}
	files := disk.Reader{Seen: at.Seen.File, Wrote: at.Wrote, Skip: func(path string) bool {
		return len(ownPrograms(path)) > 0 // what our commands do is known, also behind a wrapper of our name
	}}
	where.Read, where.Wrote = files.Read, at.Wrote
	s.read = judgePart(p, t, &where)
	if len(s.read) != len(s.list) {
		return s
	}
	s.all = slices.Clone(s.list)
	for i := range s.all {
		s.all[i].report = classify.WithFiles(s.list[i].report, s.read[i].report, place)
	}
	return s
}
