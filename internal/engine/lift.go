package engine

import (
	"context"

	"github.com/checkrein/checkrein"
)

// liftDecisions lifts the decisions for which a person has given a grant. It does nothing unless that
// makes the merged decision milder, so that a grant for one call is not used up by a call that is
// denied anyway.
func (r *run) liftDecisions(ctx context.Context) {
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
		asked, whole := r.runUnblockedChains(ctx, lifted, tried)
		if !whole {
			return
		}
		if asked { // further hooks have answered, so there may be more to lift
			continue
		}
		if lifting.Use == nil || lifting.Use() {
			for s, by := range lifted {
				s.liftDecision(by)
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

// decisionWithout returns the strictest decision of the steps that are not in lifted.
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

// runUnblockedChains runs the hooks that were skipped because a step in lifted had blocked their
// chain, except those in tried, to which it adds the hooks that it ran. The result asked reports
// whether any ran, and feasible whether everything they require can be done: it is too late for a
// rewrite, because other hooks have judged the subject.
func (r *run) runUnblockedChains(ctx context.Context, lifted map[*Step]string, tried map[*Step]bool) (asked, feasible bool) {
	open := map[string]bool{}
	for s := range lifted {
		if c := s.Hook.Chain; c != "" {
			open[c] = true
		}
	}
	if len(open) == 0 {
		return false, true
	}
	r.blocked, feasible = nil, true
	for i := range r.steps {
		s := &r.steps[i]
		if s.Skipped != chainBlocked || !open[s.Hook.Chain] || tried[s] {
			continue
		}
		s.Skipped = ""
		r.runHandlers(ctx, r.steps[i:i+1], func(*Step) bool { return true })
		if s.Skipped == chainBlocked {
			continue // blocked by a hook that ran just now, whose decision may be lifted in turn
		}
		tried[s] = true
		if s.ran || s.Fault != nil {
			s.Hook = withoutRewrites(s.Hook)
			r.applyAnswer(s)
			feasible = feasible && len(s.Dropped) == 0
		}
		asked = true
		if s.Verdict != nil && s.Verdict.Decision == checkrein.Deny {
			r.blocked = append(r.blocked, s.Hook.Chain)
		}
	}
	return asked, feasible
}

// withoutRewrites returns a copy of h that may not rewrite, or h itself if it may not anyway.
func withoutRewrites(h *checkrein.Hook) *checkrein.Hook {
	if !h.Rewrites {
		return h
	}
	other := *h
	other.Rewrites = false
	return &other
}

// liftDecision moves the step's decision to s.Lifted. The step then has no opinion; lifting never
// results in an allow.
func (s *Step) liftDecision(grant string) {
	s.copyVerdict()
	v := s.Verdict
	s.Lifted = &Lifted{Grant: grant, Decision: v.Decision, Reason: v.Reason, Metadata: v.Metadata, Because: v.Because}
	v.Decision, v.Reason, v.Halt, v.Metadata, v.Because = checkrein.NoOpinion, "", false, nil, nil
}
