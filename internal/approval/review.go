package approval

import (
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// errMoved reports that somebody else changed the approvals that a review compared
// with.
var errMoved = errors.New("the approvals changed while you reviewed these hooks: review them again")

// A Review is what would be approved, read once: what it shows is what
// [Review.Approve] approves, whatever becomes of the files meanwhile.
type Review struct {
	Items   []Item  // what is sound
	Unsound []error // why others cannot be approved, a *checkrein.HookError each

	dir    state.Dir
	list   []standing // all unapproved: to be bound
	picked []bool
	shelf  shelf
}

// An Item is one hook of a review.
type Item struct {
	Hook       *checkrein.Hook
	New        Approval
	Old        *Approval // the one that it replaces; nil = there is none
	Definition Content
	Files      []FileContent // what would run, and then what would have run before
	Unsure     []string      // why it cannot be told which files it runs; nil = it can
}

// A Content is something as it was approved and as it is to be.
type Content struct {
	Old, New         []byte
	OldKept, NewKept bool // else nobody has it: it is too large, or was not kept then
}

// A FileContent is the content of a file that a hook names.
type FileContent struct {
	Path     string
	Part     string   // of the file: "scripts and settings"; "" = all of it
	Was, Now *FileSum // nil = the hook did not name it, or does no more
	Content
}

// Prepare reads hooks that a person may approve as they are now.
//
// Of hooks, all that there are in configuration order, it reads those that pick
// picks; a nil pick picks all. It needs to see the others too: only then can it
// count unnamed hooks, and tell an edited hook, whose record is replaced, from a
// new one in the same position. Those that need no approval are passed over.
// Place is where they run; see [Store.SetPlace].
//
// A hook that would run a missing, unreadable or too large file cannot be approved:
// it is unsound. An error means that nothing is known of any.
func Prepare(dir state.Dir, at coverage.Place, now time.Time, hooks []checkrein.Hook, pick func(*checkrein.Hook) bool) (*Review, error) {
	n := newNames(at.Root)
	at.Root = n.root
	r := &Review{dir: dir, list: standings(&n, hooks)}
	r.picked = make([]bool, len(r.list))
	b, err := read(dir)
	if err != nil {
		return nil, err
	}
	bound := slices.Clone(r.list)
	b.bind(bound)
	for i := range bound {
		st := &bound[i]
		if r.picked[i] = pick == nil || pick(st.hook); !r.picked[i] {
			continue
		}
		// Files are read before the lock is taken: others may wait for that.
		a, err := record(at, now, st, &r.shelf)
		if err != nil {
			r.Unsound = append(r.Unsound, &checkrein.HookError{Hook: st.hook.Label(), Origin: st.hook.From, Err: err})
			continue
		}
		same := func(it Item) bool { return it.New.place() == st.place }
		if !slices.ContainsFunc(r.Items, same) {
			r.Items = append(r.Items, r.item(st, a, b.old(st)))
		}
	}
	return r, nil
}

// old is the approval that a bound hook has, nil if there is none.
func (b *book) old(st *standing) *Approval {
	if st.state == Unapproved {
		return nil
	}
	return &b.approvals[st.approval]
}

// item compares a new approval with the old one.
func (r *Review) item(st *standing, a Approval, old *Approval) Item {
	it := Item{Hook: st.hook, New: a, Old: old, Unsure: a.Unsure}
	it.Definition.New, it.Definition.NewKept = r.fresh(a.Text)
	var was, gone []FileSum
	if old != nil {
		it.Definition.Old, it.Definition.OldKept = contentOf(r.dir, old.Text)
		was, gone = old.Parts, old.Parts
		if old.Plan == 0 {
			was, gone = old.Files, nil // some of which were only read
		}
	}
	same := func(list []FileSum, f *FileSum) int {
		return slices.IndexFunc(list, func(w FileSum) bool { return w.Path == f.Path && w.Name == f.Name })
	}
	for i := range a.Parts {
		f := FileContent{Path: a.Parts[i].Path, Part: a.Parts[i].Name, Now: &a.Parts[i]}
		f.New, f.NewKept = r.fresh(a.Parts[i].SHA256)
		if at := same(was, f.Now); at >= 0 {
			f.Was = &was[at]
			f.Old, f.OldKept = contentOf(r.dir, was[at].SHA256)
		}
		it.Files = append(it.Files, f)
	}
	for i := range gone {
		if same(a.Parts, &gone[i]) < 0 {
			f := FileContent{Path: gone[i].Path, Part: gone[i].Name, Was: &gone[i]}
			f.Old, f.OldKept = contentOf(r.dir, gone[i].SHA256)
			it.Files = append(it.Files, f)
		}
	}
	return it
}

func (r *Review) fresh(digest string) ([]byte, bool) {
	content, has := r.shelf.content[digest]
	return content, has
}

// Approve records that a person approved those items that yes picks, and returns
// the new records; a nil yes picks those of which it can be told what they run. It
// refuses when the approvals that the review compared with are not the same any
// more.
func (r *Review) Approve(yes func(*Item) bool) ([]Approval, error) {
	if yes == nil {
		yes = func(it *Item) bool { return len(it.Unsure) == 0 }
	}
	var fresh []Approval
	chosen := make(map[place]*Item)
	for i := range r.Items {
		if it := &r.Items[i]; yes(it) {
			fresh, chosen[it.New.place()] = append(fresh, it.New), it
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	picked := make([]bool, len(r.list))
	for i := range r.list {
		picked[i] = r.picked[i] && chosen[r.list[i].place] != nil
	}
	err := change(r.dir, true, func(b *book) (bool, error) {
		bound := slices.Clone(r.list)
		b.bind(bound)
		if !stands(b, bound, chosen) {
			return false, errMoved
		}
		if err := r.shelf.keep(r.dir); err != nil {
			return false, err
		}
		b.approve(bound, picked, fresh)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return fresh, nil
}

// stands reports whether the chosen hooks have the approvals that the review
// compared with.
func stands(b *book, bound []standing, chosen map[place]*Item) bool {
	for i := range bound {
		st := &bound[i]
		it := chosen[st.place]
		if it == nil || it.Hook != st.hook {
			continue // of identical hooks the first one stands for all
		}
		if !sameRecord(b.old(st), it.Old) {
			return false
		}
	}
	return true
}

func sameRecord(a, b *Approval) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.place() == b.place() && a.At.Equal(b.At) && slices.Equal(a.Files, b.Files) && slices.Equal(a.Parts, b.Parts)
}
