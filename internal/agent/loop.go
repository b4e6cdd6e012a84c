package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/card"
)

// Why a turn ended, as values of reason in turn_end.
const (
	turnNormal    = "normal"
	turnContinues = "continue"
	turnSteered   = "steered"
	turnFailed    = "error"
	turnCanceled  = "canceled"
	turnBlocked   = "hook_blocked"
	turnLooped    = "loop_detected"
	turnHandedOff = "force_handoff"
)

// Why a session ends, as values of reason in session_end. They are those of docker-agent
// without logout, which does not occur here.
const (
	EndClear = "clear"
	EndExit  = "prompt_input_exit" // the person left
	EndOther = "other"
)

// ErrBlocked means that a hook ended the run.
var ErrBlocked = errors.New("a hook ended the run")

// A blockedError is an ErrBlocked with the reason that the hook gave.
type blockedError struct{ reason string }

func (b *blockedError) Error() string        { return b.reason }
func (b *blockedError) Is(target error) bool { return target == ErrBlocked }

// Start fires session_start. source is startup, resume or clear. The context that hooks add remains in
// the conversation.
func (r *Runtime) Start(ctx context.Context, source string) { r.main.start(ctx, source) }

func (t *thread) start(ctx context.Context, source string) {
	if source != "compact" { // the session continues
		t.span = span{began: t.rt.opts.Now()}
	}
	out := t.fire(ctx, checkrein.SessionStart, withDetail("source", source))
	for _, c := range out.Verdict.Context {
		if slices.Contains(t.startContext, c) {
			continue // the conversation already has it
		}
		t.startContext = append(t.startContext, c)
		if t.main {
			t.rt.save(session.Item{Kind: session.Context, Text: c})
		}
	}
}

// End stops background agents and fires session_end with this reason. The runtime must not be used
// afterwards.
func (r *Runtime) End(ctx context.Context, reason string) {
	r.jobs.stopAll()
	r.main.fire(ctx, checkrein.SessionEnd, withDetail("reason", reason))
	r.save(session.Item{Kind: session.Ended, Text: reason})
}

// Clear removes the conversation and begins a new one with the same session ID.
func (r *Runtime) Clear(ctx context.Context) {
	t := r.main
	t.fire(ctx, checkrein.SessionEnd, withDetail("reason", EndClear))
	t.messages, t.summary, t.startContext, t.promptContext, t.steeringContext, t.nextContext = nil, "", nil, nil, nil, nil
	r.withheld.Clear()
	r.save(session.Item{Kind: session.Cleared})
	t.start(ctx, "clear")
}

// Totals returns what the session has used so far.
func (r *Runtime) Totals() Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.totals
}

// Prompt gives the agent a message of the user and runs it until it is done. If hooks blocked a
// message that waited meanwhile, it returns that error at the end.
func (r *Runtime) Prompt(ctx context.Context, prompt string) error {
	if err := r.main.runPrompt(ctx, prompt); err != nil {
		return err
	}
	return r.main.blockedErr
}

// RunFollowUps runs the agent on the follow-ups that came while it was idle, if there are any.
func (r *Runtime) RunFollowUps(ctx context.Context) error {
	t := r.main
	r.working.Store(true)
	defer r.working.Store(false)
	t.blockedErr = nil
	found, err := t.startFollowUp(ctx)
	if found || err != nil || t.blockedErr != nil {
		defer t.fire(context.WithoutCancel(ctx), checkrein.OnUserInput)
	}
	if found && err == nil {
		t.nextContext = nil
		_, err = t.runLoop(ctx)
	}
	if err != nil {
		return err
	}
	return t.blockedErr
}

// runPrompt runs the agent on a message of the user until it is done.
func (t *thread) runPrompt(ctx context.Context, prompt string) error {
	t.rt.working.Store(true)
	defer t.rt.working.Store(false)
	defer t.fire(context.WithoutCancel(ctx), checkrein.OnUserInput)
	t.blockedErr = nil
	checked, added, err := t.checkMessage(ctx, checkrein.UserPromptSubmit, prompt)
	if err != nil {
		return err
	}
	t.promptContext, t.steeringContext = added, nil // nextContext of the last stop stays
	t.resetStats()
	t.addMessage(model.Message{Role: model.User, Content: checked})
	_, err = t.runLoop(ctx)
	return err
}

// PursueGoal runs the agent until it claims that the goal is reached and no hook objects. If hooks
// still object after their last attempt, it gives up and returns an error.
func (r *Runtime) PursueGoal(ctx context.Context, goal string) error {
	t := r.main
	t.goal = goal
	defer func() { t.goal = "" }()
	if err := t.runPrompt(ctx, "Your goal: "+goal+"\nWork until it is reached, then say so."); err != nil {
		return err
	}
	if t.objection != "" {
		t.report(Report{Type: GoalMissed, Text: goal, Reason: t.objection})
		return &blockedError{"the goal was given up: " + t.objection}
	}
	t.report(Report{Type: GoalDone, Text: goal})
	return t.blockedErr
}

