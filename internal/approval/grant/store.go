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

// A Store holds grants and blocks. It is safe for concurrent use by goroutines and processes.
type Store struct {
	Dir state.Dir
	Now func() Moment
	Key func() ([]byte, error) // returns the key of older builds' seals; nil means that none of their files is valid
}

// ErrUnknown means that a handle or id does not exist.
var ErrUnknown = errors.New("unknown")

type grantsRecord struct {
	V      int     `json:"v"`
	Last   int     `json:"last"` // number of the last grant
	Grants []Grant `json:"grants"`
}

// loadGrants reads the grants. There are none if the file is missing, or together with an error.
func (s *Store) loadGrants() (grantsRecord, error) {
	f := grantsRecord{V: 1}
	_, err := s.readSealed(grantsFile, maxFile, &f)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil && f.V != 1 {
		err = fmt.Errorf("%s has version %d, which is not supported", grantsFile, f.V) // it may restrict grants in ways that this version ignores
	}
	if err != nil {
		return grantsRecord{V: 1}, fmt.Errorf("the grants cannot be read, so none of them counts: %w; to remove them all, run checkrein allow --revoke all", err)
	}
	return f, nil
}

// changeGrants calls fn with the grants while it holds their lock, removes those that have ended, and
// writes them. If loosens is set, the change is made only if the ledger can record it.
func (s *Store) changeGrants(loosens bool, fn func(*grantsRecord) error) error {
	unlock, err := s.Dir.Lock(grantsFile)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := s.loadGrants()
	if err != nil {
		return err
	}
	if err := fn(&f); err != nil {
		return err
	}
	now := s.Now()
	f.Grants = slices.DeleteFunc(f.Grants, func(g Grant) bool {
		return g.EndReason(now) != "" || g.IsSpent() && isStale(&g, now)
	})
	if err := s.writeSealed(grantsFile, &f, loosens); loosens || !errors.Is(err, state.ErrNotRecorded) {
		return err
	}
	return nil
}

// Adopt seals the grants that an older build wrote. It must be called only when a person confirmed
// that in a terminal.
func (s *Store) Adopt() error { return s.changeGrants(true, func(*grantsRecord) error { return nil }) }

// isStale reports whether g, a spent grant, is so old that its call cannot be requested again.
func isStale(g *Grant, now Moment) bool {
	d, ok := now.since(g.Made)
	return !ok || d > Life
}

// MayHaveGrants reports whether there may be grants, by checking only whether their file exists.
func (s *Store) MayHaveGrants() bool {
	return s.Dir.Has(grantsFile)
}

// List returns the valid grants, and spent ones of the last day.
func (s *Store) List() ([]Grant, error) {
	f, err := s.loadGrants()
	now := s.Now()
	return slices.DeleteFunc(f.Grants, func(g Grant) bool { return g.EndReason(now) != "" }), err
}

// validGrants returns the same grants as List. It also removes grants that have ended from the file,
// so that setting back the clock does not revive them.
func (s *Store) validGrants() ([]Grant, error) {
	f, err := s.loadGrants()
	now := s.Now()
	ended := func(g Grant) bool { return g.EndReason(now) != "" }
	if err == nil && slices.ContainsFunc(f.Grants, ended) {
		err = s.changeGrants(false, func(*grantsRecord) error { return nil })
	}
	return slices.DeleteFunc(f.Grants, ended), err
}

// Add gives g an id, stores it, and returns it.
func (s *Store) Add(g Grant) (Grant, error) {
	return s.AddAfter(g, func(*Grant) error { return nil })
}

