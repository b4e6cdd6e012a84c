// Package seen records what is read to judge an event: repositories, files, and what handlers computed
// from them. The records belong to the event, in its Shared map.
package seen

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
)

// key is the key of an event's Seen in its Shared map.
type key struct{}

// ForEvent returns the records of an event; nil if it shares nothing.
func ForEvent(ev *checkrein.Event) *Seen {
	if ev.Shared == nil {
		return nil
	}
	s, ok := ev.Shared.Load(key{})
	if !ok {
		s, _ = ev.Shared.LoadOrStore(key{}, new(Seen))
	}
	return s.(*Seen)
}

// A Seen holds what was read to judge an event, for its record and for handlers that would read it
// again. It is safe for concurrent use; a nil Seen records nothing.
type Seen struct {
	mu     sync.Mutex
	cached map[any]any
	repos  []Repo
	files  []File
}

// A Repo is the state of a git repository that was read.
type Repo struct {
	Dir      string // the directory it was searched from
	None     bool   // there is none, or it cannot be read
	Head     string // the ref that is checked out; "" if none
	Defaults []Default
	Settings func() string // all settings, in order of precedence
}

// A Default is the ref that a remote's own HEAD names.
type Default struct{ Remote, Ref string }

// A File is a file whose text was read.
type File struct{ Path, Text string }

// maxSeen limits the records of each kind.
const maxSeen = 64

// LoadOrMake returns the cached value of a key, whose type is the caller's own. The first caller makes
// it, for all handlers of the event; a nil Seen caches nothing and returns nil.
func (s *Seen) LoadOrMake(key any, make func() any) any {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	val, ok := s.cached[key]
	if !ok {
		if s.cached == nil {
			s.cached = map[any]any{}
		}
		val = make()
		s.cached[key] = val
	}
	return val
}

// AddRepo records a repository, once.
func (s *Seen) AddRepo(r Repo) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.repos) < maxSeen && s.findRepo(r.Dir) == nil {
		s.repos = append(s.repos, r)
	}
}

// AddDefault records the default ref of a repository's remote.
func (s *Seen) AddDefault(dir string, d Default) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.findRepo(dir); r != nil && len(r.Defaults) < maxSeen && !slices.Contains(r.Defaults, d) {
		r.Defaults = append(r.Defaults, d)
	}
}

func (s *Seen) findRepo(dir string) *Repo {
	for i := range s.repos {
		if s.repos[i].Dir == dir {
			return &s.repos[i]
		}
	}
	return nil
}

// AddFile records a file with the text that was read, once.
func (s *Seen) AddFile(path, text string) {
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

// Records returns the repositories and files that were recorded so far.
func (s *Seen) Records() (repos []Repo, files []File) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.repos), slices.Clone(s.files)
}