// rewrittenText returns the text that hooks put in the place of original, or original if they did not
// change it.
func rewrittenText(out *engine.Outcome, original string) string {
	if out.Verdict.Output == nil {
		return original
	}
	var s string
	if json.Unmarshal(out.Verdict.Output, &s) != nil {
		return string(out.Verdict.Output) // a hook may return any JSON
	}
	return s
}

// reportBlock reports to the UI and to hooks that a hook ended the run.
func (t *thread) reportBlock(ctx context.Context, out *engine.Outcome) {
	card := card.FromReason(denialReason(out))
	t.report(t.addRemedy(Report{Type: Blocked, Event: out.Event.Kind.String(), Text: denialReason(out), Card: &card, Source: "hook"}, out.Handle))
	t.fireError(ctx, "blocked by a hook on "+out.Event.Kind.String()+": "+denialReason(out))
}

// fireError fires notification and on_error with message.
func (t *thread) fireError(ctx context.Context, message string) {
	t.fire(ctx, checkrein.Notification, withDetail("notification_level", "error"), withText(message))
	t.fire(ctx, checkrein.OnError, withDetail("notification_level", "error"), withText(message))
}

// runLoop runs turns until the agent is done, and returns its last reply.
func (t *thread) runLoop(ctx context.Context) (string, error) {
	t.lastBatch, t.overflowCompacted = repeatCounter{}, false
	defer func() { t.iteration = 0 }()
	granted := 0 // the limit that the user allowed
	for iteration := 1; ; iteration++ {
		t.iteration = iteration
		if limit := max(t.agent.spec.MaxIterations, granted); t.agent.spec.MaxIterations > 0 && iteration > limit {
			more, err := t.askOverLimit(ctx, iteration-1)
			if more == 0 {
				t.fireStopAtLimit(ctx, iteration-1)
				return "", err
			}
			granted = more
		}
		if source := t.compactionSource(); source != "" {
			if _, err := t.compact(ctx, source, "threshold"); err != nil {
				t.report(Report{Type: Failure, Text: err.Error()})
				t.fireError(ctx, err.Error())
				return "", err
			}
		}
		if _, err := t.addSteering(ctx); err != nil {
			return "", err
		}
		end := t.runTurn(ctx)
		if !end.again {
			return end.reply, end.err
		}
	}
}

// askOverLimit asks the user whether to continue after done iterations, the limit. It returns the new
// limit, or 0 to stop.
func (t *thread) askOverLimit(ctx context.Context, done int) (int, error) {
	message := fmt.Sprintf("the agent has reached its iteration limit, which is %d", done)
	t.fire(ctx, checkrein.Notification, withDetail("notification_level", "warning"), withText(message))
	t.fire(ctx, checkrein.OnMaxIterations, withDetail("notification_level", "warning"), withText(message))
	t.report(Report{Type: Warning, Text: message})
	if !t.interactive {
		return 0, errors.New(message)
	}
	t.fire(ctx, checkrein.OnUserInput)
	t.rt.askMu.Lock()
	more, err := t.rt.opts.UI.ConfirmMore(ctx, done)
	t.rt.askMu.Unlock()
	if err == nil && !more && t.goal != "" { // the goal is not reached
		err = errors.New(message)
	}
	if err != nil || !more {
		return 0, err
	}
	limit := done + 10
	t.fire(ctx, checkrein.OnSessionResume, withDetail("previous_max_iterations", done), withDetail("new_max_iterations", limit))
	return limit, nil
}

// fireStopAtLimit fires stop for an agent that reached its limit of iterations. Hooks cannot make it
// continue, since only the user can raise the limit.
func (t *thread) fireStopAtLimit(ctx context.Context, limit int) {
	if ctx.Err() != nil {
		return
	}
	said := ""
	for _, m := range slices.Backward(t.messages) {
		if m.Role == model.Assistant {
			said = m.Content
		}
		if m.Role != model.ToolRole {
			break
		}
	}
	out := t.fire(ctx, checkrein.Stop, withText(said), withDetail("last_user_message", t.lastUserMessage()), withDetail("stop_reason", maxSteps))
	t.addNextContext(out.Verdict.Context)
	if out.Redo != nil {
		t.report(Report{Type: Warning, Text: fmt.Sprintf("a stop hook wants the agent to continue (%s), but the agent has reached its iteration limit, which is %d", out.Redo.Reason, limit)})
	}
}
