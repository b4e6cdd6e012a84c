package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// detach starts the asynchronous hooks. They hear of the event as it will
// happen: rewritten, and so redacted.
func (r *run) detach(ctx context.Context) {
	view := r.view()
	for i := range r.steps {
		s := &r.steps[i]
		if !s.Hook.Async || s.Skipped != "" || !r.ready(s, &view) {
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
			_, _ = limited(context.WithoutCancel(ctx), h, handler, ev)
		}()
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Hook.Async && s.Fault != nil {
			// It could not have decided, so its fault decides nothing either.
			h := *s.Hook
			if h.OnFault != checkrein.FaultIgnore {
				h.OnFault = checkrein.FaultWarn
			}
			s.Verdict = fault(&h, r.row, s.Fault)
		}
	}
}

// outcome merges and clamps what the steps said.
func (r *run) outcome() Outcome {
	merged := checkrein.MergeEach(func(yield func(*checkrein.Verdict) bool) {
		for i := range r.steps {
			if v := r.steps[i].Verdict; v != nil && !yield(v) {
				return
			}
		}
	})
	r.complete(&merged)
	if t := r.ev.Tool; t != nil && merged.Decision == checkrein.Allow && len(t.Commands()) > 1 {
		merged.Decision, merged.Reason = checkrein.NoOpinion, ""
		r.dropped = append(r.dropped, checkrein.Dropped{Effect: "allow", Why: "the call has different commands under several names, and only its host knows which one runs"})
	}
	honours := r.honours()
	why := r.unasked(&merged, honours)
	if why != "" {
		honours &^= checkrein.CanAsk
		merged.Reason = notAsked(merged.Reason, why)
	}
	verdict, lost := checkrein.Clamp(merged, r.row, honours)
	out := Outcome{Verdict: verdict, Event: r.ev, Canceled: r.canceled, Unasked: why, Acts: r.acts}
	out.Dropped = r.dropped
	for i := range r.steps {
		out.Dropped = append(out.Dropped, r.steps[i].Dropped...)
	}
	out.Dropped = append(out.Dropped, r.attribute(lost)...)
	r.redo(&out)
	out.Steps = r.steps
	return out
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
		if !rawjson.Same(r.first.Tool.Input, r.ev.Tool.Input) {
			v.Input = r.ev.Tool.Input
		}
	}
	if can&checkrein.CanRewriteMessages != 0 {
		v.Messages = nil
		if !rawjson.Same(r.first.Messages, r.ev.Messages) {
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
	case r.ev.Tool != nil && !rawjson.Same(r.first.Tool.Output, r.ev.Tool.Output):
		v.Output = r.ev.Tool.Output
	}
}

func (r *run) honours() checkrein.Effect {
	if r.engine.opts.Honours == nil {
		return checkrein.AllEffects
	}
	return r.engine.opts.Honours(&r.ev)
}

// unasked says why an ask becomes a denial; "" = it does not. Where a denial only
// keeps the agent going nothing is refused, so there is nothing to explain.
func (r *run) unasked(v *checkrein.Verdict, honours checkrein.Effect) string {
	row := r.row
	if v.Decision != checkrein.Ask || row.Asks || !row.Can(checkrein.CanDeny) || row.Can(checkrein.CanRedo) {
		return ""
	}
	if !row.Can(checkrein.CanAsk) {
		return row.Name + " cannot ask a person"
	}
	if unasked := r.engine.opts.Unasked; unasked != nil {
		if why := unasked(&r.ev); why != "" {
			return why
		}
	}
	if honours&checkrein.CanAsk == 0 {
		return "the host cannot ask a person on " + row.Name
	}
	return ""
}

// notAsked is the reason of a denial that was to be an ask. It must not read as
// if a question had been put.
func notAsked(reason, why string) string {
	text := "This needs a person's consent. " + strings.ToUpper(why[:1]) + why[1:] + ", so no person was asked and it is denied."
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
			why = "because nobody can count how often it did"
		}
		v.Notice = append(v.Notice, fmt.Sprintf("the agent may stop although a hook objects, %s: %s", why, v.Redo))
		out.Overruled = v.Redo
		v.Decision, v.Reason, v.Redo = checkrein.NoOpinion, "", ""
		return
	}
	out.Redo = &Redo{Reason: v.Redo, Attempt: attempt, Limit: RedoLimit}
}

// tooOften says why a hook does not keep the agent going any more.
func tooOften(n int) string {
	if n == Uncounted {
		return "nobody can count how often it has asked in this turn"
	}
	return fmt.Sprintf("it has asked %d times in this turn", RedoLimit)
}
