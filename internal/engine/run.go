package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// A run decides one event. Its methods are called on one goroutine; handlers may run on others.
type run struct {
	engine   *Engine
	row      *checkrein.Contract
	ev       checkrein.Event // with the rewrites so far
	first    checkrein.Event // without rewrites
	version  int             // how many times ev's subject was rewritten
	steps    []Step
	canceled bool
	dropped  []checkrein.Dropped // from the merged verdict
	blocked  []string            // the chains in which a hook has denied
	acts     *match.Acts         // what the call does; nil if no condition needed it
	seen     match.View          // the view of ev for conditions
}

// newView returns a view of the event with its rewrites so far, for conditions. It reuses the memory
// of the previous view, which must no longer be used.
func (r *run) newView() *match.View {
	r.seen = match.ViewOf(&r.ev, r.engine.opts.Home, r.engine.opts.Judge).WithResolver(r.engine.opts.Real)
	return &r.seen
}

// runStages runs the stages one after another.
func (r *run) runStages(ctx context.Context) {
	for i := 0; i < len(r.steps); {
		if r.steps[i].Stage == 0 {
			i++
			continue
		}
		j := i + 1
		for j < len(r.steps) && (r.steps[j].Stage == r.steps[i].Stage || r.steps[j].Stage == 0) {
			j++
		}
		r.runStage(ctx, r.steps[i:j])
		i = j
	}
}

// runStage runs the handlers of one stage and applies their answers in plan order.
func (r *run) runStage(ctx context.Context, steps []Step) {
	r.runHandlers(ctx, steps, func(s *Step) bool { return s.Stage != 0 })
	for i := range steps {
		s := &steps[i]
		if s.ran || s.Fault != nil {
			r.applyAnswer(s)
		}
		if s.Hook.Chain != "" && s.Verdict != nil && s.Verdict.Decision == checkrein.Deny {
			r.blocked = append(r.blocked, s.Hook.Chain)
		}
	}
}

// runHandlers runs the handlers of the steps that pick selects and returns when all have answered.
// Instant handlers run one after another, the others concurrently.
func (r *run) runHandlers(ctx context.Context, steps []Step, pick func(*Step) bool) {
	var wait *sync.WaitGroup // nil if no hook runs on a goroutine
	var start time.Time
	var last time.Duration         // from start until the last instant handler returned
	var answers []checkrein.Answer // for the remaining steps, in one allocation
	view := r.newView()
	for i := range steps {
		s := &steps[i]
		if !pick(s) || !r.prepareStep(s, view) {
			continue
		}
		s.ran = true
		instant := s.bound.traits.Instant
		if instant && start.IsZero() {
			start = time.Now()
		}
		if always := s.bound.always; always != nil && s.after == nil {
			s.Answer = always
		} else {
			if len(answers) == 0 {
				answers = make([]checkrein.Answer, len(steps)-i)
			}
			s.Answer, answers = &answers[0], answers[1:]
			if !instant {
				if wait == nil {
					wait = new(sync.WaitGroup)
				}
				wait.Add(1)
				go r.runInSlot(ctx, s, wait)
				continue
			}
			s.Fault = callHandler(ctx, s.bound.handler, &r.ev, s.Answer)
			s.discardIfChanged()
		}
		now := time.Since(start)
		s.Took, last = now-last, now
	}
	if wait != nil {
		wait.Wait()
	}
	if acts := view.CachedActs(); acts != nil {
		r.acts = acts
	}
}

// runInSlot waits for one of the engine's slots for parallel hooks and runs the handler of s, which
// may block. It is called on its own goroutine.
func (r *run) runInSlot(ctx context.Context, s *Step, wait *sync.WaitGroup) {
	defer wait.Done()
	r.engine.slots <- struct{}{}
	defer func() { <-r.engine.slots }()
	began := time.Now()
	*s.Answer, s.Fault = callWithLimit(ctx, s.Hook, s.bound.handler, r.ev)
	s.discardIfChanged()
	s.Took = time.Since(began)
}

