package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/sys/undo"
)

// saveFunc is the type of [builtin.Machine.Save].
type saveFunc = func(context.Context, *checkrein.Event, undo.Request) (builtin.Saved, error)

// saver returns the function with which guards save what a call would lose, or nil for programs that
// embed checkrein, whose users have no command that brings it back.
func (k *Kit) saver(opts Options) saveFunc {
	if opts.Own != nil || k.state.Path() == "" {
		return nil
	}
	return k.saveLosses
}

// saveLosses implements [builtin.Machine.Save]. If the decision about it does not count, it only
// checks that this is possible.
func (k *Kit) saveLosses(ctx context.Context, ev *checkrein.Event, r undo.Request) (builtin.Saved, error) {
	store := undo.Open(k.state, k.environ, k.now)
	r.Session, r.Dir = ev.Session.ID, ev.Session.Root
	if ev.Tool != nil {
		r.CallID = ev.Tool.CallID
	}
	if ctx.Value(enforcedKey{}) == nil || ev.Kind != checkrein.PreToolUse {
		any, err := store.Check(ctx, r)
		return builtin.Saved{Any: any}, err
	}
	save := func() any {
		e, err := store.Save(ctx, r)
		return &saveResult{builtin.Saved{Any: e.ID != "", ID: e.ID}, err}
	}
	// A call that is judged again, after a rewrite of something else, loses the same.
	done, _ := seen.ForEvent(ev).LoadOrMake(saveKey(fmt.Sprint(r.Losses)), save).(*saveResult)
	if done == nil {
		done = save().(*saveResult)
	}
	return done.Saved, done.err
}

// settleSaves returns what the person should know about the saves of the outcome. If the call is denied
// after all, it removes them.
func (k *Kit) settleSaves(out *engine.Outcome) (notices []string) {
	v := &out.Verdict
	if !slices.ContainsFunc(v.Obligations, func(o checkrein.Obligation) bool { return o.Kind == "save" && o.ID != "" }) {
		return nil
	}
	store := undo.Open(k.state, k.environ, k.now)
	v.Obligations = slices.DeleteFunc(slices.Clone(v.Obligations), func(o checkrein.Obligation) bool {
		if o.Kind != "save" || o.ID == "" {
			return false
		}
		if v.Decision == checkrein.Deny {
			_ = store.Forget(o.ID) // otherwise it goes with its age
			return true
		}
		if o.Detail != "" {
			notices = append(notices, o.Detail)
		}
		return false
	})
	return notices
}

// saveKey is the type of the keys for results of saves in [seen.Seen].
type saveKey string

// A saveResult is the result of a save.
type saveResult struct {
	builtin.Saved
	err error
}
