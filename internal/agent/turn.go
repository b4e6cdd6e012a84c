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

// An ending is how a turn ended.
type ending struct {
	reason string
	again  bool // another turn follows
	reply  string
	err    error
}

// turn is one model call and the tool calls that it asks for. However it ends,
// turn_end is fired with the reason.
func (t *thread) turn(ctx context.Context) (end ending) {
	who := t.who // whose turn it is, even if another agent goes on
	t.rt.refresh(ctx, who)
	start := t.fire(ctx, checkrein.TurnStart)
	defer func() {
		if ctx.Err() != nil && end.reason != normal {
			end = ending{reason: canceled, err: context.Cause(ctx)}
		}
		t.fireOn(context.WithoutCancel(ctx), who, checkrein.TurnEnd, nil, with("reason", end.reason))
		t.report(Report{Type: TurnIsOver, Reason: end.reason})
	}()
	answer, end := t.ask(ctx, start.Verdict.Context)
	if end.reason != "" {
		return end
	}
	if len(answer.ToolCalls) > 0 {
		return t.act(ctx, answer)
	}
	return t.conclude(ctx, answer)
}

// stopped ends the run because hooks want it.
func (t *thread) stopped(ctx context.Context, out *engine.Outcome) ending {
	t.refuse(ctx, out)
	return ending{reason: hookBlocked, err: &blocked{why(out)}}
}

// ask calls the model. The ending has a reason if there is no answer to go on
// with.
func (t *thread) ask(ctx context.Context, told []string) (model.Answer, ending) {
	var answer model.Answer
	var end ending
	err := t.tried(ctx, func(m model.Model) (err error) {
		var messages []model.Message
		if messages, end = t.prepare(ctx, m, told); end.reason != "" {
			return nil
		}
		delta, done := t.streamer()
		if answer, err = m.Call(ctx, model.Request{Messages: messages, Tools: t.definitions()}, delta); err == nil {
			answer.Model = m.ID()
			done()
		}
		return err
	})
	if end.reason != "" {
		return answer, end
	}
	if err != nil {
		return answer, t.failed(ctx, err)
	}
	t.carry, t.settled = nil, false
	t.spend(&answer)
	t.span.steps++
	t.change(func(b *tab) { b.steps++ })
	out := t.fire(ctx, checkrein.AfterLLMCall, append(t.spent(&answer), text(answer.Text), with("last_user_message", t.lastUser()))...)
	answer.Text = rewritten(&out, answer.Text)
	if ctx.Err() != nil { // hooks that were cut off have not seen it
		return answer, ending{reason: canceled, err: context.Cause(ctx)}
	}
	if out.Verdict.Halt {
		return answer, t.stopped(ctx, &out)
	}
	return answer, ending{}
}

// prepare is the conversation as hooks want it sent.
func (t *thread) prepare(ctx context.Context, m model.Model, told []string) ([]model.Message, ending) {
	messages := t.assemble(told)
	raw, err := json.Marshal(messages)
	if err != nil {
		return nil, ending{reason: failed, err: err}
	}
	out := t.fire(ctx, checkrein.BeforeLLMCall, with("iteration", t.iteration), with("model_id", m.ID()), with("last_user_message", t.lastUser()),
		func(ev *checkrein.Event) { ev.Messages = raw })
	if denied(&out) || out.Verdict.Halt {
		return nil, t.stopped(ctx, &out)
	}
	if out.Verdict.Messages != nil {
		var changed []model.Message
		if err := json.Unmarshal(out.Verdict.Messages, &changed); err != nil {
			// What a hook wanted hidden must not be sent because it could not
			// be read.
			err = fmt.Errorf("a before_llm_call hook left messages that cannot be parsed: %w", err)
			t.report(Report{Type: Failure, Text: err.Error()})
			t.alarm(ctx, err.Error())
			return nil, ending{reason: failed, err: err}
		}
		messages = changed
	}
	for _, c := range out.Verdict.Context {
		messages = append(messages, model.Message{Role: model.System, Content: c})
	}
	if err := t.checked(ctx, messages); err != nil {
		return nil, ending{reason: failed, err: err}
	}
	return messages, ending{}
}

