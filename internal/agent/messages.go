package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// checkMessage runs hooks on a message of the user before anything else sees it. It returns the
// message as hooks rewrote it and the context that they add. If they block it, the UI reports that and
// the error is ErrBlocked; the message then reaches neither the model nor the session.
//
// way is the event by which the message came, which hooks see as the event's native name; see
// [checkrein.Hook.Hears].
func (t *thread) checkMessage(ctx context.Context, way checkrein.Kind, message string) (checked string, added []string, err error) {
	if way == checkrein.UserPromptSubmit || way == checkrein.UserFollowupSubmit {
		t.newRunID()
	}
	out := t.fire(ctx, checkrein.UserPromptSubmit, withText(message), func(ev *checkrein.Event) {
		if way != checkrein.UserPromptSubmit {
			ev.Native = way.String()
		}
	})
	if ctx.Err() != nil { // canceled hooks have not agreed
		return "", nil, context.Cause(ctx)
	}
	if isDenied(&out) {
		t.reportBlock(ctx, &out)
		return "", nil, &blockedError{denialReason(&out)}
	}
	return rewrittenText(&out, message), out.Verdict.Context, nil
}

// checkMessages runs hooks on messages that waited. It leaves out blocked ones and sets blockedErr, so
// that the run continues without them and the caller reports the error at the end.
func (t *thread) checkMessages(ctx context.Context, way checkrein.Kind, list []string) (checked, added []string, err error) {
	for _, message := range list {
		one, more, err := t.checkMessage(ctx, way, message)
		switch {
		case errors.Is(err, ErrBlocked):
			t.blockedErr = err
		case err != nil:
			return nil, nil, err
		default:
			checked, added = append(checked, one), append(added, more...)
		}
	}
	return checked, added, nil
}

// fireSubmit fires way, docker-agent's own event for messages that waited, and returns added with the
// context that hooks add. A hook that blocks the event ends the run, as in docker-agent.
func (t *thread) fireSubmit(ctx context.Context, way checkrein.Kind, added []string, what eventOption) ([]string, error) {
	out := t.fire(ctx, way, what)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if isDenied(&out) {
		t.reportBlock(ctx, &out)
		return nil, &blockedError{denialReason(&out)}
	}
	return append(added, out.Verdict.Context...), nil
}

// addSteering adds the messages that the user sent while the agent worked to the conversation, and
// reports whether there were any.
func (t *thread) addSteering(ctx context.Context) (bool, error) {
	const way = checkrein.UserSteeringMessagesSubmit
	if !t.main {
		return false, nil
	}
	list, added, err := t.checkMessages(ctx, way, t.rt.steering.takeAll())
	if err != nil || len(list) == 0 {
		return false, err
	}
	if t.steeringContext, err = t.fireSubmit(ctx, way, added, withDetail("steering_messages", list)); err != nil {
		return false, err
	}
	t.addMessage(model.Message{Role: model.User, Content: strings.Join(list, "\n")})
	return true, nil
}

// startFollowUp starts a turn with the next follow-up that hooks do not block, and reports whether
// there was one.
func (t *thread) startFollowUp(ctx context.Context) (bool, error) {
	const way = checkrein.UserFollowupSubmit
	for t.main {
		prompt, ok := t.rt.followups.takeNext()
		if !ok {
			break
		}
		list, added, err := t.checkMessages(ctx, way, []string{prompt})
		if err != nil {
			return false, err
		}
		if len(list) == 0 {
			continue
		}
		if added, err = t.fireSubmit(ctx, way, added, withText(list[0])); err != nil {
			return false, err
		}
		t.promptContext, t.steeringContext = added, nil
		t.resetStats()
		t.addMessage(model.Message{Role: model.User, Content: list[0]})
		return true, nil
	}
	return false, nil
}

// rejectionText returns the answer to the model for a call that the user rejected. It includes the
// user's reason, which hooks check like any message, unless they block it.
func (t *thread) rejectionText(ctx context.Context, reason string) string {
	const plain = "the user rejected the call"
	if reason == "" {
		return plain
	}
	checked, added, err := t.checkMessage(ctx, checkrein.OnUserInput, reason)
	if err != nil {
		return plain
	}
	t.addNextContext(added)
	return plain + ": " + checked
}
