package app

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/study"
)

// keep notes what the session remembers of a turn: that a call was denied, and what its
// hooks spent on models. Nothing is noted for a caller that is foreign to the session.
func (k *Kit) keep(t *turn) {
	if t.out.Verdict.Decision == checkrein.Deny && t.event.Kind == checkrein.PreToolUse && !k.standing.foreign {
		if effect := k.effectOf(t); effect != "" {
			k.memory.addDenial(t.session, effect, firstReason(&t.out), study.Touches(&t.event, k.ground(&t.event)))
		}
	}
	if t.real {
		k.countSpent(t.session, &t.out)
	}
}

// effectOf names what a call does, for hooks that go by what was denied before in the
// session; "" = there are none.
func (k *Kit) effectOf(t *turn) string {
	if t.effect == "" && t.event.Tool != nil && t.event.Session.ID != "" && k.recallsDenials(t.out.Steps) {
		t.effect = study.EffectKey(&t.event, k.ground(&t.event))
	}
	return t.effect
}

// recallsDenials reports whether a hook goes by what was denied before.
func (k *Kit) recallsDenials(steps []engine.Step) bool {
	return slices.ContainsFunc(steps, func(s engine.Step) bool { return k.Traits(s.Hook).Recalls })
}

// maxWhy bounds what is remembered of a reason.
const maxWhy = 300

// firstReason is what others than denial memory denied a call for, masked.
func firstReason(out *engine.Outcome) string {
	for i := range out.Steps {
		s := &out.Steps[i]
		if v := s.Verdict; v != nil && v.Decision == checkrein.Deny && v.Reason != "" && !strings.HasPrefix(v.Metadata["rule"], conduct.DenialMemory+"/") {
			return clip(redactorFor(&out.Event).Text(v.Reason), maxWhy)
		}
	}
	return ""
}
