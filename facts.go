package checkrein

import (
	"slices"
	"sync"
)

// A Cause is one effect of a tool call by which a judge decided. It is for records:
// with the policy it says why the decision is what it is.
type Cause struct {
	Label    string // safe, unknown, destructive or exfiltration
	Kind     string // the verb: delete, write, push, …
	Category string
	Rule     string // as people type it: git/push-force
	Radius   string // low, medium, high or unknown
	On       string // what it is about where that is neither a path nor a host
	Maybe    bool   // a part of its words was not known
	Paths    []string
	Hosts    []string
}

// Seen is what was looked at to judge an event. It is for records, and for whoever would
// look again; it is safe for concurrent use, and a nil Seen notes nothing.
type Seen struct {
	mu    sync.Mutex
	kept  map[any]any
	repos []SeenRepo
	files []SeenFile
}

// A SeenRepo is a git repository that was asked where it stands.
type SeenRepo struct {
	Dir      string // from which it was looked for
	None     bool   // there is none, or it cannot be read
	Head     string // the ref that is checked out; "" = none
	Defaults []SeenDefault
	Settings func() string // all of them, in the order in which they count
}

// A SeenDefault is the ref that a remote's own HEAD names.
type SeenDefault struct{ Remote, Ref string }

// A SeenFile is a file whose text was read.
type SeenFile struct{ Path, Text string }

// maxSeen bounds what is noted of each kind.
const maxSeen = 64

// Kept returns what is kept under a key, which is the caller's own type, for all who ask
// about the event. It is made by the first of them; a nil Seen keeps nothing and makes
// none.
func (s *Seen) Kept(key any, make func() any) any {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	val, ok := s.kept[key]
	if !ok {
		if s.kept == nil {
			s.kept = map[any]any{}
		}
		val = make()
		s.kept[key] = val
	}
	return val
}

// Repo notes a repository, once.
func (s *Seen) Repo(r SeenRepo) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.repos) < maxSeen && s.find(r.Dir) == nil {
		s.repos = append(s.repos, r)
	}
}

// Default notes what a repository said of a remote.
func (s *Seen) Default(dir string, d SeenDefault) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.find(dir); r != nil && len(r.Defaults) < maxSeen && !slices.Contains(r.Defaults, d) {
		r.Defaults = append(r.Defaults, d)
	}
}

func (s *Seen) find(dir string) *SeenRepo {
	for i := range s.repos {
		if s.repos[i].Dir == dir {
			return &s.repos[i]
		}
	}
	return nil
}

// File notes a file with the text that was read, once.
func (s *Seen) File(path, text string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := SeenFile{path, text}
	if len(s.files) < maxSeen && !slices.Contains(s.files, f) {
		s.files = append(s.files, f)
	}
}

// Notes returns what was noted so far.
func (s *Seen) Notes() (repos []SeenRepo, files []SeenFile) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.repos), slices.Clone(s.files)
}
