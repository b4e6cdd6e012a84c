package app

import (
	"context"
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/selfprotect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// judge runs the hooks on the event of t, and sets the outcome.
func (k *Kit) judge(ctx context.Context, t *turn) {
	if t.shadow.until == "" && !k.hasHookInShadow(t.view.hooks) {
		t.out = t.view.engine.DecideBy(ctx, t.event, t.pick)
	} else {
		t.out = k.judgeInShadow(ctx, t)
	}
	t.event.Shared = t.out.Event.Shared
	k.refuseUnwiring(t)
}

// judgeInShadow runs all hooks, but only the verdict of enforced ones counts. The verdict of all of
// them together is kept for the record. The steps of hooks that their own file puts into shadow mode are
// kept apart, so that nothing else depends on them.
func (k *Kit) judgeInShadow(ctx context.Context, t *turn) engine.Outcome {
	ev := t.event
	if ev.Shared == nil {
		ev.Shared = new(sync.Map) // both decisions share it
	}
	shadowed := t.shadow.until != ""
	of := func(counts bool) func(*checkrein.Hook) bool {
		return func(h *checkrein.Hook) bool {
			return (!k.IsInShadow(h) && (!shadowed || IsEnforced(h))) == counts && (t.pick == nil || t.pick(h))
		}
	}
	out := t.view.engine.DecideBy(ctx, ev, of(true))
	judged := t.view.engine.DecideBy(context.WithValue(ctx, enforcedKey{}, nil), ev, of(false)) // a verdict that does not count uses up no grant
	if shadowed || wouldDiffer(&out.Verdict, &judged.Verdict) {
		would := out.Verdict
		would.Add(&judged.Verdict)
		out.Shadow = &would
	}
	for i := range judged.Steps {
		if judged.Steps[i].Tried = true; k.IsInShadow(judged.Steps[i].Hook) {
			out.Tried = append(out.Tried, judged.Steps[i])
		} else {
			out.Steps = append(out.Steps, judged.Steps[i])
		}
	}
	if shadowed {
		out.Dropped, out.Canceled = append(out.Dropped, judged.Dropped...), out.Canceled || judged.Canceled
		out.Ended = out.Ended || judged.Ended
	}
	return out
}

// wouldDiffer reports whether the outcome would have been different if judged had been enforced too.
// If the enforced verdict asks or denies, it would not.
func wouldDiffer(enforced, judged *checkrein.Verdict) bool {
	return enforced.Decision < checkrein.Ask &&
		(judged.Decision >= checkrein.Ask || enforced.Effects() == 0 && judged.Effects() != 0)
}

// refuseUnwiring denies settings that would switch checkrein off, on the event with which a host
// announces that it is about to apply a changed file, whoever changed it. Hooks cannot decide on that
// event, but self-protection must.
func (k *Kit) refuseUnwiring(t *turn) {
	ev := &t.event
	member := host.SettingsMember(ev)
	if member == "" || !slices.ContainsFunc(t.view.hooks, func(h checkrein.Hook) bool { return h.Name == protectPaths && h.Implied }) {
		return
	}
	verdict := selfprotect.CheckSettings(ev.Host, rawjson.GetText(ev.Raw, member), shell.Place{
		Dir: ev.Session.Dir, Root: ev.Session.Root, Home: k.home, Getenv: k.getenv,
	})
	if verdict.Decision != checkrein.NoOpinion {
		t.out.Verdict.Decision, t.out.Verdict.Reason = verdict.Decision, verdict.Reason
	}
}
