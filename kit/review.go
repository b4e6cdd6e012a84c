package kit

import (
	"errors"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/trust"
)

// A Review is what would be approved, for a person to look at: its bytes were
// read once, and what is shown is what [Review.Approve] approves.
type Review struct {
	kit    *Kit
	review *trust.Review
}

// A Reviewed is one hook of a review.
type Reviewed struct {
	Hook       *checkrein.Hook // as it is approved; the file of a person's own is told by Approval
	Approval   Approval        // what would be recorded
	Before     *Approval       // the one that it replaces; nil = this is the first
	Definition Change
	Files      []FileChange
}

// A Change is something as it was approved, and as it is now.
type Change struct {
	Old, New         []byte
	OldKept, NewKept bool // else only its size and digest are known
}

// A FileChange is a file that a hook names, or did.
type FileChange struct {
	Path     string
	Was, Now *FileSum // nil = the hook did not name it, or does not any more
	Change
}

// A FileSum is what is known of a file's content.
type FileSum struct {
	SHA256 string // in hex
	Size   int64
	MTime  time.Time
}

func sumOf(f *trust.FileSum) *FileSum {
	if f == nil {
		return nil
	}
	return &FileSum{f.SHA256, f.Size, f.MTime}
}

// Review reads the picked hooks as they are now, with the script files that they
// name; a nil pick picks all. Hooks that need no approval are passed over.
func (k *Kit) Review(pick func(*checkrein.Hook) bool) (*Review, error) {
	if pick == nil {
		pick = func(*checkrein.Hook) bool { return true }
	}
	hooks := k.view().hooks
	for i := range hooks {
		if h := &hooks[i]; h.Broken != "" && h.From.Approval && pick(h) {
			return nil, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: errors.New(h.Broken), Remedy: "mend it, then approve it"}
		}
	}
	r, err := trust.Prepare(k.state, k.root, k.now(), k.approvable(hooks), func(h *checkrein.Hook) bool {
		return (h.From.Scope == checkrein.ScopeProject || k.own(h)) && pick(h)
	})
	if err != nil {
		return nil, err
	}
	return &Review{k, r}, nil
}

// Items lists what there is to look at.
func (r *Review) Items() []Reviewed {
	out := make([]Reviewed, len(r.review.Items))
	for i, it := range r.review.Items {
		out[i] = Reviewed{Hook: it.Hook, Approval: approvalOf(it.New), Definition: Change(it.Definition)}
		if it.Old != nil {
			before := approvalOf(*it.Old)
			out[i].Before = &before
		}
		for _, f := range it.Files {
			out[i].Files = append(out[i].Files, FileChange{f.Path, sumOf(f.Was), sumOf(f.Now), Change(f.Content)})
		}
	}
	return out
}

// Approve records that a person approved what the review shows. It refuses when
// somebody else changed the approvals that were compared with.
func (r *Review) Approve() ([]Approval, error) {
	list, err := r.review.Approve()
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
