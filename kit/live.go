package kit

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/config"
	"github.com/checkrein/checkrein/internal/trust"
)

// lookEvery is how often a kit looks whether the approvals or the master switch
// changed. A look costs more than many a decision.
const lookEvery = 10 * time.Millisecond

// A view is the kit by the approvals and the master switch as they were at one
// time. An event is decided by one view, whatever changes meanwhile.
type view struct {
	stamp  trust.Stamp
	trust  *trust.Store
	hooks  []checkrein.Hook // those that count
	gone   []string         // what the person must know about those that do not
	engine *engine.Engine

	policy    sync.Once
	policySum string
}

// live keeps the view up to date in a program that runs for long.
type live struct {
	still  bool // it never changes
	view   atomic.Pointer[view]
	born   time.Time
	looked atomic.Int64 // when, since it was born
	mu     sync.Mutex   // held while a view is made
}

// begin makes the first view. When the approvals cannot be read, hooks that need
// one count as changed, and the person is told.
func (k *Kit) begin(bare bool) {
	k.live.born, k.live.still = time.Now(), bare
	if bare {
		k.live.view.Store(k.viewBy(&trust.Store{}, k.config.Hooks))
		return
	}
	v, err := k.see(trust.Look(k.state))
	if err != nil {
		k.notes = append(k.notes, err.Error())
	}
	k.live.view.Store(v)
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
	stamp := trust.Look(k.state)
	if stamp.Same(l.view.Load().stamp) {
		return
	}
	v, err := k.see(stamp)
	if err != nil {
		v.gone = append(v.gone, err.Error())
	}
	l.view.Store(v)
}

// see reads the approvals. The stamp was taken before: what changes after it is
// seen the next time.
func (k *Kit) see(stamp trust.Stamp) (*view, error) {
	store, err := trust.Load(k.state)
	store.SetRoot(k.root)
	store.Bind(k.approvable(k.config.Hooks))
	hooks, gone := k.counting(store, err == nil)
	hooks, replaced := k.replaced(store, hooks)
	gone = append(gone, replaced...)
	if len(k.named) == 0 { // else other files are not looked at
		gone = append(gone, gates(k.vanished(store))...)
	}
	v := k.viewBy(store, hooks)
	v.stamp, v.gone = stamp, gone
	return v, err
}

func (k *Kit) viewBy(store *trust.Store, hooks []checkrein.Hook) *view {
	opts := k.plan
	opts.Hooks, opts.Trust, opts.Off = hooks, truster{k, store}, store.Off()
	return &view{trust: store, hooks: hooks, engine: engine.New(opts)}
}

// counting leaves out the broken files of projects from which nobody approved
// anything, if that is known.
func (k *Kit) counting(store *trust.Store, known bool) (hooks []checkrein.Hook, gone []string) {
	lost := func(h checkrein.Hook) bool {
		return h.ID == config.Lost && h.Run == "" && h.From.Scope == checkrein.ScopeProject && known && !store.Knows(h.From.File)
	}
	for i := range k.config.Hooks {
		if h := &k.config.Hooks[i]; h.On == checkrein.Other && lost(*h) { // of which each such file has one
			gone = append(gone, "none of its hooks was ever approved, so they do not count: "+h.Broken)
		}
	}
	return without(k.config.Hooks, lost), gone
}

// replaced leaves out a person's hook folders that an approved one of the
// project replaces by having the same name.
func (k *Kit) replaced(store *trust.Store, hooks []checkrein.Hook) (rest []checkrein.Hook, gone []string) {
	if !slices.ContainsFunc(k.config.Files, func(f config.File) bool { return folders(f.Dialect) }) {
		return hooks, nil
	}
	approved := func(like *checkrein.Hook) bool {
		return slices.ContainsFunc(hooks, func(h checkrein.Hook) bool {
			if h.Dialect != like.Dialect || h.From.Scope != checkrein.ScopeProject || h.Name != like.Name {
				return false
			}
			state, _ := store.Check(&h)
			return state == trust.Approved
		})
	}
	rest = make([]checkrein.Hook, 0, len(hooks))
	for _, h := range hooks {
		if h.From.Scope == checkrein.ScopeUser && folders(h.Dialect) && approved(&h) {
			gone = append(gone, fmt.Sprintf("the project's hook %q, which was approved, takes the place of yours in %s", h.Name, h.From.File))
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

// gates says which approved gates are there no more.
func gates(vanished []Approval) []string {
	var out []string
	for _, a := range vanished {
		if a.Gate && len(out) < fewHooks {
			out = append(out, fmt.Sprintf("the gate %s on %s was approved and is gone from %s: checkrein hooks list shows it, checkrein hooks revoke forgets it", a.ID, a.Event, a.File))
		}
	}
	return out
}
