package grant

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	grantsFile = state.GrantsFile
	maxFile    = 4 << 20
)

// A Store keeps grants and blocks. It is safe for concurrent use by goroutines and
// processes.
type Store struct {
	Dir state.Dir
	Now func() Moment
	Key func() ([]byte, error) // of the seals of older builds; nil = nothing of theirs counts
}

// ErrUnknown reports that a handle or id names nothing.
var ErrUnknown = errors.New("unknown")

type file struct {
	V      int     `json:"v"`
	Last   int     `json:"last"` // number of the last grant
	Grants []Grant `json:"grants"`
}

func (s *Store) load() (file, error) {
	f := file{V: 1}
	_, err := s.read(grantsFile, maxFile, &f)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && f.V != 1 {
		err = fmt.Errorf("%s has version %d, which is not supported", grantsFile, f.V) // which may narrow what we would not see
	}
	if err != nil {
		return file{V: 1}, fmt.Errorf("grants cannot be read, so none of them counts: %w; to remove them all, run checkrein allow --revoke all", err)
	}
	return f, nil
}

// change alters the grants under their lock. Those that ended go. With loosens,
// the change is made only if the ledger can record it.
func (s *Store) change(loosens bool, fn func(*file) error) error {
	unlock, err := s.Dir.Lock(grantsFile)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := s.load()
	if err != nil {
		return err
	}
	if err := fn(&f); err != nil {
		return err
	}
	now := s.Now()
	f.Grants = slices.DeleteFunc(f.Grants, func(g Grant) bool {
		return g.Ended(now) != "" || g.Spent() && stale(&g, now)
	})
	if err := s.write(grantsFile, &f, loosens); loosens || !errors.Is(err, state.ErrNotRecorded) {
		return err
	}
	return nil
}

// Adopt seals the grants of an older build: a person at a terminal runs this one.
func (s *Store) Adopt() error { return s.change(true, func(*file) error { return nil }) }

// stale reports whether a spent grant cannot be asked for by the same call again.
func stale(g *Grant, now Moment) bool {
	d, ok := now.since(g.Made)
	return !ok || d > Life
}

// Any reports whether there may be grants, at the price of one look.
func (s *Store) Any() bool {
	return s.Dir.Has(grantsFile)
}

// List returns the grants that count, and spent ones of the last day.
func (s *Store) List() ([]Grant, error) {
	f, err := s.load()
	now := s.Now()
	return slices.DeleteFunc(f.Grants, func(g Grant) bool { return g.Ended(now) != "" }), err
}

// live is List; what ended goes, or a clock that is set back would bring it back.
func (s *Store) live() ([]Grant, error) {
	f, err := s.load()
	now := s.Now()
	ended := func(g Grant) bool { return g.Ended(now) != "" }
	if err == nil && slices.ContainsFunc(f.Grants, ended) {
		err = s.change(false, func(*file) error { return nil })
	}
	return slices.DeleteFunc(f.Grants, ended), err
}

// Add gives a grant its id and keeps it.
func (s *Store) Add(g Grant) (Grant, error) {
	return s.AddAfter(g, func(*Grant) error { return nil })
}

// AddAfter is Add after first was told of the grant, unless that fails.
func (s *Store) AddAfter(g Grant, first func(*Grant) error) (Grant, error) {
	err := s.change(true, func(f *file) error {
		f.Last++
		g.ID = "g" + strconv.Itoa(f.Last)
		g.Made = s.Now()
		if err := first(&g); err != nil {
			return err
		}
		f.Grants = append(f.Grants, g)
		return nil
	})
	return g, err
}

// Revoke ends a grant, by its id or by the handle that it answers, and returns what
// it ended; "all" ends all of them, even such as cannot be read.
func (s *Store) Revoke(name string) ([]Grant, error) {
	var gone []Grant
	err := s.change(false, func(f *file) error {
		f.Grants = slices.DeleteFunc(f.Grants, func(g Grant) bool {
			is := name == "all" || g.ID == name || g.Handle == name
			if is {
				gone = append(gone, g)
			}
			return is
		})
		return nil
	})
	if err != nil && name == "all" {
		return gone, s.Dir.RemoveSealed(grantsFile)
	}
	if err == nil && len(gone) == 0 && name != "all" {
		err = fmt.Errorf("grant %s: %w", name, ErrUnknown)
	}
	return gone, err
}

