// Package undo keeps copies of files and of what git has, which a call is about to lose, and brings
// them back.
//
// A save is a directory of the state directory. Files that a call removes or replaces are hard links
// in it, files that it writes in place are copies, and commits are a pack. Its list of files is written
// last and sealed, so a save is complete or does not count. Nothing is written below a project's .git
// until a person undoes a call.
package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Limits of a save, and of all saves.
const (
	maxFiles  = 50_000
	maxCopied = 256 << 20 // bytes
	maxTime   = 2 * time.Second
	minFree   = 5 // percent of the disk that must stay free

	keepFor  = 7 * 24 * time.Hour
	maxTotal = 2 << 30 // bytes
	maxSaves = 5000

	// unfinishedAfter is the age from which a save without a list of files is not being written any more.
	unfinishedAfter = time.Hour
)

// Folder is the directory of the saves in the state directory.
const Folder = "undo"

// ErrNotSaved is the error if a loss cannot be saved within the limits. Its text gives the reason.
var ErrNotSaved = errors.New("it cannot be saved first")

// ErrUnknown is the error if there is no save with an ID.
var ErrUnknown = errors.New("no save has this ID")

// A Loss is something that a call may remove or change.
type Loss struct {
	// Path is a file or a directory, absolute. If it has pattern characters, all files below its
	// directory whose names match count. "" means that only Repo counts.
	Path    string
	Literal bool // Path has no pattern characters, whatever it contains
	InPlace bool // the call writes into the file, so a hard link to it would change too
	Shallow bool // only a file counts, not what is below a directory
	// Repo is a directory of a git working tree. Its refs, HEAD, index and stashes count.
	Repo    string
	Work    bool     // so do the changed files of Repo
	Ignored bool     // so do the files that Repo ignores, except those that tools make again
	Commits bool     // so do the commits of its refs and stashes
	Refs    []string // refs that are noted as missing if they are
}

// A Request describes a call before which losses are saved.
type Request struct {
	Session string
	CallID  string
	Command string // what is about to run, for display
	Dir     string // the project's directory
	Losses  []Loss
	// Replace removes the latest save of Dir with Replace set, if it holds the same: the call before it
	// changed nothing.
	Replace bool
}

// An Entry describes a save.
type Entry struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	CallID  string    `json:"call_id,omitempty"`
	Command string    `json:"command"`
	Dir     string    `json:"dir,omitempty"`
	Undoes  string    `json:"undoes,omitempty"` // the save whose undoing it can take back; "" = none
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
	Repos   []string  `json:"repos,omitempty"` // git directories
	State   string    `json:"state,omitempty"` // digest of what it holds, if the request had Replace set

	name string // of its directory
}

// A Store holds saves. It is safe for concurrent use by goroutines and processes.
type Store struct {
	state   state.Dir
	environ []string
	now     func() time.Time
}

// Open returns the store in the state directory dir. environ is the environment in which git runs;
// nil means that of this process.
func Open(dir state.Dir, environ []string, now func() time.Time) *Store {
	return &Store{state: dir, environ: environ, now: now}
}

// path returns the path of elem in the directory of the saves.
func (s *Store) path(elem ...string) string {
	return s.state.Path(append([]string{Folder}, elem...)...)
}

// shortestID is the length of an ID that no other save has. Shorter ones would clash when many
// calls are saved at once, since saves that begin together do not see each other.
const shortestID = 6

// newName returns the name of the directory of a new save, which contains its time, and its ID.
func (s *Store) newName(at time.Time) (name, id string) {
	id = fmt.Sprintf("%08x", rand.Uint32())
	for n := shortestID; n < len(id); n++ {
		if s.find(id[:n]) == "" {
			id = id[:n]
			break
		}
	}
	return strconv.FormatInt(at.UnixMilli(), 36) + "-" + id, id
}

