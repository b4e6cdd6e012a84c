package trust

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/state"
)

// An Approval is one record: what a person approved, and when.
type Approval struct {
	File   string    `json:"file"`   // the configuration file, absolute, its project's links resolved
	Root   string    `json:"root"`   // the project that it was approved in, likewise; "" = unknown
	Event  string    `json:"event"`  // its canonical name; native:X for the host's own X
	Key    string    `json:"key"`    // the name, or "#n": the n-th unnamed hook of that event in that file
	ID     string    `json:"id"`     // the hook's, as it was then
	Shows  string    `json:"shows"`  // what runs, for people; see Shows
	Gate   bool      `json:"gate"`   // it could deny: its event fails closed, or it is a gate or blocks on faults
	Digest string    `json:"digest"` // of the definition; see Definition
	Files  []FileSum `json:"files,omitempty"`
	At     time.Time `json:"at"`
}

// A FileSum is the content of one named file. MTime and Size are for people.
type FileSum struct {
	Path   string    `json:"path"`   // absolute, symbolic links not resolved
	SHA256 string    `json:"sha256"` // of what is there behind all links, in hex
	MTime  time.Time `json:"mtime"`
	Size   int64     `json:"size"`
}

// Approve records that a person approved hooks as they are now, and returns the
// new records, which replace those for the same hooks.
//
// Of hooks, all that there are in configuration order, it approves those that
// pick picks; a nil pick picks all. It needs to see the others too: only then
// can it count unnamed hooks, and tell an edited hook, whose record it replaces,
// from a new one in the same position. Those that need no approval are passed
// over. Root is where they run; see [Store.SetRoot].
//
// A hook that names a missing, unreadable or too large file, or too many, or
// of which nobody can tell what it runs, cannot be approved. Then nothing is,
// and the error says so for each of them.
func Approve(dir state.Dir, root string, now time.Time, hooks []checkrein.Hook, pick func(*checkrein.Hook) bool) ([]Approval, error) {
	n := newNames(root)
	root = n.root
	list := standings(&n, hooks)
	picked := make([]bool, len(list))
	var fresh []Approval
	var errs []error
	for i := range list {
		st := &list[i]
		if picked[i] = pick == nil || pick(st.hook); !picked[i] {
			continue
		}
		// Files are read before the lock is taken: others may wait for that.
		a, err := record(root, now, st)
		if err != nil {
			errs = append(errs, &checkrein.HookError{Hook: st.hook.Label(), Origin: st.hook.From, Err: err})
		}
		same := func(b Approval) bool { return b.place() == st.place }
		if !slices.ContainsFunc(fresh, same) {
			fresh = append(fresh, a)
		}
	}
	if err := errors.Join(errs...); err != nil || len(fresh) == 0 {
		return nil, err
	}
	err := change(dir, func(b *book) bool {
		b.approve(list, picked, fresh)
		return true
	})
	if err != nil {
		return nil, err
	}
	return fresh, nil
}

// record makes the approval of a hook as it is now.
func record(root string, now time.Time, st *standing) (Approval, error) {
	h := st.hook
	a := Approval{
		File: st.file, Root: root, Event: st.event, Key: st.key, ID: h.ID, Shows: Shows(h),
		Gate: couldDeny(h), Digest: st.digest, At: now.UTC(),
	}
	if !filepath.IsAbs(a.File) {
		return a, fmt.Errorf("the path of its file is not absolute: %s", a.File)
	}
	if !filepath.IsAbs(rootOf(root, h)) {
		return a, fmt.Errorf("the path of its project is not absolute: %s", root)
	}
	// JSON cannot hold other bytes, and a record that reads back differently
	// would approve nothing, silently.
	if !utf8.ValidString(a.File) || !utf8.ValidString(a.Root) {
		return a, fmt.Errorf("the path of its file is not UTF-8: %q", a.File)
	}
	paths, err := namedFiles(root, h)
	if err != nil {
		return a, err
	}
	var errs []error
	for _, path := range paths {
		sum, err := sumFile(path)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s %s", shorten(root, h, path), describe(err)))
		case !utf8.ValidString(path):
			errs = append(errs, fmt.Errorf("the path of a file is not UTF-8: %q", path))
		}
		a.Files = append(a.Files, sum)
	}
	return a, errors.Join(errs...)
}

func (a *Approval) place() place { return place{a.File, a.Event, a.Digest} }

// approve puts the fresh records in place of those that the picked hooks had,
// and brings the keys of the other hooks up to date.
func (b *book) approve(list []standing, picked []bool, fresh []Approval) {
	b.bind(list)
	drop := make([]bool, len(b.approvals))
	for i := range list {
		st := &list[i]
		switch {
		case st.state != Unapproved && picked[i]:
			drop[st.approval] = true
		case st.state == Approved:
			b.approvals[st.approval].Key = st.key
		}
	}
	kept := b.approvals[:0]
	for i, a := range b.approvals {
		if !drop[i] {
			kept = append(kept, a)
		}
	}
	b.approvals = append(kept, fresh...)
}

// Revoke removes the approvals that match, and returns them. Match is called
// while the approvals are locked.
func Revoke(dir state.Dir, match func(Approval) bool) ([]Approval, error) {
	var gone []Approval
	err := change(dir, func(b *book) bool {
		kept := b.approvals[:0]
		for _, a := range b.approvals {
			if match(a) {
				gone = append(gone, a)
			} else {
				kept = append(kept, a)
			}
		}
		b.approvals = kept
		return len(gone) > 0
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

// SetOff turns the master switch: off = true turns hooks off.
func SetOff(dir state.Dir, off bool) error {
	return change(dir, func(b *book) bool {
		was := b.off
		b.off = off
		return was != off
	})
}

// List returns all approvals, oldest first.
func List(dir state.Dir) ([]Approval, error) {
	b, err := read(dir)
	return b.approvals, err
}