// EndSession ends the grants of a session.
func (s *Store) EndSession(host, session string) error {
	if session == "" || !s.Any() {
		return nil
	}
	of := func(g Grant) bool { return g.Session == session && g.Host == host }
	if f, err := s.load(); err == nil && !slices.ContainsFunc(f.Grants, of) {
		return nil
	}
	return s.change(false, func(f *file) error {
		f.Grants = slices.DeleteFunc(f.Grants, of)
		return nil
	})
}

// EndCall notes that a call has ended, so that the same call again is another one: not
// every host has ids of calls, nor does every model give each call another. The digest of
// a call without an id is asked for only where a grant was used for such a call.
func (s *Store) EndCall(host, session, id string, text func() string) error {
	if !s.Any() {
		return nil
	}
	session = host + "\x00" + session
	open := func(u Use) bool { return u.Session == session && u.Call == id && !u.Over }
	f, err := s.load()
	if err != nil || !slices.ContainsFunc(f.Grants, func(g Grant) bool { return g.Spent() && slices.ContainsFunc(g.Uses, open) }) {
		return err
	}
	sum := ""
	if id == "" {
		sum = text()
	}
	return s.change(false, func(f *file) error {
		for i := range f.Grants {
			for j := range f.Grants[i].Uses {
				if u := &f.Grants[i].Uses[j]; open(*u) && (id != "" || u.Text == sum) {
					u.Over = true
				}
			}
		}
		return nil
	})
}

// A Match is which grants lift the decisions about a call.
type Match struct {
	By   []string // for each decider the ids of the grants that lift it, joined; "" = none does
	used []string // ids of those that the store keeps
	use  Use
}

// Match finds the grants that lift what deciders said of a call; extra are grants of
// configuration files.
func (s *Store) Match(c *Call, by []Decider, extra []Grant) (Match, error) {
	m := Match{By: make([]string, len(by))}
	var err error
	var list []Grant
	if s.Any() {
		list, err = s.live()
	}
	m.use = Use{Session: c.Host + "\x00" + c.Session, Call: c.ID, Text: c.Text, At: s.Now()}
	if len(list) > 0 && c.Caller != nil {
		m.use.Caller = c.Caller()
	}
	var live []*Grant
	for i := range list {
		if g := &list[i]; g.reaches(c) && g.usable(&m.use) && !(c.Foreign && g.Scope == Once) {
			live = append(live, g)
		}
	}
	slices.SortStableFunc(live, func(a, b *Grant) int { return rank(a) - rank(b) })
	kept := len(live)
	for i := range extra {
		if extra[i].reaches(c) {
			live = append(live, &extra[i])
		}
	}
	for i := range by {
		var ids []string
		for _, g := range covers(live, &by[i], c) {
			ids = append(ids, g.ID)
			if slices.Contains(live[:kept], g) && !slices.Contains(m.used, g.ID) {
				m.used = append(m.used, g.ID)
			}
		}
		m.By[i] = strings.Join(ids, ",")
	}
	return m, err
}

// Values returns the keyed digests of the values that grants leave unredacted in a call.
func (s *Store) Values(c *Call) ([]string, error) {
	if !s.Any() {
		return nil, nil
	}
	list, err := s.live()
	var out []string
	for i := range list {
		if g := &list[i]; g.Value != "" && g.reaches(c) {
			out = append(out, g.Value)
		}
	}
	return out, err
}

// rank orders grants: one that is used up comes last.
func rank(g *Grant) int {
	if g.Scope == Once {
		return 1
	}
	return 0
}

// Use notes that the grants of a match let its call pass. False: one of them was
// used up, or ended, in the meantime.
func (s *Store) Use(m *Match) (bool, error) {
	if len(m.used) == 0 {
		return true, nil
	}
	ok := true
	err := s.change(false, func(f *file) error {
		now := s.Now()
		for _, id := range m.used {
			i := slices.IndexFunc(f.Grants, func(g Grant) bool { return g.ID == id })
			if i < 0 || f.Grants[i].Ended(now) != "" || !f.Grants[i].use(m.use) {
				ok = false
				return errors.New("used up") // so that nothing is written
			}
		}
		return nil
	})
	if !ok {
		return false, nil
	}
	return err == nil, err
}
