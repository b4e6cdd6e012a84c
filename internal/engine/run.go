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

// A run is one event being decided. Its methods are called by one goroutine;
// handlers run on others and hand their answers back.
type run struct {
	engine   *Engine
	row      *checkrein.Contract
	ev       checkrein.Event // as rewritten so far
	first    checkrein.Event // as it came
	version  int             // of ev's subject: how often it was changed
	steps    []Step
	canceled bool
	dropped  []checkrein.Dropped // of the merged verdict
	blocked  []string            // the chains in which a hook has denied
	acts     *match.Acts         // what the call does, where a condition asked
	seen     match.View          // what conditions see of ev
}

// view is the event as it is now, for conditions. The one before is not used any more.
func (r *run) view() *match.View {
	r.seen = match.ViewOf(&r.ev, r.engine.opts.Home, r.engine.opts.Judge).WithResolver(r.engine.opts.Real)
	return &r.seen
}

// stages runs one stage after another.
func (r *run) stages(ctx context.Context) {
	for i := 0; i < len(r.steps); {
		if r.steps[i].Stage == 0 {
			i++
			continue
		}
		j := i + 1
		for j < len(r.steps) && (r.steps[j].Stage == r.steps[i].Stage || r.steps[j].Stage == 0) {
			j++
		}
		r.stage(ctx, r.steps[i:j])
		i = j
	}
}

// stage asks the handlers of one stage and takes their answers in plan order.
func (r *run) stage(ctx context.Context, steps []Step) {
	r.ask(ctx, steps, func(s *Step) bool { return s.Stage != 0 })
	for i := range steps {
		s := &steps[i]
		if s.ran || s.Fault != nil {
			r.take(s)
		}
		if s.Hook.Chain != "" && s.Verdict != nil && s.Verdict.Decision == checkrein.Deny {
			r.blocked = append(r.blocked, s.Hook.Chain)
		}
	}
}

