// Package seen records what handlers read to judge an event: repositories, files, and values computed
// from them. The records belong to the event, in its Shared map.
package seen

import (
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
)

// key is the type of the key of an event's Seen in its Shared map.
type key struct{}

// ForEvent returns the Seen of ev, or nil if ev has no Shared map.
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

// A Seen holds what handlers read to judge an event, for its record and for handlers that would read
// the same again. It is safe for concurrent use. A nil Seen records nothing.
type Seen struct {
	mu     sync.Mutex
	cached map[any]any
	repos  []Repo
	files  []File
}

// A Repo is the state of a git repository that was read.
type Repo struct {
	Dir      string // the directory from which the search for it started
	None     bool   // Dir is not in a repository, or the repository cannot be read
	Head     string // the ref that is checked out, or ""
	Defaults []Default
	Settings func() string // all settings, in order of precedence
}

// A Default is the ref that the HEAD of a remote points to.
type Default struct{ Remote, Ref string }

// A File is a file whose text was read.
type File struct{ Path, Text string }

// maxSeen limits the number of repositories, and of files, that are recorded.
const maxSeen = 64

// LoadOrMake returns the cached value for key, which should have a type private to the caller. The
// first call creates it with make, for all handlers of the event. On a nil Seen it returns nil.
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

// AddRepo records r unless a repository with the same Dir was recorded before.
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

// AddDefault records the default ref of a remote of the repository at dir, if that repository was
// recorded.
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

// AddFile records the file path with its text, unless it was recorded before.
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

// Records returns the repositories and files recorded so far.
func (s *Seen) Records() (repos []Repo, files []File) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.repos), slices.Clone(s.files)
}