// discardIfChanged replaces the answer by a fault if the hook's files changed while it ran, because
// then it is unknown which version answered. Its output is kept for diagnosis.
func (s *Step) discardIfChanged() {
	if s.after == nil {
		return
	}
	if why := s.after(); why != "" {
		*s.Answer = checkrein.Answer{Raw: s.Answer.Raw, Log: s.Answer.Log, Usage: s.Answer.Usage}
		s.Fault = fmt.Errorf("%s, so its answer is ignored", why)
	}
}

// chainBlocked is why the remaining hooks of a chain are skipped.
const chainBlocked = "an earlier hook in its chain blocked this"

// prepareStep checks chain, condition and approval of a step and builds its handler. It reports
// whether the handler is to run; if not, it has set Skipped, Unmet or Fault.
func (r *run) prepareStep(s *Step, view *match.View) bool {
	s.version, s.ran, s.Unmet, s.Fault, s.Took, s.after = r.version, false, false, nil, 0, nil
	if s.Hook.Chain != "" && slices.Contains(r.blocked, s.Hook.Chain) {
		s.Skipped = chainBlocked
		return false
	}
	err := r.checkCondition(s, view)
	if s.Unmet {
		return false
	}
	if !r.checkApproval(s) { // before the error, because a broken hook of a repository faults only if it is approved
		return false
	}
	if err == nil {
		err = s.bound.buildHandler()
	}
	s.Fault = err
	return err == nil
}

// checkCondition sets s.Unmet if the hook's condition does not hold. It returns an error if the
// condition cannot be evaluated.
func (r *run) checkCondition(s *Step, view *match.View) error {
	cond, err := s.bound.condition()
	if err != nil {
		s.Unmet = cond.surelyExcludes(&r.ev)
		return err
	}
	holds, err := cond.holds(view, &r.ev, func() ([]byte, error) {
		if r.engine.opts.Payload == nil {
			return nil, errors.New("cannot search: the engine has no payload adapter")
		}
		return r.engine.opts.Payload(s.Hook.Dialect, r.ev)
	})
	s.Unmet = err == nil && !holds
	return err
}

// checkApproval reports whether the hook may run: it is approved or needs no approval. If it may not,
// checkApproval sets Skipped or Fault.
func (r *run) checkApproval(s *Step) bool {
	var is Checked
	switch t := r.engine.opts.Trust; {
	case !s.Hook.From.Approval && (t == nil || !t.NeedsCheck(s.Hook)):
		return true
	case t != nil:
		is = t.Check(s.Hook)
	}
	s.after, s.Runs = is.After, is.Runs
	switch is.State {
	case Approved:
		return true
	case Changed:
		s.Fault = fmt.Errorf("%w: %s", ErrChanged, is.Why)
	case Refused:
		s.Fault = errors.New(is.Why)
	default:
		s.Skipped, s.Unapproved = "not approved", true
		if is.Why != "" {
			s.Skipped += ": " + is.Why
		}
	}
	return false
}

// slack is how long a handler may take to return after its deadline before it is abandoned. Ending a
// process takes a part of it.
const slack = 250 * time.Millisecond

// callWithLimit calls a handler with the hook's deadline. A handler that does not return in time is
// abandoned, and its late answer is ignored.
func callWithLimit(parent context.Context, h *checkrein.Hook, handler checkrein.Handler, ev checkrein.Event) (checkrein.Answer, error) {
	ctx, cancel := context.WithTimeout(parent, h.Limit())
	defer cancel()
	if ctx.Err() != nil {
		return checkrein.Answer{}, deadlineError(parent, h)
	}
	type result struct {
		answer checkrein.Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		got.err = callHandler(ctx, handler, &ev, &got.answer)
		done <- got
	}()
	var got result
	select {
	case got = <-done:
	case <-ctx.Done():
		late := time.NewTimer(slack)
		defer late.Stop()
		select {
		case got = <-done:
		case <-late.C:
		}
	}
	if ctx.Err() != nil {
		// A late answer does not count, but its output is kept for diagnosis.
		return checkrein.Answer{Raw: got.answer.Raw, Log: got.answer.Log, Usage: got.answer.Usage}, deadlineError(parent, h)
	}
	return got.answer, got.err
}

