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

// refreshInterval is how often a kit checks whether the approvals or the master switch changed. A
// check takes longer than many decisions do.
const refreshInterval = 10 * time.Millisecond

// A view is the kit under the approvals and the master switch at one time. An event is decided with
// one view, whatever changes meanwhile.
type view struct {
	stamp     approval.Stamp
	approvals *approval.Store
	hooks     []checkrein.Hook // the hooks that count
	notices   []string         // notices about hooks that do not count
	engine    *engine.Engine

	policy       sync.Once
	policyDigest string
	digests      []record.HookDigests // the digests of hooks
}

// A liveView keeps the view up to date in a long-running program.
type liveView struct {
	fixed    bool // the view never changes
	view     atomic.Pointer[view]
	previous atomic.Pointer[view] // the view before
	started  time.Time
	checked  atomic.Int64 // when approvals were last checked, in nanoseconds since started
	mu       sync.Mutex   // held while a view is created
}

// approvals holds the user's approvals at one time. The stamp is taken before the store is read, so
// that later changes are noticed at the next check.
type approvals struct {
	stamp approval.Stamp
	store *approval.Store // nil = the kit runs hooks that other processes hand over
	err   error
}

// loadApprovals reads the user's approvals for this project.
func (k *Kit) loadApprovals() approvals {
	a := approvals{stamp: approval.TakeStamp(k.approvalState)}
	a.store, a.err = approval.Load(k.approvalState)
	a.store.SetPlace(k.coveragePlace())
	if k.checkoutOf != "" {
		a.store.InheritFrom(k.checkoutOf)
	}
	return a
}

// makeFirstView creates the first view. If the approvals cannot be read, hooks that need approval
// count as changed, and a notice reports that.
func (k *Kit) makeFirstView(given approvals) {
	k.live.started, k.live.fixed = time.Now(), given.store == nil
	if k.live.fixed {
		k.live.view.Store(k.newViewOfHooks(&approval.Store{}, k.config.Hooks))
		return
	}
	if given.err != nil {
		k.noteAnomaly(given.err.Error())
	}
	for _, err := range k.approvalState.RemovedSealedErrors() {
		k.noteAnomaly(err.Error())
	}
	if found := given.store.UnsealedApprovals(); found != nil && found.Off {
		k.noteAnomaly("an older version of checkrein switched hooks off, which does not count any more: if you want that, run checkrein hooks in your own terminal, then switch them off again")
	}
	k.live.view.Store(k.newView(given))
	k.live.fixed = k.replays
}

// view returns the current view. It may miss changes of the last refreshInterval.
func (k *Kit) view() *view {
	l := &k.live
	now, last := int64(time.Since(l.started)), l.checked.Load()
	if !l.fixed && now-last >= int64(refreshInterval) && l.checked.CompareAndSwap(last, now) {
		k.refreshView()
	}
	return l.view.Load()
}

// refreshView creates a new view if the approvals changed.
func (k *Kit) refreshView() {
	l := &k.live
	if l.fixed {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if approval.TakeStamp(k.approvalState).Equal(l.view.Load().stamp) {
		return
	}
	now := k.loadApprovals()
	v := k.newView(now)
	if now.err != nil {
		v.notices = append(v.notices, now.err.Error())
	}
	l.previous.Store(l.view.Swap(v))
}

// viewOf returns the view with which out was decided, unless two newer ones have been created since.
func (k *Kit) viewOf(out *engine.Outcome) *view {
	v := k.live.view.Load()
	if last := k.live.previous.Load(); last != nil {
		if steps := out.AllSteps(); len(steps) > 0 && v.indexOf(steps[0].Hook) < 0 && last.indexOf(steps[0].Hook) >= 0 {
			return last
		}
	}
	return v
}

// indexOf returns the index of h, a hook of the view's engine, or -1 if it is not one.
func (v *view) indexOf(h *checkrein.Hook) int {
	for i := range v.hooks {
		if &v.hooks[i] == h {
			return i
		}
	}
	return -1
}

// newView returns the view under the given approvals.
func (k *Kit) newView(given approvals) *view {
	store := given.store
	store.Bind(k.markApprovable(k.config.Hooks))
	store.SetNamedFiles(k.filesToName())
	hooks, gone := k.effectiveHooks(store, given.err == nil)
	hooks, replaced := k.dropReplaced(store, hooks)
	gone = append(gone, replaced...)
	if len(k.named) == 0 { // otherwise, the files with the approved hooks were not read
		gone = append(gone, goneGateNotices(k.vanishedIn(store))...)
	}
	v := k.newViewOfHooks(store, markDisabled(store, hooks))
	v.stamp, v.notices = given.stamp, gone
	return v
}

// newViewOfHooks returns a view with exactly these hooks.
func (k *Kit) newViewOfHooks(store *approval.Store, hooks []checkrein.Hook) *view {
	opts := k.engineOptions
	opts.Hooks, opts.Trust, opts.Off = hooks, approvalChecker{k, store}, store.IsOff()
	if k.trust != nil {
		opts.Trust = k.trust
	}
	return &view{approvals: store, hooks: hooks, engine: engine.New(opts)}
}

// dropReplaced returns hooks without the user's hook folders that an approved folder of the same name
// in the project replaces, and notices about them.
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
	alone := func(like *checkrein.Hook) bool { // reports whether the user has no other hook of the same name
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

// withoutHooks returns hooks without those that drop selects. It returns hooks itself if drop selects
// none.
func withoutHooks(hooks []checkrein.Hook, drop func(checkrein.Hook) bool) []checkrein.Hook {
	if !slices.ContainsFunc(hooks, drop) {
		return hooks
	}
	return slices.DeleteFunc(slices.Clone(hooks), drop)
}

// goneGateNotices returns notices about the first approved gates in vanished.
func goneGateNotices(vanished []Vanished) []string {
	var out []string
	for _, v := range vanished {
		if v.Gate && len(out) < maxNamedHooks {
			restore, forget := v.Remedies[0], v.Remedies[1]
			out = append(out, fmt.Sprintf("the hook %q (%s) in %s %s: %s, %s, run: %s", v.ID, v.Event, v.File, v.Why, restore.Text, forget.Text, forget.Command))
		}
	}
	return out
}
