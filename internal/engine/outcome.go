package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// detach starts the asynchronous hooks. They hear of the event as it will
// happen: rewritten, and so redacted.
func (r *run) detach(ctx context.Context) {
	var view *match.View
	for i := range r.steps {
		s := &r.steps[i]
		if !s.Hook.Async || s.Skipped != "" {
			continue
		}
		if view == nil {
			view = r.view()
		}
		if !r.ready(s, view) {
			continue
		}
		if d := r.engine.opts.Detach; d != nil {
			s.Fault = d(s.Hook, r.ev)
			s.Detached = s.Fault == nil
			continue
		}
		s.Detached = true
		handler, ev := s.bound.handler, r.ev
		h := s.Hook
		go func() {
			// Nobody is left to hear of the answer.
			_, _ = callWithLimit(context.WithoutCancel(ctx), h, handler, ev)
		}()
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Hook.Async && s.Fault != nil {
			// It could not have decided, so its fault decides nothing either.
			policy := checkrein.FaultWarn
			if s.Hook.OnFault == checkrein.FaultIgnore {
				policy = checkrein.FaultIgnore
			}
			s.Verdict = fault(s.Hook, policy, r.row, s.Fault)
		}
	}
}

// outcome merges and clamps what the steps said.
func (r *run) outcome() Outcome {
	var merged checkrein.Verdict
	for i := range r.steps {
		if v := r.steps[i].Verdict; v != nil {
			merged.Add(v)
		}
	}
	r.complete(&merged)
	if t := r.ev.Tool; t != nil && merged.Decision == checkrein.Allow && len(t.Commands()) > 1 {
		merged.Decision, merged.Reason = checkrein.NoOpinion, ""
		r.dropped = append(r.dropped, checkrein.Dropped{Effect: "allow", Why: "the call's arguments contain different commands, and only the agent's program knows which one runs"})
	}
	r.keepQuestion(&merged)
	honours := r.honours()
	doubts := r.doubts(&merged, honours)
	why := r.unaskedReason(&merged, honours, doubts)
	if why != "" {
		honours &^= checkrein.CanAsk
		merged.Reason = notAsked(merged.Reason, why)
	}
	r.unrun(&merged, honours, doubts)
	verdict, lost := checkrein.Clamp(merged, r.row, honours)
	out := Outcome{Verdict: verdict, Event: r.ev, Canceled: r.canceled, Unasked: why, Acts: r.acts}
	out.Dropped = r.dropped
	for i := range r.steps {
		out.Dropped = append(out.Dropped, r.steps[i].Dropped...)
	}
	out.Dropped = append(out.Dropped, r.attribute(lost)...)
	r.redo(&out)
	r.doubt(&out, doubts)
	out.Steps = r.steps
	return out
}

// keepQuestion informs the person why a question is put to them that a hook has answered:
// an ask on such an event is not heard of otherwise.
func (r *run) keepQuestion(v *checkrein.Verdict) {
	if !r.row.Asks || v.Decision != checkrein.Ask {
		return
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Verdict != nil && s.Verdict.Decision == checkrein.Allow {
			s.drop("allow", "something else needs the user's approval")
			v.Notice = append(v.Notice, fmt.Sprintf("hook %q allows this, but checkrein asks you anyway: %s", s.Hook.Label(), v.Reason))
		}
	}
}

// complete replaces the merged rewrites, which are patches, with the subject
// as it has become; or with nothing when it is what it was.
func (r *run) complete(v *checkrein.Verdict) {
	can := r.row.Effects
	if r.version == 0 { // nothing was changed, whatever was asked for
		if can&checkrein.CanRewriteInput != 0 {
			v.Input = nil
		}
		if can&checkrein.CanRewriteOutput != 0 {
			v.Output, v.Append = nil, ""
		}
		if can&checkrein.CanRewriteMessages != 0 {
			v.Messages = nil
		}
		return
	}
	if can&checkrein.CanRewriteInput != 0 && r.ev.Tool != nil {
		v.Input = nil
		if !rawjson.EqualForAll(r.first.Tool.Input, r.ev.Tool.Input) {
			v.Input = r.ev.Tool.Input
		}
	}
	if can&checkrein.CanRewriteMessages != 0 {
		v.Messages = nil
		if !rawjson.EqualForAll(r.first.Messages, r.ev.Messages) {
			v.Messages = r.ev.Messages
		}
	}
	if can&checkrein.CanRewriteOutput == 0 {
		return
	}
	v.Output, v.Append = nil, ""
	switch {
	case r.row.Subject == checkrein.SubjectText && r.ev.Text != r.first.Text:
		v.Output = rawjson.Quote(r.ev.Text)
	case r.ev.Tool != nil && !rawjson.EqualForAll(r.first.Tool.Output, r.ev.Tool.Output):
		v.Output = r.ev.Tool.Output
	}
}

func (r *run) honours() checkrein.Effect {
	if r.engine.opts.Honours == nil {
		return checkrein.AllEffects
	}
	return r.engine.opts.Honours(&r.ev)
}

// minorEffects are effects whose loss changes nothing that a person could act on.
const minorEffects = checkrein.CanAllow | checkrein.CanAnnotate