// callHandler calls a handler, stores its answer in *answer, and turns a panic into an error. Event
// and answer are passed by pointer because they are large.
func callHandler(ctx context.Context, h checkrein.Handler, ev *checkrein.Event, answer *checkrein.Answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			*answer, err = checkrein.Answer{Log: string(debug.Stack())}, fmt.Errorf("panic: %v", p)
		}
	}()
	*answer, err = h.Handle(ctx, *ev)
	return err
}

// applyAnswer sets the step's verdict from its answer or its fault, and applies its rewrite to the
// event.
func (r *run) applyAnswer(s *Step) {
	if s.Fault != nil {
		r.canceled = r.canceled || errors.Is(s.Fault, errCanceled)
		row := checkrein.ContractOf(s.Hook.On) // not r.row, so that a gate stays closed where it is a guest
		s.Verdict = faultVerdict(s.Hook, s.faultPolicy(row), row, s.Fault)
		return
	}
	s.Verdict = &s.Answer.Verdict
	if s.Hook.On != r.ev.Kind {
		s.Verdict = objection(s.Verdict)
		return
	}
	r.dropProjectAllow(s)
	if v := s.Verdict; v.Input == nil && v.Output == nil && v.Append == "" && v.Messages == nil {
		return
	}
	if !s.Hook.Rewrites || !s.bound.traits.Rewrites {
		r.dropRewrite(s, "the hook is declared as non-rewriting")
		return
	}
	ev, changed, err := checkrein.Apply(r.ev, s.Verdict)
	if err != nil {
		// A denial or an ask counts even if the rewrite is invalid. An allow does not, because it
		// was for the rewritten call.
		var said checkrein.Verdict
		if s.Verdict.Decision > checkrein.Allow {
			said.Decision, said.Reason = s.Verdict.Decision, s.Verdict.Reason
		}
		s.Fault = err
		both := checkrein.Merge([]checkrein.Verdict{said, *faultVerdict(s.Hook, s.faultPolicy(r.row), r.row, err)})
		s.Verdict = &both
		return
	}
	if changed {
		r.ev = ev
		r.version++
		s.version = r.version // a hook need not judge its own rewrite
	}
}

// objection returns the part of a guest's verdict that counts: a denial or an ask with its reasons.
// Everything else took effect on the guest's own event.
func objection(v *checkrein.Verdict) *checkrein.Verdict {
	if v.Decision < checkrein.Ask {
		return new(checkrein.Verdict)
	}
	return &checkrein.Verdict{Decision: v.Decision, Reason: v.Reason, Metadata: v.Metadata, Because: v.Because}
}

// dropProjectAllow drops the allow of a project's hook on a foreign host, where it would permit more
// than the user did, unless ProjectMayAllow is set.
func (r *run) dropProjectAllow(s *Step) {
	foreign := r.ev.Host != "" && r.ev.Host != "native"
	if foreign && s.Verdict.Decision == checkrein.Allow && s.Hook.From.Scope == checkrein.ScopeProject && !r.engine.opts.ProjectMayAllow {
		s.copyVerdict()
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		s.addDropped("allow", "a project's hook may not allow anything; to permit it, set project_may_allow in your own configuration file")
	}
}

// dropRewrite drops a step's rewrite for the reason why, and with it an allow, which was for the
// rewritten subject.
func (r *run) dropRewrite(s *Step, why string) {
	for _, e := range (s.Verdict.Effects() & rewriteEffects).Words() {
		s.addDropped(e, why)
	}
	s.copyVerdict()
	s.Verdict.Input, s.Verdict.Output, s.Verdict.Append, s.Verdict.Messages = nil, nil, "", nil
	if s.Verdict.Decision == checkrein.Allow {
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		s.addDropped("allow", "the approval was for a rewrite that was not used")
	}
}

// copyVerdict replaces s.Verdict by a copy, which may be changed without changing the answer.
func (s *Step) copyVerdict() {
	v := checkrein.Verdict{}
	if s.Verdict != nil {
		v = *s.Verdict
	}
	s.Verdict = &v
}

