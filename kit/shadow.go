package kit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// shadowed is until when verdicts are recorded and not enforced; "" = they are.
func (k *Kit) shadowed() string {
	until, err := time.Parse(time.RFC3339, k.config.Settings.Shadow)
	if k.config.Settings.Shadow == "" || err != nil || !k.now().Before(until) {
		return ""
	}
	return k.config.Settings.Shadow
}

func shadowText(until string) string {
	return fmt.Sprintf("shadow until %s: what hooks decide is recorded and not enforced, managed hooks and self-protection excepted", until)
}

// enforced reports whether a hook counts in shadow: a managed one, and the one that
// keeps an agent from taking its guards away before they begin to count.
func enforced(h *checkrein.Hook) bool {
	return h.From.Scope == checkrein.ScopeManaged || h.Implied && h.Name == protectPaths
}

// decide runs the hooks of an event. In shadow the others than those that are
// enforced are asked all the same, and what all of them together come to is kept
// for the record.
func (k *Kit) decide(ctx context.Context, v *view, ev checkrein.Event, pick func(*checkrein.Hook) bool) engine.Outcome {
	if k.shadowed() == "" {
		return v.engine.DecideBy(ctx, ev, pick)
	}
	of := func(counts bool) func(*checkrein.Hook) bool {
		return func(h *checkrein.Hook) bool {
			return enforced(h) == counts && (pick == nil || pick(h))
		}
	}
	out := v.engine.DecideBy(ctx, ev, of(true))
	judged := v.engine.DecideBy(ctx, ev, of(false))
	would := out.Verdict
	would.Add(&judged.Verdict)
	out.Shadow, out.Steps = &would, slices.Concat(out.Steps, judged.Steps)
	out.Dropped, out.Canceled = append(out.Dropped, judged.Dropped...), out.Canceled || judged.Canceled
	return out
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
