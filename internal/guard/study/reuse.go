package study

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/shell"
)

// A judgement is what judging a part of a call found. Agents repeat commands, and what one does follows
// from its text and from what the functions of its place return. So a judgement is kept with these
// observations, and used again where each function still returns the same. Only one event uses it at a
// time, because calls hold caches of their own.
type judgement struct {
	key       judgementKey
	reports   []PartReport
	calls     []Text
	reads     []string // the files that it asked for
	onlyReads map[*shell.Call]bool

	seen   []observation
	bytes  int  // of texts in seen
	unlike bool // it depends on more than is observed, or on too much
}

// A judgementKey holds the inputs of a judgement apart from observations.
type judgementKey struct {
	role             tools.Role
	text, lang, tool string
	dir, root, home  string
	files            bool    // the files that it runs are read
	has              [7]bool // which functions the place has
}

// An observation is what a function of a place returned for name.
type observation struct {
	of   byte // k(ind), e(nvironment), p(ath), t(ext) or w(rote)
	name string
	text string
	kind shell.PathKind
	ok   bool
}

// observe calls the function of p that o names, and returns o with the result.
func (o observation) observe(p *shell.Place) observation {
	switch o.of {
	case 'k':
		o.kind = p.Kind(o.name)
	case 'e':
		o.text = p.Getenv(o.name)
	case 'p':
		o.text = p.Real(o.name)
	case 't':
		o.text, o.ok = p.Read(o.name)
	case 'w':
		o.ok = p.Wrote(o.name)
	}
	return o
}

// Limits of judgements that are kept.
const (
	maxKept      = 128
	maxKeptText  = 2 << 10
	maxSeen      = 64       // observations of one
	maxSeenBytes = 16 << 10 // of the files that one read
)

// kept holds the judgements that no event uses.
var kept struct {
	mu    sync.Mutex
	byKey map[judgementKey][]*judgement
	n     int
}

// takeKept removes and returns a kept judgement with this key that holds in place, or returns nil.
func takeKept(key judgementKey, place *shell.Place) *judgement {
	kept.mu.Lock()
	list := kept.byKey[key]
	if len(list) == 0 {
		kept.mu.Unlock()
		return nil
	}
	j := list[len(list)-1]
	if list[len(list)-1] = nil; len(list) > 1 {
		kept.byKey[key] = list[:len(list)-1]
	} else {
		delete(kept.byKey, key)
	}
	kept.n--
	kept.mu.Unlock()
	for _, o := range j.seen {
		if o.observe(place) != o {
			return nil
		}
	}
	return j
}

// Keep keeps the judgements of the call in ev for later calls. Nothing may use ev afterwards.
func Keep(ev *checkrein.Event) {
	all := studiesOf(ev)
	if all == nil {
		return
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for _, s := range all.list {
		for _, j := range s.study.judged {
			if j.unlike {
				continue
			}
			if kept.n >= maxKept || kept.byKey == nil {
				kept.byKey, kept.n = map[judgementKey][]*judgement{}, 0
			}
			for i := range j.reports {
				j.reports[i].Place = shell.Place{} // which holds the event
			}
			kept.byKey[j.key] = append(kept.byKey[j.key], j)
			kept.n++
		}
	}
	all.list = nil
}

// studiesOf returns the studies of ev, or nil if its handlers share nothing.
func studiesOf(ev *checkrein.Event) *studyCache {
	all, _ := seen.ForEvent(ev).LoadOrMake(studyCacheKey{}, func() any { return new(studyCache) }).(*studyCache)
	return all
}

// judge judges the part p of a call in place. It reads the files that the part runs with read; if that is
// nil, it only lists them. The reports have the place with repo and without the functions that record.
func judge(p *tools.Part, t *checkrein.Tool, place shell.Place, repo func(string) *shell.Repo, read func(string) (string, bool)) *judgement {
	place.Read = read
	if read == nil {
		place.Read = readNone
	}
	j := &judgement{onlyReads: map[*shell.Call]bool{}, key: judgementKey{
		role: p.Role, text: p.Text, lang: p.Lang, tool: t.Name, dir: place.Dir, root: place.Root, home: place.Home, files: read != nil,
		has: [...]bool{place.Kind != nil, place.Getenv != nil, place.Wrote != nil, place.List != nil, place.Secret != nil, place.Moved != nil, place.Repo != nil},
	}}
	j.unlike = place.Packs != nil || place.TypedSecrets != nil || place.Dialect != 0 || place.Fills != nil || place.Switched != nil || len(p.Text) > maxKeptText
	if same := takeKept(j.key, &place); same != nil && !j.unlike {
		j = same
	} else {
		j.reports = JudgePart(p, t, j.record(place))
	}
	place.Repo, place.Calls, place.Effect, place.Written = repo, nil, nil, nil
	for i := range j.reports {
		j.reports[i].Place = place
	}
	return j
}

// record returns place with functions that add to j what they return.
func (j *judgement) record(place shell.Place) *shell.Place {
	in, p := place, &place
	note := func(of byte, name string) observation {
		o := observation{of: of, name: name}.observe(&in)
		if slices.Contains(j.seen, o) {
			return o
		}
		if j.bytes += len(o.text); len(j.seen) >= maxSeen || j.bytes > maxSeenBytes {
			j.unlike, j.seen = true, nil
		}
		if !j.unlike {
			j.seen = append(j.seen, o)
		}
		return o
	}
	if in.Kind != nil {
		p.Kind = func(path string) shell.PathKind { return note('k', path).kind }
	}
	if in.Getenv != nil {
		p.Getenv = func(name string) string { return note('e', name).text }
	}
	p.Real = func(path string) string { return note('p', path).text }
	if !j.key.files {
		p.Read = func(path string) (string, bool) {
			j.reads = append(j.reads, path)
			return "", false
		}
	} else {
		p.Read = func(path string) (string, bool) { o := note('t', path); return o.text, o.ok }
	}
	if in.Wrote != nil {
		p.Wrote = func(path string) bool { return note('w', path).ok }
	}
	if in.List != nil {
		p.List = func(dir string) ([]shell.Entry, bool) { j.unlike = true; return in.List(dir) }
	}
	if in.Secret != nil {
		p.Secret = func(path string) (string, bool) { j.unlike = true; return in.Secret(path) }
	}
	if in.Moved != nil {
		p.Moved = func() []*shell.Call { j.unlike = true; return in.Moved() }
	}
	if in.Repo != nil {
		p.Repo = func(dir string) *shell.Repo {
			j.unlike = true
			return in.Repo(dir)
		}
	}
	p.Calls = func(dir string, calls []*shell.Call) { j.calls = append(j.calls, Text{dir, calls}) }
	p.Written = func(path, text string, whole bool) { j.unlike = true; in.Written(path, text, whole) }
	p.Effect = func(c *shell.Call, e *shell.Effect) {
		if !isRedirect(c, e) {
			reads, ok := j.onlyReads[c]
			j.onlyReads[c] = (reads || !ok) && (e.IsReadOnly() || e.Kind == "read")
		}
	}
	return p
}