// addDropped records that an effect of the step was dropped.
func (s *Step) addDropped(effect, why string) {
	s.Dropped = append(s.Dropped, checkrein.Dropped{Hook: s.Hook.Label(), Effect: effect, Why: why})
}

// rejudgeRewritten runs every judge again whose subject was rewritten after it had judged, so that
// what runs has been judged. Other answers about an earlier version of the subject are marked as stale
// and kept, except for allows.
func (r *run) rejudgeRewritten(ctx context.Context) {
	if r.version == 0 {
		return
	}
	var again []Step
	var index []int
	for i := range r.steps {
		s := &r.steps[i]
		if s.guest {
			s.Skipped, s.guest = "", false
		} else if s.Stage == 0 || s.version == r.version || s.Skipped != "" {
			continue
		}
		if s.bound.traits.Judges {
			again = append(again, *s)
			index = append(index, i)
		} else if s.ran && s.Fault == nil {
			r.markStale(s)
		}
	}
	r.runHandlers(ctx, again, func(*Step) bool { return true })
	for k := range again {
		r.mergeRejudged(&r.steps[index[k]], &again[k])
	}
}

// markStale marks an answer about a subject that was rewritten afterwards. A denial or an ask stays;
// an allow is dropped.
func (r *run) markStale(s *Step) {
	s.Stale = true
	if s.Verdict != nil && s.Verdict.Decision == checkrein.Allow {
		s.copyVerdict()
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		s.addDropped("allow", "the call was rewritten after the hook allowed it")
	}
}

// mergeRejudged replaces the decision in s with the one of again, its second run on the rewritten
// subject. Context and notices of the first run stay.
func (r *run) mergeRejudged(s, again *Step) {
	s.Rejudged, s.version = true, again.version
	s.Took += again.Took
	if s.Answer != nil && s.Answer.Usage != nil && again.Answer != nil { // add up the usage of both runs
		both := *again.Answer
		both.Usage = s.Answer.Usage.Plus(both.Usage)
		again.Answer = &both
	}
	switch {
	case again.Skipped != "": // the approval was withdrawn in the meantime
		s.Skipped, s.Verdict = again.Skipped, nil
		return
	case again.Fault != nil:
		r.canceled = r.canceled || errors.Is(again.Fault, errCanceled)
		s.Fault = again.Fault
		if again.Answer != nil && again.Answer.Usage != nil {
			s.Answer = again.Answer
		}
		row := checkrein.ContractOf(s.Hook.On) // not r.row, so that a gate stays closed where it is a guest
		s.Verdict = faultVerdict(s.Hook, s.faultPolicy(row), row, again.Fault)
		return
	}
	s.Unmet, s.Fault = s.Unmet && again.Unmet, nil
	// An allow that was dropped from the first verdict is no loss to the second one.
	s.Dropped = slices.DeleteFunc(s.Dropped, func(d checkrein.Dropped) bool { return d.Effect == "allow" })
	var now checkrein.Verdict
	if again.ran {
		s.ran, s.Answer = true, again.Answer
		now = again.Answer.Verdict
		if s.Hook.On != r.ev.Kind {
			now = *objection(&now)
		}
	}
	s.copyVerdict()
	if _, changes, err := checkrein.Apply(r.ev, &now); changes || err != nil {
		for _, e := range (now.Effects() & rewriteEffects).Words() {
			s.addDropped(e, "a hook may not rewrite a call that it sees for the second time")
		}
	}
	s.Verdict.Decision, s.Verdict.Reason = now.Decision, now.Reason
	s.Verdict.Metadata, s.Verdict.Because, s.Verdict.Unsure = now.Metadata, now.Because, now.Unsure
	s.Verdict.Halt = s.Verdict.Halt || now.Halt
	if len(s.Verdict.Context)+len(s.Verdict.Notice) == 0 {
		s.Verdict.Context, s.Verdict.Notice = now.Context, now.Notice
	}
	r.dropProjectAllow(s)
}
