// Package cache remembers the plans of hooks: following a long script costs
// more than running a short one, and nothing of it changes from call to call.
//
// A plan that is remembered says what a hook runs without approval, so it counts only
// with a sum of the store's secret, and only as long as all that it was told by is as
// it was.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Folder is the store's place in the state directory.
const Folder = "plans"

const (
	magic   = "checkrein plan 1\n" // then the sum of the rest
	word    = "checkrein plan "    // what files of any version begin with
	maxSize = 1 << 20
	most    = 200 // files: of each hook one a project
)

var (
	errOld     = errors.New("of another version")
	errDamaged = errors.New("it is not as it was written")
)

// A Store remembers plans. The zero Store remembers nothing.
type Store struct {
	Dir   state.Dir
	Build string // anything that changes whenever the program does
	// Secret vouches for the files; nil, or one that returns nil, means no store.
	Secret func() *state.Secret
	// Told hears that a remembered plan was not as it was written. An [state.ErrPlace]
	// means that there is no store, for something lies in its place.
	Told func(error)
}

// Of is [coverage.Of] without the texts of the parts, and [coverage.Contents] of all that it was
// told by, as that is now.
func (s Store) Of(h *checkrein.Hook, p coverage.Place) (coverage.Plan, [sha256.Size]byte) {
	var look coverage.Look
	if s.Build == "" || s.Secret == nil {
		plan := coverage.Of(h, p, &look)
		return plan, coverage.Contents(look.Seen())
	}
	name := s.name(h, p)
	if k, ok := s.get(name, p); ok {
		return k.plan, coverage.Contents(k.seen)
	}
	plan := coverage.Of(h, p, &look)
	seen := look.Seen()
	if secret := s.Secret(); secret != nil && !look.Full() {
		body := encode(s.Build, h, p, &plan, seen)
		sum := secret.Sum(name, body)
		if s.Dir.Write(name, slices.Concat([]byte(magic), sum[:], body)) == nil {
			_ = s.Dir.Prune(Folder, most)
		}
	}
	for i := range plan.Parts {
		plan.Parts[i].Text = nil
	}
	return plan, coverage.Contents(seen)
}

// get returns the plan of that name as long as it holds.
func (s Store) get(name string, p coverage.Place) (kept, bool) {
	data, err := s.Dir.Read(name, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{}, false
	}
	secret := s.Secret()
	if secret == nil {
		return kept{}, false
	}
	var k kept
	if err == nil {
		k, err = open(secret, name, data)
	}
	if err != nil {
		_ = s.Dir.Remove(name) // or it is written over
		if !errors.Is(err, errOld) && s.Told != nil {
			s.Told(err)
		}
		return kept{}, false
	}
	return k, coverage.Inputs(p, k.plan.Vars) == k.inputs && coverage.Holds(k.seen)
}

// name is the file of a plan. All that it depends on beside the disk and the
// environment is in it.
func (s Store) name(h *checkrein.Hook, p coverage.Place) string {
	var room [1024]byte
	sum := sha256.Sum256(appendFor(room[:0], s.Build, h, p))
	return Folder + "/" + hex.EncodeToString(sum[:16])
}

// A kept is a plan as it is remembered, with what it was made of.
type kept struct {
	build  string
	hook   checkrein.Hook
	place  coverage.Place
	plan   coverage.Plan
	inputs string
	seen   []coverage.Seen
}

func appendFor(b []byte, build string, h *checkrein.Hook, p coverage.Place) []byte {
	for _, s := range [...]string{build, h.Run, string(h.With), h.Dialect, p.Root, p.Top, p.Home} {
		b = appendText(b, s)
	}
	return b
}

func encode(build string, h *checkrein.Hook, p coverage.Place, plan *coverage.Plan, seen []coverage.Seen) []byte {
	b := appendFor(nil, build, h, p)
	b = appendText(b, coverage.Inputs(p, plan.Vars))
	b = appendList(b, len(plan.Vars), func(i int) (string, string) { return plan.Vars[i], "" })
	b = appendList(b, len(plan.Unsure), func(i int) (string, string) { return plan.Unsure[i], "" })
	b = appendList(b, len(plan.Parts), func(i int) (string, string) { return plan.Parts[i].Path, plan.Parts[i].Name })
	return appendList(b, len(seen), func(i int) (string, string) { return seen[i].Path, seen[i].Is })
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendList(b []byte, n int, at func(i int) (string, string)) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	for i := range n {
		first, second := at(i)
		b = appendText(appendText(b, first), second)
	}
	return b
}

