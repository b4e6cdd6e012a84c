package engine

import (
	"context"

	"github.com/checkrein/checkrein"
)

// decidedAlready is why a hook for what is not known was not asked.
const decidedAlready = "the decision was made without the judge"

// refer asks the hooks that are for calls that no rule can judge, if
// nothing else has decided. What is asked only because of that they may pass over; all
// else they can only make stricter. It reports whether one was asked.
func (r *run) refer(ctx context.Context) (asked bool) {
	for i := range r.steps {
		s := &r.steps[i]
		if !s.bound.traits.Unsure || s.Skipped != "" || s.Hook.Async {
			continue
		}
		asks, open := r.unsure(s)
		switch {
		case !open:
			s.Skipped = decidedAlready
			continue
		case !r.unknown():
			s.Unmet = true
			continue
		}
		r.ask(ctx, r.steps[i:i+1], func(*Step) bool { return true })
		if !s.ran && s.Fault == nil {
			continue
		}
		asked = true
		s.Stage = nextStage(r.steps[:i])
		r.take(s)
		if s.Fault != nil && s.ran && s.Answer != nil {
			s.own()
			s.Verdict.Notice = s.Answer.Notice // the handler shows each notice once
		}
		r.pass(s, asks)
	}
	return asked
}

// nextStage returns the stage after those of steps.
func nextStage(steps []Step) int {
	stage := 0
	for i := range steps {
		stage = max(stage, steps[i].Stage)
	}
	return stage + 1
}

// unsure returns the asks that a hook may pass over, and whether there is nothing else
// that decides. A person's hook passes over nothing of the administrator's.
func (r *run) unsure(referee *Step) (asks []*Step, open bool) {
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

// unknown reports whether something about the call, as it would run, is not known.
func (r *run) unknown() bool {
	if r.engine.opts.Judge == nil || r.ev.Tool == nil {
		return false
	}
	acts := r.engine.opts.Judge(&r.ev)
	r.acts = &acts
	return acts.Gap != ""
}

// pass lets an allow count: it takes asks away that are there because something is not
// known. Where nothing was asked it approves nothing, since the host has not been heard.
func (r *run) pass(s *Step, asks []*Step) {
	if s.Verdict.Decision != checkrein.Allow {
		return
	}
	if s.Fault != nil || len(asks) == 0 {
		s.own()
		s.drop("allow", "there was no ask that this hook could settle: "+s.Verdict.Reason)
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		return
	}
	for _, a := range asks {
		a.own()
		v := a.Verdict
		a.Passed = &Passed{By: s.Hook.Label(), Reason: v.Reason, Metadata: v.Metadata, Because: v.Because}
		v.Decision, v.Reason, v.Metadata, v.Because, v.Unsure = checkrein.NoOpinion, "", nil, nil, false
	}
}