// ask runs the handlers of those steps that pick chooses, at the same time
// except for instant ones, and returns when all have answered.
func (r *run) ask(ctx context.Context, steps []Step, pick func(*Step) bool) {
	var wait *sync.WaitGroup // nil = no hook runs beside others
	var start time.Time
	var last time.Duration         // when the last instant handler was done, after that
	var answers []checkrein.Answer // of the steps that are left, all at once
	view := r.view()
	for i := range steps {
		s := &steps[i]
		if !pick(s) || !r.ready(s, view) {
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
				go r.runConcurrent(ctx, s, wait)
				continue
			}
			s.Fault = call(ctx, s.bound.handler, &r.ev, s.Answer)
			s.settle()
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

// runConcurrent calls a handler that may wait for something on a goroutine of its own.
func (r *run) runConcurrent(ctx context.Context, s *Step, wait *sync.WaitGroup) {
	defer wait.Done()
	r.engine.slots <- struct{}{}
	defer func() { <-r.engine.slots }()
	began := time.Now()
	*s.Answer, s.Fault = callWithLimit(ctx, s.Hook, s.bound.handler, r.ev)
	s.settle()
	s.Took = time.Since(began)
}

// settle takes the answer of a hook whose files changed while it ran: nobody
// knows which bytes gave it. What was printed is kept for whoever looks into it.
func (s *Step) settle() {
	if s.after == nil {
		return
	}
	if why := s.after(); why != "" {
		*s.Answer = checkrein.Answer{Raw: s.Answer.Raw, Log: s.Answer.Log, Usage: s.Answer.Usage}
		s.Fault = fmt.Errorf("%s, so its answer is ignored", why)
	}
}

// chainBlocked is why the rest of a chain is skipped.
const chainBlocked = "an earlier hook in its chain blocked this"

// ready settles everything about a step that does not need its handler, and
// reports whether the handler is to be asked.
func (r *run) ready(s *Step, view *match.View) bool {
	s.version, s.ran, s.Unmet, s.Fault, s.Took, s.after = r.version, false, false, nil, 0, nil
	if s.Hook.Chain != "" && slices.Contains(r.blocked, s.Hook.Chain) {
		s.Skipped = chainBlocked
		return false
	}
	err := r.meets(s, view)
	if s.Unmet {
		return false
	}
	if !r.admit(s) { // a broken hook of a repository matters once somebody approved it
		return false
	}
	if err == nil {
		err = s.bound.build()
	}
	s.Fault = err
	return err == nil
}

// meets notes whether the hook's condition holds; an error says why nobody can
// tell.
func (r *run) meets(s *Step, view *match.View) error {
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

// admit checks that a person approved the hook, where that is needed.
func (r *run) admit(s *Step) bool {
	var is Checked
	switch t := r.engine.opts.Trust; {
	case !s.Hook.From.Approval && (t == nil || !t.Asks(s.Hook)):
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

// slack is how long a handler may take to come back after its time is up
// before it is left behind. Ending a process takes a part of it.
const slack = 250 * time.Millisecond

// callWithLimit calls a handler with the hook's deadline. A handler that does not return in time is
// left behind, and its late answer is ignored.
func callWithLimit(parent context.Context, h *checkrein.Hook, handler checkrein.Handler, ev checkrein.Event) (checkrein.Answer, error) {
	ctx, cancel := context.WithTimeout(parent, h.Limit())
	defer cancel()
	if ctx.Err() != nil {
		return checkrein.Answer{}, timeUp(parent, h)
	}
	type result struct {
		answer checkrein.Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		got.err = call(ctx, handler, &ev, &got.answer)
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
		// An answer that came after the deadline is not an answer; what was
		// printed until then is kept for whoever looks into it.
		return checkrein.Answer{Raw: got.answer.Raw, Log: got.answer.Log, Usage: got.answer.Usage}, timeUp(parent, h)
	}
	return got.answer, got.err
}

// call asks a handler and turns a panic into an error. Event and answer are
// large, so they are not handed on by value more often than need be.
func call(ctx context.Context, h checkrein.Handler, ev *checkrein.Event, answer *checkrein.Answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			*answer, err = checkrein.Answer{Log: string(debug.Stack())}, fmt.Errorf("panic: %v", p)
		}
	}()
	*answer, err = h.Handle(ctx, *ev)
	return err
}

// take makes a step's answer count: its fault becomes a verdict, its rewrite
// changes the subject.
func (r *run) take(s *Step) {
	if s.Fault != nil {
		r.canceled = r.canceled || errors.Is(s.Fault, errCanceled)
		row := checkrein.ContractOf(s.Hook.On) // a gate stays closed where it is a guest
		s.Verdict = fault(s.Hook, s.policy(row), row, s.Fault)
		return
	}
	s.Verdict = &s.Answer.Verdict
	if s.Hook.On != r.ev.Kind {
		s.Verdict = objection(s.Verdict)
		return
	}
	r.limitProject(s)
	if v := s.Verdict; v.Input == nil && v.Output == nil && v.Append == "" && v.Messages == nil {
		return
	}
	if !s.Hook.Rewrites || !s.bound.traits.Rewrites {
		r.refuseRewrite(s, "the hook is declared as non-rewriting")
		return
	}
	ev, changed, err := checkrein.Apply(r.ev, s.Verdict)
	if err != nil {
		// A hook that denied has denied, whatever was wrong with its rewrite.
		// One that allowed has allowed something that will not run.
		var said checkrein.Verdict
		if s.Verdict.Decision > checkrein.Allow {
			said.Decision, said.Reason = s.Verdict.Decision, s.Verdict.Reason
		}
		s.Fault = err
		both := checkrein.Merge([]checkrein.Verdict{said, *fault(s.Hook, s.policy(r.row), r.row, err)})
		s.Verdict = &both
		return
	}
	if changed {
		r.ev = ev
		r.version++
		s.version = r.version // a hook knows what it wrote itself
	}
}

// objection is what counts of a verdict of a gate on an event that it is not for: the
// rest was said where it is.
func objection(v *checkrein.Verdict) *checkrein.Verdict {
	if v.Decision < checkrein.Ask {
		return new(checkrein.Verdict)
	}
	return &checkrein.Verdict{Decision: v.Decision, Reason: v.Reason, Metadata: v.Metadata, Because: v.Because}
}

// limitProject takes an allow away from a repository's hook on a foreign host,
// where it would widen what the person permitted.
func (r *run) limitProject(s *Step) {
	foreign := r.ev.Host != "" && r.ev.Host != "native"
	if foreign && s.Verdict.Decision == checkrein.Allow && s.Hook.From.Scope == checkrein.ScopeProject && !r.engine.opts.ProjectMayAllow {
		s.own()
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		s.drop("allow", "a project's hook may not allow anything; to permit it, set project_may_allow in your own configuration file")
	}
}

// refuseRewrite takes a rewrite away, and an allow with it: that was about a
// subject that will not run.
func (r *run) refuseRewrite(s *Step, why string) {
	for _, e := range (s.Verdict.Effects() & rewriting).Words() {
		s.drop(e, why)
	}
	s.own()
	s.Verdict.Input, s.Verdict.Output, s.Verdict.Append, s.Verdict.Messages = nil, nil, "", nil
	if s.Verdict.Decision == checkrein.Allow {
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		s.drop("allow", "the approval was for a rewrite that was not used")
	}
}

// own makes what counts a value of its own, so that the answer stays as it was
// given.
func (s *Step) own() {
	v := checkrein.Verdict{}
	if s.Verdict != nil {
		v = *s.Verdict
	}
	s.Verdict = &v
}

func (s *Step) drop(effect, why string) {
	s.Dropped = append(s.Dropped, checkrein.Dropped{Hook: s.Hook.Label(), Effect: effect, Why: why})
}

// rejudge has every judge whose subject was changed after it had judged look
// at the final one: what runs is what was judged. Other answers about an old
// subject are kept and marked, an allow excepted.
func (r *run) rejudge(ctx context.Context) {
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
			r.stale(s)
		}
	}
	r.ask(ctx, again, func(*Step) bool { return true })
	for k := range again {
		r.retake(&r.steps[index[k]], &again[k])
	}
}

// stale marks an answer about a subject that is not what will run. A denial or
// a question about it stays; an allow was for something else.
func (r *run) stale(s *Step) {
	s.Stale = true
	if s.Verdict != nil && s.Verdict.Decision == checkrein.Allow {
		s.own()
		s.Verdict.Decision, s.Verdict.Reason = checkrein.NoOpinion, ""
		s.drop("allow", "the call was rewritten after the hook allowed it")
	}
}

// retake replaces a judge's decision with the one on the final subject. What
// it told model and person the first time stays said.
func (r *run) retake(s, again *Step) {
	s.Rejudged, s.version = true, again.version
	s.Took += again.Took
	if s.Answer != nil && s.Answer.Usage != nil && again.Answer != nil { // both times count
		both := *again.Answer
		both.Usage = s.Answer.Usage.Plus(both.Usage)
		again.Answer = &both
	}
	switch {
	case again.Skipped != "": // approval was taken away meanwhile
		s.Skipped, s.Verdict = again.Skipped, nil
		return
	case again.Fault != nil:
		r.canceled = r.canceled || errors.Is(again.Fault, errCanceled)
		s.Fault = again.Fault
		if again.Answer != nil && again.Answer.Usage != nil {
			s.Answer = again.Answer
		}
		row := checkrein.ContractOf(s.Hook.On) // a gate stays closed where it is a guest
		s.Verdict = fault(s.Hook, s.policy(row), row, again.Fault)
		return
	}
	s.Unmet, s.Fault = s.Unmet && again.Unmet, nil
	// What was taken from the first decision is no loss to this one.
	s.Dropped = slices.DeleteFunc(s.Dropped, func(d checkrein.Dropped) bool { return d.Effect == "allow" })
	var now checkrein.Verdict
	if again.ran {
		s.ran, s.Answer = true, again.Answer
		now = again.Answer.Verdict
		if s.Hook.On != r.ev.Kind {
			now = *objection(&now)
		}
	}
	s.own()
	if _, changes, err := checkrein.Apply(r.ev, &now); changes || err != nil {
		for _, e := range (now.Effects() & rewriting).Words() {
			s.drop(e, "a hook may not rewrite a call that it sees for the second time")
		}
	}
	s.Verdict.Decision, s.Verdict.Reason = now.Decision, now.Reason
	s.Verdict.Metadata, s.Verdict.Because, s.Verdict.Unsure = now.Metadata, now.Because, now.Unsure
	s.Verdict.Halt = s.Verdict.Halt || now.Halt
	if len(s.Verdict.Context)+len(s.Verdict.Notice) == 0 {
		s.Verdict.Context, s.Verdict.Notice = now.Context, now.Notice
	}
	r.limitProject(s)
}