// open reads what the secret vouches for. A file of another version is no one's fault,
// and is not used either.
func open(secret *state.Secret, name string, data []byte) (kept, error) {
	body, ok := bytes.CutPrefix(data, []byte(magic))
	switch {
	case !ok && bytes.HasPrefix(data, []byte(word)):
		return kept{}, errOld
	case !ok || len(body) < state.SumSize || !secret.Vouches(name, body[state.SumSize:], body[:state.SumSize]):
		return kept{}, errDamaged
	}
	d := decoder{rest: body[state.SumSize:]}
	k := kept{build: d.text()}
	k.hook.Run, k.hook.With, k.hook.Dialect = d.text(), []byte(d.text()), d.text()
	k.place.Root, k.place.Top, k.place.Home = d.text(), d.text(), d.text()
	k.inputs = d.text()
	d.list(func(first, _ string) { k.plan.Vars = append(k.plan.Vars, first) })
	d.list(func(first, _ string) { k.plan.Unsure = append(k.plan.Unsure, first) })
	d.list(func(first, second string) {
		k.plan.Parts = append(k.plan.Parts, coverage.Part{Path: first, Name: second})
	})
	d.list(func(first, second string) { k.seen = append(k.seen, coverage.Seen{Path: first, Is: second}) })
	if d.bad || len(d.rest) > 0 {
		return kept{}, errDamaged
	}
	return k, nil
}

// A decoder reads what encode wrote.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() int {
	n, used := binary.Uvarint(d.rest)
	if used <= 0 || n > uint64(len(d.rest)-used) { // of anything that follows
		d.rest, d.bad = nil, true
		return 0
	}
	d.rest = d.rest[used:]
	return int(n)
}

func (d *decoder) text() string {
	n := d.number()
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) list(fn func(first, second string)) {
	for range d.number() {
		if first, second := d.text(), d.text(); !d.bad {
			fn(first, second)
		}
	}
}

// Check makes every remembered plan that still holds again, and returns what is not as
// it was written, or not what it would be made now. Plans of other builds are not used.
// Remove removes what is found.
func (s Store) Check(builds []string, remove bool) ([]string, error) {
	names, err := s.Dir.Names(Folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	secret := s.Secret()
	if secret == nil {
		return nil, nil // nothing in it is used
	}
	slices.Sort(names)
	var found []string
	for _, base := range names {
		name := Folder + "/" + base
		data, err := s.Dir.Read(name, maxSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was too old
		}
		var k kept
		if err == nil {
			k, err = open(secret, name, data)
		}
		if err == nil {
			err = k.again(name, builds)
		}
		if err == nil || errors.Is(err, errOld) {
			continue
		}
		found = append(found, fmt.Sprintf("%s: %v", s.Dir.Path(name), err))
		if remove {
			if err := s.Dir.Remove(name); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// again makes a plan once more and compares.
func (k *kept) again(name string, builds []string) error {
	if !slices.Contains(builds, k.build) || (Store{Build: k.build}).name(&k.hook, k.place) != name {
		return nil // it is not used
	}
	if coverage.Inputs(k.place, k.plan.Vars) != k.inputs || !coverage.Holds(k.seen) {
		return nil // it is made anew when it is needed
	}
	now := coverage.Of(&k.hook, k.place, new(coverage.Look))
	same := slices.EqualFunc(now.Parts, k.plan.Parts, func(a, b coverage.Part) bool { return a.Path == b.Path && a.Name == b.Name })
	if !same || !slices.Equal(now.Unsure, k.plan.Unsure) {
		return fmt.Errorf("it says that a hook runs something else than it does in %s", k.place.Root)
	}
	return nil
}
