package approval

import (
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// errApprovalsChanged means that the approvals changed after a review compared hooks with them.
var errApprovalsChanged = errors.New("the approvals changed while you reviewed these hooks: review them again")

// A Review shows what would be approved. It reads files once, so that [Review.Approve] approves what
// the review shows, whatever happens to the files in between.
type Review struct {
	Items   []Item  // hooks that can be approved
	Unsound []error // why the others cannot be approved, each a *checkrein.HookError

	dir    state.Dir
	list   []boundHook // not yet bound
	picked []bool
	shelf  pendingContent
}

// An Item is one hook of a review.
type Item struct {
	Hook       *checkrein.Hook
	New        Approval
	Old        *Approval // the approval that it replaces; nil means none
	Definition Content
	Files      []FileContent // what would run, followed by what would have run before and no longer does
	Unsure     []string      // why the files that it runs cannot be determined; nil means that they can
}

// A Content is text as it was approved before, and as it would be approved now.
type Content struct {
	Old, New         []byte
	OldKept, NewKept bool // false means that it was not kept, for example because it is too large
}

// A FileContent is a file that a hook runs, with its contents.
type FileContent struct {
	Path     string
	Part     string      // the part, such as "scripts and settings"; "" means the whole file
	Was, Now *FileDigest // nil means that the hook did not run it before, or no longer does
	Content
}

// NewReview reads the hooks that a person may approve, as they are now.
//
// hooks must be all hooks in configuration order. NewReview reads those that pick selects, or all if
// pick is nil. It needs the others to number unnamed hooks, and to distinguish an edited hook, whose
// record is replaced, from a new one in the same position. Hooks that need no approval are skipped. at
// is where they run; see [Store.SetPlace].
//
// A hook that would run a missing, unreadable or too large file cannot be approved and is listed in
// Review.Unsound. An error means that no hook could be checked.
func NewReview(dir state.Dir, at coverage.Place, now time.Time, hooks []checkrein.Hook, pick func(*checkrein.Hook) bool) (*Review, error) {
	n := newFileNames(at.Root)
	at.Root = n.root
	r := &Review{dir: dir, list: newBoundHooks(&n, hooks)}
	r.picked = make([]bool, len(r.list))
	b, err := readBook(dir)
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
		// Files are read before the lock is taken, so that other processes do not wait.
		a, err := newApproval(at, now, st, &r.shelf)
		if err != nil {
			r.Unsound = append(r.Unsound, &checkrein.HookError{Hook: st.hook.Label(), Origin: st.hook.From, Err: err})
			continue
		}
		same := func(it Item) bool { return it.New.bindingKey() == st.hookKey }
		if !slices.ContainsFunc(r.Items, same) {
			r.Items = append(r.Items, r.newItem(st, a, b.approvalOf(st)))
		}
	}
	return r, nil
}

// approvalOf returns the approval of a bound hook, or nil if it is unapproved.
func (b *book) approvalOf(st *boundHook) *Approval {
	if st.state == Unapproved {
		return nil
	}
	return &b.approvals[st.approval]
}

// newItem returns the item for the hook st, which compares its new approval a with old, which may be
// nil.
func (r *Review) newItem(st *boundHook, a Approval, old *Approval) Item {
	it := Item{Hook: st.hook, New: a, Old: old, Unsure: a.Unsure}
	it.Definition.New, it.Definition.NewKept = r.newContent(a.Text)
	var was, gone []FileDigest
	if old != nil {
		it.Definition.Old, it.Definition.OldKept = readContent(r.dir, old.Text)
		was, gone = old.Parts, old.Parts
		if old.Plan == 0 {
			was, gone = old.Files, nil // some of these files were only read
		}
	}
	same := func(list []FileDigest, f *FileDigest) int {
		return slices.IndexFunc(list, func(w FileDigest) bool { return w.Path == f.Path && w.Name == f.Name })
	}
	for i := range a.Parts {
		f := FileContent{Path: a.Parts[i].Path, Part: a.Parts[i].Name, Now: &a.Parts[i]}
		f.New, f.NewKept = r.newContent(a.Parts[i].SHA256)
		if at := same(was, f.Now); at >= 0 {
			f.Was = &was[at]
			f.Old, f.OldKept = readContent(r.dir, was[at].SHA256)
		}
		it.Files = append(it.Files, f)
	}
	for i := range gone {
		if same(a.Parts, &gone[i]) < 0 {
			f := FileContent{Path: gone[i].Path, Part: gone[i].Name, Was: &gone[i]}
			f.Old, f.OldKept = readContent(r.dir, gone[i].SHA256)
			it.Files = append(it.Files, f)
		}
	}
	return it
}

// newContent returns the contents with this digest that would be approved. It reports false if they
// were not kept.
func (r *Review) newContent(digest string) ([]byte, bool) {
	content, has := r.shelf.content[digest]
	return content, has
}

// Approve records that a person approved the items for which yes returns true, and returns the new
// records. If yes is nil, it approves the items whose files could be determined. It returns an error
// if the approvals that the review compared with have changed.
func (r *Review) Approve(yes func(*Item) bool) ([]Approval, error) {
	if yes == nil {
		yes = func(it *Item) bool { return len(it.Unsure) == 0 }
	}
	var fresh []Approval
	chosen := make(map[hookKey]*Item)
	for i := range r.Items {
		if it := &r.Items[i]; yes(it) {
			fresh, chosen[it.New.bindingKey()] = append(fresh, it.New), it
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	picked := make([]bool, len(r.list))
	for i := range r.list {
		picked[i] = r.picked[i] && chosen[r.list[i].hookKey] != nil
	}
	err := changeBook(r.dir, true, func(b *book) (bool, error) {
		bound := slices.Clone(r.list)
		b.bind(bound)
		if !haveSameApprovals(b, bound, chosen) {
			return false, errApprovalsChanged
		}
		if err := r.shelf.save(r.dir); err != nil {
			return false, err
		}
		b.replaceApprovals(bound, picked, fresh)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return fresh, nil
}

// haveSameApprovals reports whether the chosen hooks still have the approvals in b that the review
// compared with.
func haveSameApprovals(b *book, bound []boundHook, chosen map[hookKey]*Item) bool {
	for i := range bound {
		st := &bound[i]
		it := chosen[st.hookKey]
		if it == nil || it.Hook != st.hook {
			continue // the first of identical hooks represents all
		}
		if !sameRecord(b.approvalOf(st), it.Old) {
			return false
		}
	}
	return true
}

// sameRecord reports whether a and b are the same record, or both nil.
func sameRecord(a, b *Approval) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.bindingKey() == b.bindingKey() && a.At.Equal(b.At) && slices.Equal(a.Files, b.Files) && slices.Equal(a.Parts, b.Parts)
}
