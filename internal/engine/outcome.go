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

// startAsyncHooks starts the asynchronous hooks. They get the event with all rewrites applied, and so
// with secrets redacted.
func (r *run) startAsyncHooks(ctx context.Context) {
	var view *match.View
	for i := range r.steps {
		s := &r.steps[i]
		if !s.Hook.Async || s.Skipped != "" {
			continue
		}
		if view == nil {
			view = r.newView()
		}
		if !r.prepareStep(s, view) {
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
			// The event has been decided by then, so the answer is discarded.
			_, _ = callWithLimit(context.WithoutCancel(ctx), h, handler, ev)
		}()
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Hook.Async && s.Fault != nil {
			// An asynchronous hook cannot decide, and so neither can its fault.
			policy := checkrein.FaultWarn
			if s.Hook.OnFault == checkrein.FaultIgnore {
				policy = checkrein.FaultIgnore
			}
			s.Verdict = faultVerdict(s.Hook, policy, r.row, s.Fault)
		}
	}
}

// mergeOutcome merges the verdicts of the steps, clamps the result and returns the outcome.
func (r *run) mergeOutcome() Outcome {
	var merged checkrein.Verdict
	for i := range r.steps {
		if v := r.steps[i].Verdict; v != nil {
			merged.Add(v)
		}
	}
	r.replacePatches(&merged)
	if t := r.ev.Tool; t != nil && merged.Decision == checkrein.Allow && len(t.Commands()) > 1 {
		merged.Decision, merged.Reason = checkrein.NoOpinion, ""
		r.dropped = append(r.dropped, checkrein.Dropped{Effect: "allow", Why: "the call's arguments contain different commands, and only the agent's program knows which one runs"})
	}
	r.noticeOverriddenAllow(&merged)
	honours := r.honouredEffects()
	doubts := r.doubtsAbout(&merged, honours)
	why := r.unaskedReason(&merged, honours, doubts)
	if why != "" {
		honours &^= checkrein.CanAsk
		merged.Reason = unaskedText(merged.Reason, why)
	}
	r.denyDoubtedRewrite(&merged, honours, doubts)
	verdict, lost := checkrein.Clamp(merged, r.row, honours)
	out := Outcome{Verdict: verdict, Event: r.ev, Canceled: r.canceled, Unasked: why, Acts: r.acts}
	out.Dropped = r.dropped
	for i := range r.steps {
		out.Dropped = append(out.Dropped, r.steps[i].Dropped...)
	}
	out.Dropped = append(out.Dropped, r.attributeDropped(lost)...)
	r.countRedos(&out)
	r.addDoubted(&out, doubts)
	out.Steps = r.steps
	return out
}

// noticeOverriddenAllow adds a notice to v for each hook that allowed a permission request although v
// asks. On such an event the host asks the user anyway and does not show v's reason.
func (r *run) noticeOverriddenAllow(v *checkrein.Verdict) {
	if !r.row.Asks || v.Decision != checkrein.Ask {
		return
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.Verdict != nil && s.Verdict.Decision == checkrein.Allow {
			s.addDropped("allow", "something else needs the user's approval")
			v.Notice = append(v.Notice, fmt.Sprintf("hook %q allows this, but checkrein asks you anyway: %s", s.Hook.Label(), v.Reason))
		}
	}
}

// replacePatches replaces the merged rewrites in v, which are patches, with the complete rewritten
// subject, or removes them if the subject is unchanged.
func (r *run) replacePatches(v *checkrein.Verdict) {
	can := r.row.Effects
	if r.version == 0 { // no rewrite changed the subject
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
		if !rawjson.EqualForEveryReader(r.first.Tool.Input, r.ev.Tool.Input) {
			v.Input = r.ev.Tool.Input
		}
	}
	if can&checkrein.CanRewriteMessages != 0 {
		v.Messages = nil
		if !rawjson.EqualForEveryReader(r.first.Messages, r.ev.Messages) {
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
	case r.ev.Tool != nil && !rawjson.EqualForEveryReader(r.first.Tool.Output, r.ev.Tool.Output):
		v.Output = r.ev.Tool.Output
	}
}

// honouredEffects returns the effects that the event's host honours.
func (r *run) honouredEffects() checkrein.Effect {
	if r.engine.opts.Honours == nil {
		return checkrein.AllEffects
	}
	return r.engine.opts.Honours(&r.ev)
}

// minorEffects is the set of effects whose loss a user cannot act on.
const minorEffects = checkrein.CanAllow | checkrein.CanAnnotate

// doubtsAbout returns the doubts about effects that the host is supposed to honour, or nil if v has
// only minor effects.
func (r *run) doubtsAbout(v *checkrein.Verdict, honours checkrein.Effect) []Doubt {
	if r.engine.opts.Doubts == nil || v.Effects()&^minorEffects == 0 {
		return nil
	}
	list := r.engine.opts.Doubts(&r.ev)
	return slices.DeleteFunc(list, func(d Doubt) bool { return d.Effect&honours == 0 })
}

// addDoubted records in out the effects of its verdict that are in doubt. They stay in the verdict, in
// case the host honours them this time.
func (r *run) addDoubted(out *Outcome, doubts []Doubt) {
	for _, d := range doubts {
		asked := out.Verdict.Effects() & d.Effect
		if asked == 0 {
			continue
		}
		out.Doubted = append(out.Doubted, Doubt{asked, d.Why})
		out.Dropped = append(out.Dropped, r.attributeDropped([]checkrein.Dropped{{Effect: asked.Words()[0], Why: d.Why}})...)
	}
}

// denyDoubtedRewrite denies a rewritten call if the host has been seen to run the original call
// instead, which the hooks have not approved.
func (r *run) denyDoubtedRewrite(v *checkrein.Verdict, honours checkrein.Effect, doubts []Doubt) {
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

// unaskedReason returns why the ask in v becomes a denial, or "" if it does not. It also returns "" on
// events where a denial only keeps the agent going, because nothing is refused there.
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

// unaskedText returns the reason for a denial that replaces an ask: the ask's own reason, if any, and
// why the user was not asked.
func unaskedText(reason, why string) string {
	text := "This needs the user's consent. " + strings.ToUpper(why[:1]) + why[1:] + ", so the user was not asked and this is denied."
	if reason == "" {
		return text
	}
	return strings.TrimRight(reason, " \n") + "\n" + text
}

// attributeDropped returns the effects that the clamp dropped, once for each hook that requested them,
// with the hook's label.
func (r *run) attributeDropped(lost []checkrein.Dropped) []checkrein.Dropped {
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
				asked |= checkrein.CanRedo // the clamp turns some denials into redos
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

// countRedos counts a redo for each hook that denies a stop. The agent goes on unless all of them have
// exceeded RedoLimit; then the denial becomes a notice and the agent may stop.
func (r *run) countRedos(out *Outcome) {
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
				Why: redoLimitReason(n)})
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

// redoLimitReason returns why a hook whose redo count is n no longer keeps the agent going.
func redoLimitReason(n int) string {
	if n == Uncounted {
		return "checkrein cannot count how often the hook has objected in this turn"
	}
	return fmt.Sprintf("the hook has already objected %d times in this turn", RedoLimit)
}
