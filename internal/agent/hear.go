package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// hear asks hooks about one message of the person, in whatever way it came: nobody
// sees it before them. It returns the message as they leave it and what they tell
// the model beside it. What they block is an error: then it is kept from the model,
// from the session and from everybody else, and the person knows.
//
// The way is the event of the runtime that brings the message, and is the event's
// native name; see [checkrein.Hook.Hears].
func (t *thread) hear(ctx context.Context, way checkrein.Kind, message string) (heard string, told []string, err error) {
	if way == checkrein.UserPromptSubmit || way == checkrein.UserFollowupSubmit {
		t.newRun()
	}
	out := t.fire(ctx, checkrein.UserPromptSubmit, text(message), func(ev *checkrein.Event) {
		if way != checkrein.UserPromptSubmit {
			ev.Native = way.String()
		}
	})
	if ctx.Err() != nil { // hooks that were cut off have not agreed
		return "", nil, context.Cause(ctx)
	}
	if denied(&out) {
		t.refuse(ctx, &out)
		return "", nil, &blocked{why(&out)}
	}
	return rewritten(&out, message), out.Verdict.Context, nil
}

// hearAll takes in messages that waited. Those that are blocked are left out, and the
// run goes on without them; unsaid tells the caller of it in the end.
func (t *thread) hearAll(ctx context.Context, way checkrein.Kind, list []string) (heard, told []string, err error) {
	for _, message := range list {
		one, beside, err := t.hear(ctx, way, message)
		switch {
		case errors.Is(err, ErrBlocked):
			t.unsaid = err
		case err != nil:
			return nil, nil, err
		default:
			heard, told = append(heard, one), append(told, beside...)
		}
	}
	return heard, told, nil
}

// submit fires docker-agent's own event for messages that waited. A hook that blocks
// there ends the run, as it does in that system. It returns all that hooks tell the
// model beside the messages.
func (t *thread) submit(ctx context.Context, way checkrein.Kind, told []string, what about) ([]string, error) {
	out := t.fire(ctx, way, what)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if denied(&out) {
		t.refuse(ctx, &out)
		return nil, &blocked{why(&out)}
	}
	return append(told, out.Verdict.Context...), nil
}

// steer gives the agent what the person said while it worked, and reports whether
// there was anything.
func (t *thread) steer(ctx context.Context) (bool, error) {
	const way = checkrein.UserSteeringMessagesSubmit
	if !t.main {
		return false, nil
	}
	list, told, err := t.hearAll(ctx, way, t.rt.steering.all())
	if err != nil || len(list) == 0 {
		return false, err
	}
	if t.steered, err = t.submit(ctx, way, told, with("steering_messages", list)); err != nil {
		return false, err
	}
	t.say(model.Message{Role: model.User, Content: strings.Join(list, "\n")})
	return true, nil
}

// followUp begins with the next message that waited for the agent to be done, and
// reports whether there was one.
func (t *thread) followUp(ctx context.Context) (bool, error) {
	const way = checkrein.UserFollowupSubmit
	for t.main {
		prompt, ok := t.rt.followups.next()
		if !ok {
			break
		}
		list, told, err := t.hearAll(ctx, way, []string{prompt})
		if err != nil {
			return false, err
		}
		if len(list) == 0 {
			continue
		}
		if told, err = t.submit(ctx, way, told, text(list[0])); err != nil {
			return false, err
		}
		t.asked, t.steered = told, nil
		t.newTurn()
		t.say(model.Message{Role: model.User, Content: list[0]})
		return true, nil
	}
	return false, nil
}

// rejected is what the model reads of a call that the person rejects: their reason
// too, which is a message like any other.
func (t *thread) rejected(ctx context.Context, reason string) string {
	const plain = "the user rejected the call"
	if reason == "" {
		return plain
	}
	heard, told, err := t.hear(ctx, checkrein.OnUserInput, reason)
	if err != nil {
		return plain
	}
	t.addCarry(told)
	return plain + ": " + heard
}
