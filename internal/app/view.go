package app

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/config"
)

// lookEvery is how often a kit looks whether the approvals or the master switch
// changed. A look costs more than many a decision.
const lookEvery = 10 * time.Millisecond

// A view is the kit by the approvals and the master switch as they were at one
// time. An event is decided by one view, whatever changes meanwhile.
type view struct {
	stamp  approval.Stamp
	trust  *approval.Store
	hooks  []checkrein.Hook // those that count
	gone   []string         // what the person must know about those that do not
	engine *engine.Engine

	policy    sync.Once
	policySum string
	sums      []record.Sums // of the hooks
}

// live keeps the view up to date in a program that runs for long.
type live struct {
	still  bool // it never changes
	view   atomic.Pointer[view]
	last   atomic.Pointer[view] // the one before
	born   time.Time
	looked atomic.Int64 // when, since it was born
	mu     sync.Mutex   // held while a view is made
}

// approvals are the person's, as they were read at one time. The stamp was taken
// before: what changes after it is seen the next time.
type approvals struct {
	stamp approval.Stamp
	store *approval.Store // nil = the kit serves what others hand over
	err   error
}

func (k *Kit) approvals() approvals {
	a := approvals{stamp: approval.Look(k.state)}
	a.store, a.err = approval.Load(k.state)
	a.store.SetPlace(k.coveragePlace())
	if k.checkoutOf != "" {
		a.store.Twin(k.checkoutOf)
	}
	return a
}

// begin makes the first view. When the approvals cannot be read, hooks that need
// one count as changed, and the person is told.
func (k *Kit) begin(given approvals) {
	k.live.born, k.live.still = time.Now(), given.store == nil
	if k.live.still {
		k.live.view.Store(k.viewBy(&approval.Store{}, k.config.Hooks))
		return
	}
	if given.err != nil {
		k.noteAnomaly(given.err.Error())
	}
	for _, err := range k.state.CheckRemoved() {
		k.noteAnomaly(err.Error())
	}
	if found := given.store.Unsealed(); found != nil && found.Off {
		k.noteAnomaly("an older version of checkrein switched hooks off, which does not count any more: if you want that, run checkrein hooks in your own terminal, then switch them off again")
	}
	k.live.view.Store(k.see(given))
}

// view is the kit as it is now, give or take lookEvery.
func (k *Kit) view() *view {
	l := &k.live
	now, last := int64(time.Since(l.born)), l.looked.Load()
	if !l.still && now-last >= int64(lookEvery) && l.looked.CompareAndSwap(last, now) {
		k.look()
	}
	return l.view.Load()
}

// look makes a new view if the approvals changed.
func (k *Kit) look() {
	l := &k.live
	if l.still {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if approval.Look(k.state).Same(l.view.Load().stamp) {
		return
	}
	now := k.approvals()
	v := k.see(now)
	if now.err != nil {
		v.gone = append(v.gone, now.err.Error())
	}
	l.last.Store(l.view.Swap(v))
}

// viewOf is the view by which an outcome was decided, unless two have come since.
func (k *Kit) viewOf(out *engine.Outcome) *view {
	v := k.live.view.Load()
	if last := k.live.last.Load(); last != nil && len(out.Steps) > 0 && v.index(out.Steps[0].Hook) < 0 && last.index(out.Steps[0].Hook) >= 0 {
		return last
	}
	return v
}

// index is which hook of a view one of its engine is; -1 = none.
func (v *view) index(h *checkrein.Hook) int {
	for i := range v.hooks {
		if &v.hooks[i] == h {
			return i
		}
	}
	return -1
}

// see makes the view that the approvals give.
func (k *Kit) see(given approvals) *view {
	store := given.store
	store.Bind(k.markApprovable(k.config.Hooks))
	store.SetNamed(k.filesToName())
	hooks, gone := k.effectiveHooks(store, given.err == nil)
	hooks, replaced := k.dropReplaced(store, hooks)
	gone = append(gone, replaced...)
	if len(k.named) == 0 { // else other files are not looked at
		gone = append(gone, goneGateNotices(k.vanishedIn(store))...)
	}
	v := k.viewBy(store, markDisabled(store, hooks))
	v.stamp, v.gone = given.stamp, gone
	return v
}

func (k *Kit) viewBy(store *approval.Store, hooks []checkrein.Hook) *view {
	opts := k.engineOptions
	opts.Hooks, opts.Trust, opts.Off = hooks, approvalChecker{k, store}, store.Off()
	return &view{trust: store, hooks: hooks, engine: engine.New(opts)}
}

// dropReplaced leaves out a person's hook folders that an approved one of the
// project replaces by having the same name.
func (k *Kit) dropReplaced(store *approval.Store, hooks []checkrein.Hook) (rest []checkrein.Hook, gone []string) {
	if !slices.ContainsFunc(k.config.Files, func(f config.File) bool { return hasHookFolders(f.Dialect) }) {
		return hooks, nil
	}
	approved := func(like *checkrein.Hook) bool {
		return slices.ContainsFunc(hooks, func(h checkrein.Hook) bool {
			if h.Dialect != like.Dialect || h.From.Scope != checkrein.ScopeProject || h.Name != like.Name {
				return false
			}
			state, _, _ := store.Check(&h)
			return state == approval.Approved
		})
	}
	own := func(h *checkrein.Hook) bool { return h.From.Scope == checkrein.ScopeUser && hasHookFolders(h.Dialect) }
	alone := func(like *checkrein.Hook) bool { // of two with one name nobody knows which is meant
		return !slices.ContainsFunc(hooks, func(h checkrein.Hook) bool {
			return own(&h) && h.Name == like.Name && h.From.File != like.From.File
		})
	}
	rest = make([]checkrein.Hook, 0, len(hooks))
	for _, h := range hooks {
		if own(&h) && approved(&h) && alone(&h) {
			gone = append(gone, fmt.Sprintf("the project's approved hook %q replaces yours in %s", h.Name, h.From.File))
			continue
		}
		rest = append(rest, h)
	}
	return rest, gone
}

// without is a list without what drop picks; the list itself if that is all of
// it.
func without(hooks []checkrein.Hook, drop func(checkrein.Hook) bool) []checkrein.Hook {
	if !slices.ContainsFunc(hooks, drop) {
		return hooks
	}
	return slices.DeleteFunc(slices.Clone(hooks), drop)
}

// goneGateNotices say which approved gates are there no more.
func goneGateNotices(vanished []Vanished) []string {
	var out []string
	for _, v := range vanished {
		if v.Gate && len(out) < fewHooks {
			restore, forget := v.Remedies[0], v.Remedies[1]
			out = append(out, fmt.Sprintf("the hook %q (%s) in %s %s: %s, %s, run: %s", v.ID, v.Event, v.File, v.Why, restore.Text, forget.Text, forget.Command))
		}
	}
	return out
}