// AddAfter is Add, but calls first with the grant before that, and stores it only if first returns
// nil.
func (s *Store) AddAfter(g Grant, first func(*Grant) error) (Grant, error) {
	err := s.changeGrants(true, func(f *grantsRecord) error {
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

// Revoke removes the grants whose id or handle is name, and returns them. "all" removes all grants,
// even if they cannot be read. The error is ErrUnknown if there is no such grant.
func (s *Store) Revoke(name string) ([]Grant, error) {
	var gone []Grant
	err := s.changeGrants(false, func(f *grantsRecord) error {
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

// EndSession removes the grants that are only for this session of host.
func (s *Store) EndSession(host, session string) error {
	if session == "" || !s.MayHaveGrants() {
		return nil
	}
	of := func(g Grant) bool { return g.Session == session && g.Host == host }
	if f, err := s.loadGrants(); err == nil && !slices.ContainsFunc(f.Grants, of) {
		return nil
	}
	return s.changeGrants(false, func(f *grantsRecord) error {
		f.Grants = slices.DeleteFunc(f.Grants, of)
		return nil
	})
}

// EndCall records that a call has ended, so that the same call again counts as another one. Not every
// host has ids of calls, and not every model gives each call a new one. text returns the digest of the
// call; it is needed only if id is "" and a grant was used for such a call.
func (s *Store) EndCall(host, session, id string, text func() string) error {
	if !s.MayHaveGrants() {
		return nil
	}
	session = host + "\x00" + session
	open := func(u Use) bool { return u.Session == session && u.Call == id && !u.Over }
	f, err := s.loadGrants()
	if err != nil || !slices.ContainsFunc(f.Grants, func(g Grant) bool { return g.IsSpent() && slices.ContainsFunc(g.Uses, open) }) {
		return err
	}
	sum := ""
	if id == "" {
		sum = text()
	}
	return s.changeGrants(false, func(f *grantsRecord) error {
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

// A Match holds the grants that lift the decisions about a call.
type Match struct {
	By   []string // for each decider the joined ids of the grants that lift it; "" means none
	used []string // ids of grants in the store
	use  Use
}

// Match returns the grants that lift the decisions of by about c. extra are grants from configuration
// files.
func (s *Store) Match(c *Call, by []Decider, extra []Grant) (Match, error) {
	m := Match{By: make([]string, len(by))}
	var err error
	var list []Grant
	if s.MayHaveGrants() {
		list, err = s.validGrants()
	}
	m.use = Use{Session: c.Host + "\x00" + c.Session, Call: c.ID, Text: c.Text, At: s.Now()}
	if len(list) > 0 && c.Caller != nil {
		m.use.Caller = c.Caller()
	}
	var live []*Grant
	for i := range list {
		if g := &list[i]; g.appliesTo(c) && g.isUsable(&m.use) && !(c.Foreign && g.Scope == Once) {
			live = append(live, g)
		}
	}
	slices.SortStableFunc(live, func(a, b *Grant) int { return useOrder(a) - useOrder(b) })
	kept := len(live)
	for i := range extra {
		if extra[i].appliesTo(c) {
			live = append(live, &extra[i])
		}
	}
	for i := range by {
		var ids []string
		for _, g := range coveringGrants(live, &by[i], c) {
			ids = append(ids, g.ID)
			if slices.Contains(live[:kept], g) && !slices.Contains(m.used, g.ID) {
				m.used = append(m.used, g.ID)
			}
		}
		m.By[i] = strings.Join(ids, ",")
	}
	return m, err
}

// UnredactedValues returns the keyed digests of the values that grants leave unredacted in c.
func (s *Store) UnredactedValues(c *Call) ([]string, error) {
	if !s.MayHaveGrants() {
		return nil, nil
	}
	list, err := s.validGrants()
	var out []string
	for i := range list {
		if g := &list[i]; g.Value != "" && g.appliesTo(c) {
			out = append(out, g.Value)
		}
	}
	return out, err
}

// useOrder returns the order in which grants are used: grants that one call uses up come last.
func useOrder(g *Grant) int {
	if g.Scope == Once {
		return 1
	}
	return 0
}

// RecordUse records that the grants of m allowed its call. It reports false if one of them was used up
// or ended meanwhile.
func (s *Store) RecordUse(m *Match) (bool, error) {
	if len(m.used) == 0 {
		return true, nil
	}
	ok := true
	err := s.changeGrants(false, func(f *grantsRecord) error {
		now := s.Now()
		for _, id := range m.used {
			i := slices.IndexFunc(f.Grants, func(g Grant) bool { return g.ID == id })
			if i < 0 || f.Grants[i].EndReason(now) != "" || !f.Grants[i].addUse(m.use) {
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