// failed is the end of a turn whose model gave no answer. A conversation that is
// too long is compacted, once, and tried again.
func (t *thread) failed(ctx context.Context, err error) ending {
	if ctx.Err() != nil {
		return ending{reason: canceled, err: context.Cause(ctx)}
	}
	if errors.Is(err, model.ErrOverflow) && !t.settled {
		t.settled = true
		if done, _ := t.compact(ctx, "overflow", "overflow"); done {
			return ending{reason: failed, again: true}
		}
	}
	t.report(Report{Type: Failure, Text: "the model did not answer: " + err.Error()})
	t.alarm(ctx, err.Error())
	return ending{reason: failed, err: err}
}

// act runs the tools that an answer asks for.
func (t *thread) act(ctx context.Context, answer model.Answer) ending {
	t.say(model.Message{Role: model.Assistant, Content: answer.Text, ToolCalls: answer.ToolCalls, Model: answer.Model, Usage: answer.Usage, Cost: answer.Cost})
	if answer.Text != "" {
		t.report(Report{Type: Interim, Text: answer.Text})
	}
	stop := t.batch(ctx, answer.ToolCalls)
	if ctx.Err() != nil {
		return ending{reason: canceled, err: context.Cause(ctx)}
	}
	if stop != nil {
		return t.stopped(ctx, stop)
	}
	if n := t.last.add(t.who, answer.ToolCalls); n >= maxAlike {
		message := fmt.Sprintf("the agent made the same tool calls %d times in a row", n)
		t.report(Report{Type: Failure, Text: message})
		t.alarm(ctx, message)
		return ending{reason: loopDetected, err: errors.New(message)}
	}
	if next := t.next; next != "" {
		t.next = ""
		if err := t.switchTo(ctx, next, "handoff"); err != nil {
			return ending{reason: failed, err: err}
		}
	}
	if done, err := t.steer(ctx); err != nil {
		return ending{reason: hookBlocked, err: err}
	} else if done {
		return ending{reason: steered, again: true}
	}
	return ending{reason: goesOn, again: true}
}

// conclude shows the reply that the model stopped with, unless hooks have it go
// on.
func (t *thread) conclude(ctx context.Context, answer model.Answer) ending {
	last := t.lastUser()
	so := t.turnSoFar()
	sum := so.answer()
	sum.Model = answer.Model
	out := t.fire(ctx, checkrein.OnResponseEnd, append(t.spent(&sum), text(answer.Text), with("tool_names", so.tools), with("stop_hook_active", so.redone))...)
	if ctx.Err() != nil {
		return ending{reason: canceled, err: context.Cause(ctx)}
	}
	reply := rewritten(&out, answer.Text)
	t.say(model.Message{Role: model.Assistant, Content: reply, Model: answer.Model, Usage: answer.Usage, Cost: answer.Cost})
	t.report(Report{Type: Final, Text: reply})
	totals := t.rt.Totals()
	t.report(Report{Type: Used, Usage: &totals})

	out = t.fire(ctx, checkrein.Stop, text(reply), with("last_user_message", last))
	t.objection = out.Overruled
	t.carry = append(t.carry, out.Verdict.Context...)
	if t.redo(&out) {
		return ending{reason: goesOn, again: true}
	}
	if t.goal != "" {
		out = t.fire(ctx, checkrein.OnCompletionClaim, text(reply), with("goal", t.goal), with("summary", reply), with("tool_names", so.tools))
		t.objection = cmp.Or(out.Overruled, t.objection)
		if t.redo(&out) {
			return ending{reason: goesOn, again: true}
		}
	}
	return t.goOn(ctx, reply)
}

