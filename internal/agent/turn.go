package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/secret"
)

// An ending is the way in which a turn ended.
type ending struct {
	reason string
	again  bool // another turn follows
	reply  string
	err    error
}

// runTurn makes one model call and runs the tool calls in its answer. It fires turn_end with the
// reason, however the turn ends.
func (t *thread) runTurn(ctx context.Context) (end ending) {
	who := t.agent // the turn belongs to this agent, even if it hands over to another one
	t.rt.refreshTools(ctx, who)
	start := t.fire(ctx, checkrein.TurnStart)
	defer func() {
		if ctx.Err() != nil && end.reason != turnNormal {
			end = ending{reason: turnCanceled, err: context.Cause(ctx)}
		}
		t.fireOn(context.WithoutCancel(ctx), who, checkrein.TurnEnd, nil, withDetail("reason", end.reason))
		t.report(Report{Type: TurnEnded, Reason: end.reason})
	}()
	answer, end := t.callModel(ctx, start.Verdict.Context)
	if end.reason != "" {
		return end
	}
	if len(answer.ToolCalls) > 0 {
		return t.runTools(ctx, answer)
	}
	return t.conclude(ctx, answer)
}

// endByHook reports that a hook ended the run, and returns the ending.
func (t *thread) endByHook(ctx context.Context, out *engine.Outcome) ending {
	t.reportBlock(ctx, out)
	return ending{reason: turnBlocked, err: &blockedError{denialReason(out)}}
}

// callModel calls the model with turnContext added to the conversation. The ending has a reason if
// there is no usable answer.
func (t *thread) callModel(ctx context.Context, turnContext []string) (model.Answer, ending) {
	var answer model.Answer
	var end ending
	err := t.tryModels(ctx, func(m model.Model) (err error) {
		var messages []model.Message
		if messages, end = t.prepareMessages(ctx, m, turnContext); end.reason != "" {
			return nil
		}
		delta, done := t.streamer()
		if answer, err = m.Call(ctx, model.Request{Messages: messages, Tools: t.toolDefinitions()}, delta); err == nil {
			answer.Model = m.ID()
			done()
		}
		return err
	})
	if end.reason != "" {
		return answer, end
	}
	if err != nil {
		return answer, t.endByError(ctx, err)
	}
	t.nextContext, t.overflowCompacted = nil, false
	t.countCall(&answer)
	t.span.steps++
	t.updateStats(func(b *turnStats) { b.steps++ })
	out := t.fire(ctx, checkrein.AfterLLMCall, append(t.costDetails(&answer), withText(answer.Text), withDetail("last_user_message", t.lastUserMessage()))...)
	answer.Text = rewrittenText(&out, answer.Text)
	if ctx.Err() != nil { // canceled hooks have not checked it
		return answer, ending{reason: turnCanceled, err: context.Cause(ctx)}
	}
	if out.Verdict.Halt {
		return answer, t.endByHook(ctx, &out)
	}
	return answer, ending{}
}

// prepareMessages returns the messages for m as before_llm_call hooks rewrote them. The ending has a
// reason if they must not be sent.
func (t *thread) prepareMessages(ctx context.Context, m model.Model, turnContext []string) ([]model.Message, ending) {
	messages := t.assembleMessages(turnContext)
	raw, err := json.Marshal(messages)
	if err != nil {
		return nil, ending{reason: turnFailed, err: err}
	}
	out := t.fire(ctx, checkrein.BeforeLLMCall, withDetail("iteration", t.iteration), withDetail("model_id", m.ID()), withDetail("last_user_message", t.lastUserMessage()),
		func(ev *checkrein.Event) { ev.Messages = raw })
	if isDenied(&out) || out.Verdict.Halt {
		return nil, t.endByHook(ctx, &out)
	}
	if out.Verdict.Messages != nil {
		var changed []model.Message
		if err := json.Unmarshal(out.Verdict.Messages, &changed); err != nil {
			// The original messages may contain what the hook removed.
			err = fmt.Errorf("a before_llm_call hook returned messages that cannot be parsed: %w", err)
			t.report(Report{Type: Failure, Text: err.Error()})
			t.fireError(ctx, err.Error())
			return nil, ending{reason: turnFailed, err: err}
		}
		messages = changed
	}
	for _, c := range out.Verdict.Context {
		messages = append(messages, model.Message{Role: model.System, Content: c})
	}
	if err := t.checkWithheld(ctx, messages); err != nil {
		return nil, ending{reason: turnFailed, err: err}
	}
	return messages, ending{}
}

