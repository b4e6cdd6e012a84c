package engine

import (
	"context"

	"github.com/checkrein/checkrein"
)

// lift passes over the decisions that a person has allowed to be passed over. It
// does nothing unless that makes the whole decision milder, so that a grant for one
// call is not used up by a call that is denied all the same.
func (r *run) lift(ctx context.Context) {
	if r.engine.opts.Lift == nil || r.decisionWithout(nil) < checkrein.Ask {
		return
	}
	tried := map[*Step]bool{}
	for {
		blocking := r.blockingSteps()
		lifting := r.engine.opts.Lift(ctx, &r.ev, blocking)
		lifted := map[*Step]string{}
		for i, by := range lifting.By {
			if by != "" {
				lifted[blocking[i]] = by
			}
		}
		if r.decisionWithout(lifted) >= r.decisionWithout(nil) {
			return
		}
		asked, whole := r.unchain(ctx, lifted, tried)
		if !whole {
			return
		}
		if asked { // others have spoken
			continue
		}
		if lifting.Use == nil || lifting.Use() {
			for s, by := range lifted {
				s.lift(by)
			}
		}
		return
	}
}

// blockingSteps returns the steps that deny or ask.
func (r *run) blockingSteps() []*Step {
	var out []*Step
	for i := range r.steps {
		if s := &r.steps[i]; s.Verdict != nil && s.Verdict.Decision >= checkrein.Ask {
			out = append(out, s)
		}
	}
	return out
}

// decisionWithout returns the decision of the steps that are not lifted.
func (r *run) decisionWithout(lifted map[*Step]string) checkrein.Decision {
	most := checkrein.NoOpinion
	for i := range r.steps {
		s := &r.steps[i]
		if s.Verdict != nil && lifted[s] == "" {
			most = max(most, s.Verdict.Decision)
		}
	}
	return most
}

// unchain asks the hooks that were skipped because one that is lifted now had
// blocked their chain, and reports whether there were any; and whether all they
// want can be done: for a rewrite it is too late, since others have judged.
func (r *run) unchain(ctx context.Context, lifted map[*Step]string, tried map[*Step]bool) (asked, whole bool) {
	open := map[string]bool{}
	for s := range lifted {
		if c := s.Hook.Chain; c != "" {
			open[c] = true
		}
	}
	if len(open) == 0 {
		return false, true
	}
	r.blocked, whole = nil, true
	for i := range r.steps {
		s := &r.steps[i]
		if s.Skipped != chainBlocked || !open[s.Hook.Chain] || tried[s] {
			continue
		}
		s.Skipped = ""
		r.ask(ctx, r.steps[i:i+1], func(*Step) bool { return true })
		if s.Skipped == chainBlocked {
			continue // by one that was asked just now, and that may be lifted in turn
		}
		tried[s] = true
		if s.ran || s.Fault != nil {
			s.Hook = withoutRewrites(s.Hook)
			r.take(s)
			whole = whole && len(s.Dropped) == 0
		}
		asked = true
		if s.Verdict != nil && s.Verdict.Decision == checkrein.Deny {
			r.blocked = append(r.blocked, s.Hook.Chain)
		}
	}
	return asked, whole
}

// withoutRewrites returns h, or a copy of it that may not rewrite.
func withoutRewrites(h *checkrein.Hook) *checkrein.Hook {
	if !h.Rewrites {
		return h
	}
	other := *h
	other.Rewrites = false
	return &other
}

// lift takes a step's decision away. It leaves no opinion, never an allow.
func (s *Step) lift(grant string) {
	s.own()
	v := s.Verdict
	s.Lifted = &Lifted{Grant: grant, Decision: v.Decision, Reason: v.Reason, Metadata: v.Metadata, Because: v.Because}
	v.Decision, v.Reason, v.Halt, v.Metadata, v.Because = checkrein.NoOpinion, "", false, nil, nil
}
