package app

import (
	"errors"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
)

// A Review is an [approval.Review] of the hooks of a kit.
type Review struct {
	*approval.Review
	kit    *Kit
	broken []error // errors for hooks that cannot be approved because they are broken
}

// Review reads the hooks that pick selects as they are now, with the files that they would run. A nil
// pick selects all hooks. Review skips hooks that need no approval, and fails if the approvals cannot
// be read.
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
	r.Review, err = approval.NewReview(k.state, k.coveragePlace(), k.now(), k.markApprovable(hooks), func(h *checkrein.Hook) bool {
		return h.Broken == "" && (h.From.Scope == checkrein.ScopeProject || k.needsOwnApproval(h)) && pick(h)
	})
	if err != nil {
		return nil, err
	}
	for i := range r.Items {
		it := &r.Items[i]
		it.New.ByName = slices.ContainsFunc(k.byName, func(g namedFile) bool {
			return g.path == it.Hook.From.File || approval.OwnName(k.root, approval.RealPath(g.path)) == it.Hook.From.File
		})
	}
	return r, nil
}

// Unsound returns an error, with a remedy, for each selected hook that cannot be approved.
func (r *Review) Unsound() []error { return slices.Concat(r.broken, r.Review.Unsound) }

// Approve records the approval of the items that yes selects. A nil yes selects those whose files are
// known. It fails if the approvals changed since the review began.
func (r *Review) Approve(yes func(*approval.Item) bool) ([]approval.Approval, error) {
	defer r.kit.refreshView()
	return r.Review.Approve(yes)
}

// Drift returns the approval of h and what has changed since. It reports false if h was never
// approved.
func (k *Kit) Drift(h *checkrein.Hook) (approval.Approval, []approval.Drift, bool) {
	asked := *h
	if !h.From.Approval {
		asked = k.forProject(h)
	}
	return k.view().approvals.DriftOf(&asked)
}