// endByError returns the ending of a turn in which the model failed with err, and reports the error.
// If the conversation is too long, it is compacted and tried again, once.
func (t *thread) endByError(ctx context.Context, err error) ending {
	if ctx.Err() != nil {
		return ending{reason: turnCanceled, err: context.Cause(ctx)}
	}
	if errors.Is(err, model.ErrOverflow) && !t.overflowCompacted {
		t.overflowCompacted = true
		if done, _ := t.compact(ctx, "overflow", "overflow"); done {
			return ending{reason: turnFailed, again: true}
		}
	}
	t.report(Report{Type: Failure, Text: "the model did not answer: " + err.Error()})
	t.fireError(ctx, err.Error())
	return ending{reason: turnFailed, err: err}
}

// runTools runs the tool calls of answer and returns how the turn ends.
func (t *thread) runTools(ctx context.Context, answer model.Answer) ending {
	t.addMessage(model.Message{Role: model.Assistant, Content: answer.Text, ToolCalls: answer.ToolCalls, Model: answer.Model, Usage: answer.Usage, Cost: answer.Cost})
	if answer.Text != "" {
		t.report(Report{Type: Interim, Text: answer.Text})
	}
	stop := t.runBatch(ctx, answer.ToolCalls)
	if ctx.Err() != nil {
		return ending{reason: turnCanceled, err: context.Cause(ctx)}
	}
	if stop != nil {
		return t.endByHook(ctx, stop)
	}
	if n := t.lastBatch.countBatch(t.agent, answer.ToolCalls); n >= maxRepeats {
		message := fmt.Sprintf("the agent made the same tool calls %d times in a row", n)
		t.report(Report{Type: Failure, Text: message})
		t.fireError(ctx, message)
		return ending{reason: turnLooped, err: errors.New(message)}
	}
	if next := t.handoffTo; next != "" {
		t.handoffTo = ""
		if err := t.switchTo(ctx, next, "handoff"); err != nil {
			return ending{reason: turnFailed, err: err}
		}
	}
	if done, err := t.addSteering(ctx); err != nil {
		return ending{reason: turnBlocked, err: err}
	} else if done {
		return ending{reason: turnSteered, again: true}
	}
	return ending{reason: turnContinues, again: true}
}

// conclude reports the reply in answer, which has no tool calls, and returns how the turn ends. Hooks
// on stop may make the agent continue.
func (t *thread) conclude(ctx context.Context, answer model.Answer) ending {
	last := t.lastUserMessage()
	so := t.currentStats()
	sum := so.total()
	sum.Model = answer.Model
	out := t.fire(ctx, checkrein.OnResponseEnd, append(t.costDetails(&sum), withText(answer.Text), withDetail("tool_names", so.tools), withDetail("stop_hook_active", so.redone))...)
	if ctx.Err() != nil {
		return ending{reason: turnCanceled, err: context.Cause(ctx)}
	}
	reply := rewrittenText(&out, answer.Text)
	t.addMessage(model.Message{Role: model.Assistant, Content: reply, Model: answer.Model, Usage: answer.Usage, Cost: answer.Cost})
	t.report(Report{Type: Final, Text: reply})
	totals := t.rt.Totals()
	t.report(Report{Type: Used, Usage: &totals})

	out = t.fire(ctx, checkrein.Stop, withText(reply), withDetail("last_user_message", last))
	t.objection = out.Overruled
	t.nextContext = append(t.nextContext, out.Verdict.Context...)
	if t.applyRedo(&out) {
		return ending{reason: turnContinues, again: true}
	}
	if t.goal != "" {
		out = t.fire(ctx, checkrein.OnCompletionClaim, withText(reply), withDetail("goal", t.goal), withDetail("summary", reply), withDetail("tool_names", so.tools))
		t.objection = cmp.Or(out.Overruled, t.objection)
		if t.applyRedo(&out) {
			return ending{reason: turnContinues, again: true}
		}
	}
	return t.finishTurn(ctx, reply)
}

// applyRedo adds the reason of hooks that make the agent continue as a message, and reports whether
// there are such hooks.
func (t *thread) applyRedo(out *engine.Outcome) bool {
	if out.Redo == nil {
		return false
	}
	t.updateStats(func(b *turnStats) { b.redone = true })
	t.report(Report{Type: Redoing, Event: out.Event.Kind.String(), Text: out.Redo.Reason, Redo: out.Redo})
	t.addMessage(model.Message{Role: model.User, Content: fmt.Sprintf("%s\n(attempt %d of %d)", out.Redo.Reason, out.Redo.Attempt, out.Redo.Limit)})
	return true
}

