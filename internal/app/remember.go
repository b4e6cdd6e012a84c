package app

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/study"
)

// remember saves what the session remembers about a turn: that a call was denied, and what its hooks
// spent on models. It saves no denial for a caller that does not own the session.
func (k *Kit) remember(t *turn) {
	if t.out.Verdict.Decision == checkrein.Deny && t.event.Kind == checkrein.PreToolUse && !k.standing.foreign {
		if effect := k.effectKey(t); effect != "" {
			k.memory.addDenial(t.session, effect, firstReason(&t.out), study.Touches(&t.event, k.callEnv(&t.event)))
		}
	}
	if t.real {
		k.countSpent(t.session, &t.out)
	}
}

// effectKey returns a key for what the call of t does, by which hooks compare it with earlier denials
// in the session, or "" if there are no such hooks.
func (k *Kit) effectKey(t *turn) string {
	if t.effect == "" && t.event.Tool != nil && t.event.Session.ID != "" && k.recallsDenials(t.out.Steps) {
		t.effect = study.EffectKey(&t.event, k.callEnv(&t.event))
	}
	return t.effect
}

// recallsDenials reports whether the hook of one of steps uses earlier denials.
func (k *Kit) recallsDenials(steps []engine.Step) bool {
	return slices.ContainsFunc(steps, func(s engine.Step) bool { return k.Traits(s.Hook).Recalls })
}

// maxReasonBytes is how many bytes of a reason are saved.
const maxReasonBytes = 300

// firstReason returns the reason of the first denial that does not come from denial memory, without
// secrets, or "" if there is none.
func firstReason(out *engine.Outcome) string {
	for i := range out.Steps {
		s := &out.Steps[i]
		if v := s.Verdict; v != nil && v.Decision == checkrein.Deny && v.Reason != "" && !strings.HasPrefix(v.Metadata["rule"], conduct.DenialMemory+"/") {
			return clip(redactorFor(&out.Event).MaskText(v.Reason), maxReasonBytes)
		}
	}
	return ""
}
