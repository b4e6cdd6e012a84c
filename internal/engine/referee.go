package engine

import (
	"context"

	"github.com/checkrein/checkrein"
)

// decidedAlready is why a referee was skipped.
const decidedAlready = "the decision was made without the judge"

// runReferees runs the referees, which are hooks for calls that no rule can judge, if no other hook
// has decided. A referee may settle asks that exist only because something is unknown; any other
// verdict it can only make stricter. The result reports whether a referee ran.
func (r *run) runReferees(ctx context.Context) (asked bool) {
	for i := range r.steps {
		s := &r.steps[i]
		if !s.bound.traits.Unsure || s.Skipped != "" || s.Hook.Async {
			continue
		}
		asks, open := r.settleableAsks(s)
		switch {
		case !open:
			s.Skipped = decidedAlready
			continue
		case !r.judgeEffect():
			s.Unmet = true
			continue
		}
		r.runHandlers(ctx, r.steps[i:i+1], func(*Step) bool { return true })
		if !s.ran && s.Fault == nil {
			continue
		}
		asked = true
		s.Stage = nextStage(r.steps[:i])
		r.applyAnswer(s)
		if s.Fault != nil && s.ran && s.Answer != nil {
			s.copyVerdict()
			s.Verdict.Notice = s.Answer.Notice // the handler shows each notice once
		}
		r.settleAsks(s, asks)
	}
	return asked
}

// nextStage returns the number of the stage after the last one of steps.
func nextStage(steps []Step) int {
	stage := 0
	for i := range steps {
		stage = max(stage, steps[i].Stage)
	}
	return stage + 1
}

// settleableAsks returns the asks that referee may settle. It returns false for open if any other
// step, or a grant, has decided. A referee of the user's cannot settle asks of managed hooks.
func (r *run) settleableAsks(referee *Step) (asks []*Step, open bool) {
	for i := range r.steps {
		s := &r.steps[i]
		switch {
		case s.Lifted != nil: // a person has decided
			return nil, false
		case s == referee || s.Verdict == nil || s.Verdict.Decision == checkrein.NoOpinion:
		case s.Verdict.Decision == checkrein.Ask && s.Verdict.Unsure && s.Fault == nil && s.Hook.From.Scope >= referee.Hook.From.Scope:
			asks = append(asks, s)
		default:
			return nil, false
		}
	}
	return asks, true
}

// judgeEffect stores in r.acts what the call does as rewritten, and reports whether something about
// that is unknown.
func (r *run) judgeEffect() (unknown bool) {
	if r.engine.opts.Judge == nil || r.ev.Tool == nil {
		return false
	}
	acts := r.engine.opts.Judge(&r.ev)
	r.acts = &acts
	return acts.Gap != ""
}

// settleAsks lets the allow of the referee s remove the given asks. If there are none, the allow is
// dropped: it must not approve a call about which the host might still ask.
func (r *run) settleAsks(s *Step, asks []*Step) {
	if s.Verdict.Decision != checkrein.Allow {
		return
	}
	if s.Fault != nil || len(asks) == 0 {
		s.copyVerdict()
		s.addDropped("allow", "there was no ask that this hook could settle: "+s.Verdict.Reason)
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		return
	}
	for _, a := range asks {
		a.copyVerdict()
		v := a.Verdict
		a.Passed = &Passed{By: s.Hook.Label(), Reason: v.Reason, Metadata: v.Metadata, Because: v.Because}
		v.Decision, v.Reason, v.Metadata, v.Because, v.Unsure = checkrein.NoOpinion, "", nil, nil, false
	}
}