// redo has the agent go on if hooks want it, and tells it why.
func (t *thread) redo(out *engine.Outcome) bool {
	if out.Redo == nil {
		return false
	}
	t.change(func(b *tab) { b.redone = true })
	t.report(Report{Type: Redoing, Event: out.Event.Kind.String(), Text: out.Redo.Reason, Redo: out.Redo})
	t.say(model.Message{Role: model.User, Content: fmt.Sprintf("%s\n(attempt %d of %d)", out.Redo.Reason, out.Redo.Attempt, out.Redo.Limit)})
	return true
}

// goOn looks for what is left to do when the agent wants to stop.
func (t *thread) goOn(ctx context.Context, reply string) ending {
	if next := t.who.spec.ForceHandoff; next != "" {
		if err := t.switchTo(ctx, next, forcedOver); err != nil {
			return ending{reason: failed, err: err}
		}
		return ending{reason: forcedOver, again: true}
	}
	if done, err := t.steer(ctx); err != nil {
		return ending{reason: hookBlocked, err: err}
	} else if done {
		t.newTurn()
		t.newRun()
		return ending{reason: steered, again: true}
	}
	if done, err := t.followUp(ctx); err != nil {
		return ending{reason: hookBlocked, err: err}
	} else if done {
		return ending{reason: goesOn, again: true}
	}
	return ending{reason: normal, reply: reply}
}

// switchTo lets another agent go on with the conversation.
func (t *thread) switchTo(ctx context.Context, name, kind string) error {
	next, err := t.rt.member(name)
	if err != nil {
		return err
	}
	t.fire(ctx, checkrein.OnAgentSwitch, switching(t.who, next, kind)...)
	t.who = next
	if t.main {
		t.rt.keep(session.Item{Kind: session.Switched, Agent: name})
	}
	t.report(Report{Type: Switched, Text: name, Reason: kind})
	return nil
}

// switching is what on_agent_switch says.
func switching(from, to *member, kind string) []about {
	models := []model.Endpoint{from.model.Endpoint()}
	for _, m := range from.spare.models {
		models = append(models, m.Endpoint())
	}
	return []about{with("from_agent", from.spec.Name), with("to_agent", to.spec.Name), with("agent_switch_kind", kind), with("from_agent_models", models)}
}

// spent is what hooks read of the price of a call, or of a turn.
func (t *thread) spent(answer *model.Answer) []about {
	out := []about{with("model_id", cmp.Or(answer.Model, t.who.model.ID()))}
	if answer.Usage != nil {
		out = append(out, with("usage", answer.Usage))
	}
	if answer.Cost != nil {
		out = append(out, with("cost", *answer.Cost))
	}
	return out
}

// count adds a call, of whichever agent, to what the session used.
func (r *Runtime) count(u *model.Usage, cost *float64) {
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

// countJudges adds the models that hooks asked to what the session used.
func (r *Runtime) countJudges(out *engine.Outcome) {
	for i := range out.Steps {
		if a := out.Steps[i].Answer; a != nil && a.Spent != nil && !a.Spent.Again {
			r.count(&model.Usage{Input: a.Spent.Input, Output: a.Spent.Output}, a.Spent.Cost)
		}
	}
}

// streamer shows text while the model speaks, if no hook can change it any more
// but the one that takes secrets out, which can be done on the way. Done shows
// what was held back.
func (t *thread) streamer() (delta func(string), done func()) {
	if !t.main {
		return nil, func() {}
	}
	redacts := false
	for _, kind := range [...]checkrein.Kind{checkrein.AfterLLMCall, checkrein.OnResponseEnd} {
		for _, s := range t.who.hooks.Plan(checkrein.Event{Kind: kind, Session: checkrein.Session{ID: t.id, Agent: t.who.spec.Name}}) {
			if !t.who.hooks.Traits(s.Hook).Secrets {
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
