package kit

import (
	"context"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// shadowedBy is until when verdicts are recorded and not enforced; "" = they are. A
// file says so, or a person who paused the guard.
func (k *Kit) shadowedBy() (until string, paused bool) {
	var file time.Time
	if text := k.config.Settings.Shadow; text != "" {
		var err error
		if file, err = time.Parse(time.RFC3339, text); err == nil && k.now().Before(file) {
			until = text
		}
	}
	if len(k.named) > 0 { // files that are given by name are for trying things out
		return until, false
	}
	p, err := k.grants.Paused()
	if err != nil {
		k.odder(err.Error())
	}
	if p != nil && (until == "" || p.Until.After(file)) {
		return p.Until.UTC().Format(time.RFC3339), true
	}
	return until, false
}

// localTime returns a time of RFC 3339 as people read it.
func localTime(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.Local().Format(time.DateTime)
}

// shadowNews says that verdicts are not enforced, "" when they are.
func shadowNews(until string, paused bool) string {
	if until == "" {
		return ""
	}
	until = localTime(until)
	what := "shadow mode until " + until
	if paused {
		what = "paused until " + until + " (to end the pause, run checkrein pause off)"
	}
	return what + ": " + onlyRecorded
}

const onlyRecorded = "hook decisions are recorded but not enforced, except for managed hooks and self-protection"

// enforced reports whether a hook counts whatever is switched off, paused or in shadow:
// a managed one, and self-protection, without which an agent could keep its guards off.
func enforced(h *checkrein.Hook) bool {
	return h.From.Scope == checkrein.ScopeManaged || h.Implied && h.Name == protectPaths
}

// isTried reports whether a managed file has its own hook in shadow mode. Other files
// cannot, and self-protection is in no file.
func isTried(h *checkrein.Hook) bool {
	return h.Shadow && h.From.Scope == checkrein.ScopeManaged && !h.Implied
}

// triesAny reports whether a hook on an event is tried.
func triesAny(hooks []checkrein.Hook, on checkrein.Kind) bool {
	for i := range hooks {
		if h := &hooks[i]; h.On == on && isTried(h) {
			return true
		}
	}
	return false
}

// IsTried reports whether a managed file has its own hook in shadow mode.
func (k *Kit) IsTried(h *checkrein.Hook) bool { return isTried(h) }

// Enforced reports whether a hook counts whatever is switched off, paused or in shadow.
func (k *Kit) Enforced(h *checkrein.Hook) bool { return enforced(h) }

// decide runs the hooks of an event. In shadow the others than those that are
// enforced are asked all the same, and what all of them together come to is kept
// for the record.
func (k *Kit) decide(ctx context.Context, v *view, ev checkrein.Event, pick func(*checkrein.Hook) bool, shadowed bool) engine.Outcome {
	if !shadowed && !triesAny(v.hooks, ev.Kind) {
		return v.engine.DecideBy(ctx, ev, pick)
	}
	if ev.Seen == nil {
		ev.Seen = new(checkrein.Seen) // one for both
	}
	of := func(counts bool) func(*checkrein.Hook) bool {
		return func(h *checkrein.Hook) bool {
			return (!isTried(h) && (!shadowed || enforced(h))) == counts && (pick == nil || pick(h))
		}
	}
	out := v.engine.DecideBy(ctx, ev, of(true))
	judged := v.engine.DecideBy(context.WithValue(ctx, forReal{}, nil), ev, of(false)) // what does not count uses no grant up
	if shadowed || wouldDiffer(&out.Verdict, &judged.Verdict) {
		would := out.Verdict
		would.Add(&judged.Verdict)
		out.Shadow = &would
	}
	out.Steps = slices.Concat(out.Steps, judged.Steps)
	out.Dropped, out.Canceled = append(out.Dropped, judged.Dropped...), out.Canceled || judged.Canceled
	return out
}

// wouldDiffer reports whether the outcome would have been another one, had the judged
// verdict been enforced too. Where a person was asked or the call denied, the record has
// that.
func wouldDiffer(enforced, judged *checkrein.Verdict) bool {
	return enforced.Decision < checkrein.Ask &&
		(judged.Decision >= checkrein.Ask || enforced.Effects() == 0 && judged.Effects() != 0)
}

// unenforced reports whether what would have counted did not: what is denied all the
// same is.
func unenforced(out *engine.Outcome) bool {
	return out.Shadow != nil && out.Verdict.Decision != checkrein.Deny
}

// recorded is an outcome as the ledger has it: with what would have counted.
func recorded(out *engine.Outcome) *engine.Outcome {
	if out.Shadow == nil {
		return out
	}
	would := *out
	would.Verdict = *out.Shadow
	would.Verdict.Notice = out.Verdict.Notice
	if v := &out.Verdict; v.Decision > would.Verdict.Decision { // which keeps the wiring
		would.Verdict.Decision, would.Verdict.Reason = v.Decision, v.Reason
	}
	return &would
}