// find returns the name of the directory of the save id, or "" if there is none.
func (s *Store) find(id string) string {
	for _, name := range s.names() {
		if _, have, _ := parseName(name); have == id {
			return name
		}
	}
	return ""
}

// parseName returns the time, the ID and the bytes in the name of a save's directory. A save that is
// not finished has -1 bytes.
func parseName(name string) (at time.Time, id string, bytes int64) {
	part := strings.Split(name, "-")
	ms, err := strconv.ParseInt(part[0], 36, 64)
	if err != nil || len(part) < 2 {
		return time.Time{}, "", -1
	}
	bytes = -1
	if len(part) == 3 {
		if n, err := strconv.ParseInt(part[2], 36, 64); err == nil {
			bytes = n << 10
		}
	}
	return time.UnixMilli(ms), part[1], bytes
}

// names returns the names of the directories of saves, the oldest first.
func (s *Store) names() []string {
	list, _ := os.ReadDir(s.path()) // on an error, there are no saves
	out := make([]string, 0, len(list))
	for _, e := range list {
		if _, id, _ := parseName(e.Name()); id != "" && e.IsDir() {
			out = append(out, e.Name())
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		at, _, _ := parseName(a)
		bt, _, _ := parseName(b)
		return cmp.Or(at.Compare(bt), strings.Compare(a, b))
	})
	return out
}

// List returns the finished saves, the latest first.
func (s *Store) List() ([]Entry, error) {
	names := s.names()
	out := make([]Entry, 0, len(names))
	var errs []error
	for _, name := range slices.Backward(names) {
		if _, _, bytes := parseName(name); bytes < 0 {
			continue
		}
		m, err := s.readManifest(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, m.Entry)
	}
	return out, errors.Join(errs...)
}

// Usage returns the number of saves, their size, and when the latest was made.
func (s *Store) Usage() (n int, bytes int64, latest time.Time) {
	for _, name := range s.names() {
		if at, _, size := parseName(name); size >= 0 {
			n, bytes, latest = n+1, bytes+size, at
		}
	}
	return n, bytes, latest
}

// Find returns the save with this ID.
func (s *Store) Find(id string) (Entry, error) {
	name := s.find(id)
	if name == "" {
		return Entry{}, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	m, err := s.readManifest(name)
	return m.Entry, err
}

// Forget removes the save with this ID and all of its copies.
func (s *Store) Forget(id string) error {
	name := s.find(id)
	if name == "" {
		return fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return s.state.RemoveAll(Folder + "/" + name)
}

// ForgetAll removes all saves, and returns their number.
func (s *Store) ForgetAll() (int, error) {
	names := s.names()
	return len(names), s.state.RemoveAll(Folder)
}

// removeOld removes saves that are too old and, the oldest first, as many as exceed the limits of all
// saves.
func (s *Store) removeOld() {
	names := s.names()
	total, count := int64(0), 0
	now := s.now()
	for _, name := range slices.Backward(names) {
		at, _, bytes := parseName(name)
		unfinished := bytes < 0
		total, count = total+max(bytes, 0), count+1
		switch age := now.Sub(at); {
		case unfinished && age < unfinishedAfter:
		case unfinished, age > keepFor, total > maxTotal, count > maxSaves:
			_ = s.state.RemoveAll(Folder + "/" + name) // otherwise the next save removes it
		}
	}
}

// checkSpace returns an ErrNotSaved if little of the disk is free.
func (s *Store) checkSpace() error {
	dir := s.state.Path()
	for {
		free, ok := freePercent(dir)
		if ok && free < minFree {
			return fmt.Errorf("%w: less than %d %% of the disk is free", ErrNotSaved, minFree)
		}
		parent := filepath.Dir(dir)
		if ok || parent == dir {
			return nil
		}
		dir = parent // the state directory does not exist yet
	}
}

// limitTime returns a context that ends when a save has taken too long.
func limitTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("%w: it takes longer than %v", ErrNotSaved, maxTime))
}
