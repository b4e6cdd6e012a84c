package app

import (
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
)

// A Review is what would be approved, for a person to look at: its bytes were
// read once, and what is shown is what [Review.Approve] approves.
type Review struct {
	kit    *Kit
	review *approval.Review
	broken []error // hooks that cannot be approved because nobody knows what they are
}

// A Reviewed is one hook of a review.
type Reviewed struct {
	Hook       *checkrein.Hook // as it is approved; the file of a person's own is told by Approval
	Approval   Approval        // what would be recorded
	Before     *Approval       // the one that it replaces; nil = this is the first
	Definition Change
	Files      []FileChange
	Unsure     []string // why it cannot be told which files it runs; nil = it can
}

// A Change is something as it was approved, and as it is now.
type Change struct {
	Old, New         []byte
	OldKept, NewKept bool // else only its size and digest are known
}

// A FileChange is a file that a hook would run, or a part of one, or did.
type FileChange struct {
	Path     string
	Part     string   // "scripts and settings"; "" = all of the file
	Was, Now *FileSum // nil = the hook did not name it, or does not any more
	Change
}

// A FileSum is what is known of a file's content.
type FileSum struct {
	SHA256 string // in hex
	Size   int64
	MTime  time.Time
}

func sumOf(f *approval.FileSum) *FileSum {
	if f == nil {
		return nil
	}
	return &FileSum{f.SHA256, f.Size, f.MTime}
}

// Review reads the picked hooks as they are now, with the files that they would
// run; a nil pick picks all. Hooks that need no approval are passed over. An error
// means that the approvals cannot be read.
func (k *Kit) Review(pick func(*checkrein.Hook) bool) (*Review, error) {
	if pick == nil {
		pick = func(*checkrein.Hook) bool { return true }
	}
	r := &Review{kit: k}
	hooks := k.view().hooks
	for i := range hooks {
		if h := &hooks[i]; h.Broken != "" && h.From.Approval && pick(h) {
			r.broken = append(r.broken, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: errors.New(h.Broken), Remedy: "fix it, then approve it"})
		}
	}
	var err error
	r.review, err = approval.Prepare(k.state, k.coveragePlace(), k.now(), k.approvable(hooks), func(h *checkrein.Hook) bool {
		return h.Broken == "" && (h.From.Scope == checkrein.ScopeProject || k.own(h)) && pick(h)
	})
	if err != nil {
		return nil, err
	}
	for i := range r.review.Items {
		it := &r.review.Items[i]
		it.New.ByName = slices.ContainsFunc(k.byName, func(g namedFile) bool {
			return g.path == it.Hook.From.File || approval.OwnName(k.root, approval.Real(g.path)) == it.Hook.From.File
		})
	}
	return r, nil
}

// Unsound says of each picked hook that cannot be approved why, with what to do.
func (r *Review) Unsound() []error { return slices.Concat(r.broken, r.review.Unsound) }

// Items lists what there is to look at: all that can be approved.
func (r *Review) Items() []Reviewed {
	out := make([]Reviewed, len(r.review.Items))
	for i := range r.review.Items {
		out[i] = reviewed(&r.review.Items[i])
	}
	return out
}

func reviewed(it *approval.Item) Reviewed {
	out := Reviewed{Hook: it.Hook, Approval: approvalOf(it.New), Definition: Change(it.Definition), Unsure: it.Unsure}
	if it.Old != nil {
		before := approvalOf(*it.Old)
		out.Before = &before
	}
	for _, f := range it.Files {
		out.Files = append(out.Files, FileChange{f.Path, f.Part, sumOf(f.Was), sumOf(f.Now), Change(f.Content)})
	}
	return out
}

// Approve records that a person approved those items that yes picks; a nil yes
// picks those of which it can be told which files they run. It refuses when
// somebody else changed the approvals that were compared with.
func (r *Review) Approve(yes func(*Reviewed) bool) ([]Approval, error) {
	var pick func(*approval.Item) bool
	if yes != nil {
		pick = func(it *approval.Item) bool { shown := reviewed(it); return yes(&shown) }
	}
	list, err := r.review.Approve(pick)
	r.kit.look()
	return approvalsOf(list), err
}

// A Drift is one thing about a hook that is not as it was approved.
type Drift struct {
	Path      string    // the file; "" = the hook's definition
	Name      string    // what to call it in messages
	Why       string    // changed, is new, is missing, …
	Now, Then time.Time // of the file, as it is and as it was approved; zero = unknown
}

// Drift says when a hook was approved, and lists what is not as it was then;
// false = nobody approved it.
func (k *Kit) Drift(h *checkrein.Hook) (Approval, []Drift, bool) {
	asked := *h
	if !h.From.Approval {
		asked = k.here(h)
	}
	a, list, ok := k.view().trust.Drift(&asked)
	var drifts []Drift
	for _, d := range list {
		drifts = append(drifts, Drift(d))
	}
	return approvalOf(a), drifts, ok
}