// finishTurn returns the ending of a turn with reply. Another turn follows if the agent must hand
// over, or if messages are waiting.
func (t *thread) finishTurn(ctx context.Context, reply string) ending {
	if next := t.agent.spec.ForceHandoff; next != "" {
		if err := t.switchTo(ctx, next, turnHandedOff); err != nil {
			return ending{reason: turnFailed, err: err}
		}
		return ending{reason: turnHandedOff, again: true}
	}
	if done, err := t.addSteering(ctx); err != nil {
		return ending{reason: turnBlocked, err: err}
	} else if done {
		t.resetStats()
		t.newRunID()
		return ending{reason: turnSteered, again: true}
	}
	if done, err := t.startFollowUp(ctx); err != nil {
		return ending{reason: turnBlocked, err: err}
	} else if done {
		return ending{reason: turnContinues, again: true}
	}
	return ending{reason: turnNormal, reply: reply}
}

// switchTo makes the agent name continue the conversation. kind is the reason, for hooks.
func (t *thread) switchTo(ctx context.Context, name, kind string) error {
	next, err := t.rt.openMember(name)
	if err != nil {
		return err
	}
	t.fire(ctx, checkrein.OnAgentSwitch, switchDetails(t.agent, next, kind)...)
	t.agent = next
	if t.main {
		t.rt.save(session.Item{Kind: session.Switched, Agent: name})
	}
	t.report(Report{Type: Switched, Text: name, Reason: kind})
	return nil
}

// switchDetails returns the details of on_agent_switch.
func switchDetails(from, to *member, kind string) []eventOption {
	models := []model.Endpoint{from.model.Endpoint()}
	for _, m := range from.fallback.models {
		models = append(models, m.Endpoint())
	}
	return []eventOption{withDetail("from_agent", from.spec.Name), withDetail("to_agent", to.spec.Name), withDetail("agent_switch_kind", kind), withDetail("from_agent_models", models)}
}

// costDetails returns the event details for the model, usage and cost of answer.
func (t *thread) costDetails(answer *model.Answer) []eventOption {
	out := []eventOption{withDetail("model_id", cmp.Or(answer.Model, t.agent.model.ID()))}
	if answer.Usage != nil {
		out = append(out, withDetail("usage", answer.Usage))
	}
	if answer.Cost != nil {
		out = append(out, withDetail("cost", *answer.Cost))
	}
	return out
}

// addUsage adds a model call to the session's totals. u and cost are nil if they are unknown.
func (r *Runtime) addUsage(u *model.Usage, cost *float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.totals
	s.Priced = cost != nil && (s.Priced || s.Calls == 0)
	s.Calls++
	if u != nil {
		s.Input += u.Input
		s.Output += u.Output
	}
	if cost != nil {
		s.Cost += *cost
	}
}

// addJudgeUsage adds the model calls of hooks to the session's totals.
func (r *Runtime) addJudgeUsage(out *engine.Outcome) {
	for i := range out.Steps {
		if a := out.Steps[i].Answer; a != nil && a.Usage != nil && !a.Usage.Again {
			r.addUsage(&model.Usage{Input: a.Usage.Input, Output: a.Usage.Output}, a.Usage.Cost)
		}
	}
}

// streamer returns delta, a function that shows text while the model writes it, and done, which shows
// the text that was held back. delta is nil if hooks may still change the text. Redaction hooks are no
// obstacle, because redaction works on a stream.
func (t *thread) streamer() (delta func(string), done func()) {
	if !t.main {
		return nil, func() {}
	}
	redacts := false
	for _, kind := range [...]checkrein.Kind{checkrein.AfterLLMCall, checkrein.OnResponseEnd} {
		for _, s := range t.agent.hooks.Plan(checkrein.Event{Kind: kind, Session: checkrein.Session{ID: t.id, Agent: t.agent.spec.Name}}) {
			if !t.agent.hooks.Traits(s.Hook).Secrets {
				return nil, func() {}
			}
			redacts = true
		}
	}
	show := func(s string) {
		if s != "" {
			t.report(Report{Type: Delta, Text: s})
		}
	}
	if !redacts {
		return show, func() {}
	}
	r := secret.NewStream(secret.Secrets, nil)
	return func(s string) { show(string(r.Write([]byte(s)))) }, func() { show(string(r.Close())) }
}