// doubts is what the host was seen not to do of what it is said to honour.
func (r *run) doubts(v *checkrein.Verdict, honours checkrein.Effect) []Doubt {
	if r.engine.opts.Doubts == nil || v.Effects()&^minorEffects == 0 {
		return nil
	}
	list := r.engine.opts.Doubts(&r.ev)
	return slices.DeleteFunc(list, func(d Doubt) bool { return d.Effect&honours == 0 })
}

// doubt reports what of an outcome the host was seen not to do. Nothing is taken back: a
// host that does it after all must hear of it.
func (r *run) doubt(out *Outcome, doubts []Doubt) {
	for _, d := range doubts {
		asked := out.Verdict.Effects() & d.Effect
		if asked == 0 {
			continue
		}
		out.Doubted = append(out.Doubted, Doubt{asked, d.Why})
		out.Dropped = append(out.Dropped, r.attribute([]checkrein.Dropped{{Effect: asked.Words()[0], Why: d.Why}})...)
	}
}

// unrun denies a call that a hook rewrote where the host was seen to run such a call as it
// was before: nobody who judged the call meant that one.
func (r *run) unrun(v *checkrein.Verdict, honours checkrein.Effect, doubts []Doubt) {
	if v.Input == nil || v.Decision == checkrein.Deny || !r.row.Can(checkrein.CanDeny) {
		return
	}
	if sent, _ := checkrein.Clamp(*v, r.row, honours); sent.Input == nil {
		return
	}
	for _, d := range doubts {
		if d.Effect&checkrein.CanRewriteInput != 0 {
			v.Decision = checkrein.Deny
			v.Reason = "A hook rewrites this call, and " + d.Why + ", so it is denied. Tell the user that a hook wants to change this call, and what it is for."
			return
		}
	}
}

// unaskedReason returns why an ask becomes a denial; "" = it does not. On events where a denial only
// keeps the agent going nothing is refused, so there is nothing to explain.
func (r *run) unaskedReason(v *checkrein.Verdict, honours checkrein.Effect, doubts []Doubt) string {
	row := r.row
	if v.Decision != checkrein.Ask || row.Asks || !row.Can(checkrein.CanDeny) || row.Can(checkrein.CanRedo) {
		return ""
	}
	if !row.Can(checkrein.CanAsk) {
		return row.Name + " cannot ask the user"
	}
	if unasked := r.engine.opts.Unasked; unasked != nil {
		if why := unasked(&r.ev); why != "" {
			return why
		}
	}
	if honours&checkrein.CanAsk == 0 {
		return "the agent cannot ask the user on " + row.Name
	}
	for _, d := range doubts {
		if d.Effect&checkrein.CanAsk != 0 {
			return d.Why
		}
	}
	return ""
}

// notAsked is the reason of a denial that was to be an ask. It must not read as
// if a question had been put.
func notAsked(reason, why string) string {
	text := "This needs the user's consent. " + strings.ToUpper(why[:1]) + why[1:] + ", so the user was not asked and this is denied."
	if reason == "" {
		return text
	}
	return strings.TrimRight(reason, " \n") + "\n" + text
}

// attribute names the hooks that asked for what the clamp dropped.
func (r *run) attribute(lost []checkrein.Dropped) []checkrein.Dropped {
	var out []checkrein.Dropped
	for _, d := range lost {
		found := false
		for i := range r.steps {
			s := &r.steps[i]
			if s.Verdict == nil {
				continue
			}
			asked := s.Verdict.Effects()
			if asked&checkrein.CanDeny != 0 {
				asked |= checkrein.CanRedo // which the clamp makes of a denial
			}
			for _, w := range asked.Words() {
				if w == d.Effect {
					found = true
					d.Hook = s.Hook.Label()
					out = append(out, d)
				}
			}
		}
		if !found {
			out = append(out, d)
		}
	}
	return out
}

// redo counts how often each denying hook has kept the agent going and lets it
// stop when all of them have had their share.
func (r *run) redo(out *Outcome) {
	v := &out.Verdict
	if v.Redo == "" || v.Decision != checkrein.Deny {
		return
	}
	attempt, uncounted := 0, false
	for i := range r.steps {
		s := &r.steps[i]
		if s.Verdict == nil || s.Verdict.Decision != checkrein.Deny {
			continue
		}
		n := 1
		if m := r.engine.opts.Memory; m != nil {
			n = m.Redo(&r.ev, s.Hook.From.File+"#"+s.Hook.ID, v.Redo)
		}
		if n > RedoLimit {
			out.Dropped = append(out.Dropped, checkrein.Dropped{Hook: s.Hook.Label(), Effect: "redo",
				Why: tooOften(n)})
			uncounted = n == Uncounted
			continue
		}
		attempt = max(attempt, n)
	}
	if attempt == 0 {
		why := fmt.Sprintf("after %d attempts", RedoLimit)
		if uncounted {
			why = "because its objections cannot be counted"
		}
		v.Notice = append(v.Notice, fmt.Sprintf("the agent may stop even though a hook objects, %s: %s", why, v.Redo))
		out.Overruled = v.Redo
		v.Decision, v.Reason, v.Redo = checkrein.NoOpinion, "", ""
		return
	}
	out.Redo = &Redo{Reason: v.Redo, Attempt: attempt, Limit: RedoLimit}
}

// tooOften returns why a hook does not keep the agent going any more.
func tooOften(n int) string {
	if n == Uncounted {
		return "checkrein cannot count how often the hook has objected in this turn"
	}
	return fmt.Sprintf("the hook has already objected %d times in this turn", RedoLimit)
}
