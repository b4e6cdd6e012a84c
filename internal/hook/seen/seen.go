// Package seen notes what is read to judge an event: repositories, files, and what
// handlers computed from them. The notes travel with the event, in its Shared map.
package seen

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
)

// key is where an event's Shared map holds its Seen.
type key struct{}

// Of returns the notes of an event; nil if it shares nothing.
func Of(ev *checkrein.Event) *Seen {
	if ev.Shared == nil {
		return nil
	}
	s, ok := ev.Shared.Load(key{})
	if !ok {
		s, _ = ev.Shared.LoadOrStore(key{}, new(Seen))
	}
	return s.(*Seen)
}

// A Seen is what was read to judge an event, for its record and for handlers that would
// read it again. It is safe for concurrent use; a nil Seen notes nothing.
type Seen struct {
	mu    sync.Mutex
	kept  map[any]any
	repos []Repo
	files []File
}

// A Repo is a git repository that was asked where it stands.
type Repo struct {
	Dir      string // from which it was looked for
	None     bool   // there is none, or it cannot be read
	Head     string // the ref that is checked out; "" = none
	Defaults []Default
	Settings func() string // all of them, in the order in which they count
}

// A Default is the ref that a remote's own HEAD names.
type Default struct{ Remote, Ref string }

// A File is a file whose text was read.
type File struct{ Path, Text string }

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
func (s *Seen) Repo(r Repo) {
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
func (s *Seen) Default(dir string, d Default) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.find(dir); r != nil && len(r.Defaults) < maxSeen && !slices.Contains(r.Defaults, d) {
		r.Defaults = append(r.Defaults, d)
	}
}

func (s *Seen) find(dir string) *Repo {
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
	f := File{path, text}
	if len(s.files) < maxSeen && !slices.Contains(s.files, f) {
		s.files = append(s.files, f)
	}
}

// Notes returns what was noted so far.
func (s *Seen) Notes() (repos []Repo, files []File) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.repos), slices.Clone(s.files)
}
