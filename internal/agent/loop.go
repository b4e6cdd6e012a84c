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

// Why a turn ended, as turn_end says it.
const (
	normal       = "normal"
	goesOn       = "continue"
	steered      = "steered"
	failed       = "error"
	canceled     = "canceled"
	hookBlocked  = "hook_blocked"
	loopDetected = "loop_detected"
	forcedOver   = "force_handoff"
)

// Why a session ends, as session_end says it in docker-agent's words. Of those, nothing
// here is a logout.
const (
	EndClear = "clear"
	EndExit  = "prompt_input_exit" // the person has nothing more to say
	EndOther = "other"
)

// ErrBlocked reports that a hook ended the run.
var ErrBlocked = errors.New("a hook ended the run")

// A blocked is a run that a hook ended, with its reason.
type blocked struct{ reason string }

func (b *blocked) Error() string        { return b.reason }
func (b *blocked) Is(target error) bool { return target == ErrBlocked }

// Start fires session_start. Source is startup, resume or clear. What hooks tell
// the model then is part of the conversation for good.
func (r *Runtime) Start(ctx context.Context, source string) { r.main.start(ctx, source) }

func (t *thread) start(ctx context.Context, source string) {
	if source != "compact" { // which is in the middle of a session
		t.span = span{began: t.rt.opts.Now()}
	}
	out := t.fire(ctx, checkrein.SessionStart, with("source", source))
	for _, c := range out.Verdict.Context {
		if slices.Contains(t.began, c) {
			continue // it was told when the session began, or before it was resumed
		}
		t.began = append(t.began, c)
		if t.main {
			t.rt.keep(session.Item{Kind: session.Context, Text: c})
		}
	}
}

// End fires session_end: nothing may be asked of the runtime afterwards.
// Background agents are ended first.
func (r *Runtime) End(ctx context.Context, reason string) {
	r.jobs.stopAll()
	r.main.fire(ctx, checkrein.SessionEnd, with("reason", reason))
	r.keep(session.Item{Kind: session.Ended, Text: reason})
}

// Clear forgets the conversation and begins a new one under the same id.
func (r *Runtime) Clear(ctx context.Context) {
	t := r.main
	t.fire(ctx, checkrein.SessionEnd, with("reason", EndClear))
	t.messages, t.summary, t.began, t.asked, t.steered, t.carry = nil, "", nil, nil, nil, nil
	r.withheld.Clear()
	r.keep(session.Item{Kind: session.Cleared})
	t.start(ctx, "clear")
}

// Totals are what the session used so far.
func (r *Runtime) Totals() Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.totals
}

// Prompt gives the agent a message and works until it has nothing left to do.
// That a message which waited was blocked is an error too.
func (r *Runtime) Prompt(ctx context.Context, prompt string) error {
	if err := r.main.begin(ctx, prompt); err != nil {
		return err
	}
	return r.main.unsaid
}

// Resume goes on with the follow-ups that came while the agent had nothing to do, if
// there are any.
func (r *Runtime) Resume(ctx context.Context) error {
	t := r.main
	r.working.Store(true)
	defer r.working.Store(false)
	t.unsaid = nil
	found, err := t.followUp(ctx)
	if found || err != nil || t.unsaid != nil {
		defer t.fire(context.WithoutCancel(ctx), checkrein.OnUserInput)
	}
	if found && err == nil {
		t.carry = nil
		_, err = t.loop(ctx)
	}
	if err != nil {
		return err
	}
	return t.unsaid
}

func (t *thread) begin(ctx context.Context, prompt string) error {
	t.rt.working.Store(true)
	defer t.rt.working.Store(false)
	defer t.fire(context.WithoutCancel(ctx), checkrein.OnUserInput)
	t.unsaid = nil
	heard, told, err := t.hear(ctx, checkrein.UserPromptSubmit, prompt)
	if err != nil {
		return err
	}
	t.asked, t.steered = told, nil // what hooks on the last stop told is still to be said
	t.newTurn()
	t.say(model.Message{Role: model.User, Content: heard})
	_, err = t.loop(ctx)
	return err
}

// Goal has the agent work until it claims that the goal is reached and no hook
// objects. Where hooks still object when they have had their attempts, the goal is
// given up.
func (r *Runtime) Goal(ctx context.Context, goal string) error {
	t := r.main
	t.goal = goal
	defer func() { t.goal = "" }()
	if err := t.begin(ctx, "Your goal: "+goal+"\nWork until it is reached, then say so."); err != nil {
		return err
	}
	if t.objection != "" {
		t.report(Report{Type: GoalMissed, Text: goal, Reason: t.objection})
		return &blocked{"the goal was given up: " + t.objection}
	}
	t.report(Report{Type: GoalDone, Text: goal})
	return t.unsaid
}

// rewritten is the text as hooks left it.
func rewritten(out *engine.Outcome, was string) string {
	if out.Verdict.Output == nil {
		return was
	}
	var s string
	if json.Unmarshal(out.Verdict.Output, &s) != nil {
		return string(out.Verdict.Output) // not a text, and yet what a hook wants
	}
	return s
}

// refuse informs everybody that a hook ended the run.
func (t *thread) refuse(ctx context.Context, out *engine.Outcome) {
	card := card.Split(why(out))
	t.report(t.remedy(Report{Type: Blocked, Event: out.Event.Kind.String(), Text: why(out), Card: &card, Source: "hook"}, out.Handle))
	t.alarm(ctx, "blocked by a hook on "+out.Event.Kind.String()+": "+why(out))
}

// alarm notifies hooks of an error.
func (t *thread) alarm(ctx context.Context, message string) {
	t.fire(ctx, checkrein.Notification, with("notification_level", "error"), text(message))
	t.fire(ctx, checkrein.OnError, with("notification_level", "error"), text(message))
}

// loop takes turns until the agent has nothing left to do and returns its last
// reply.
func (t *thread) loop(ctx context.Context) (string, error) {
	t.last, t.settled = batchMark{}, false
	defer func() { t.iteration = 0 }()
	granted := 0 // up to where the person let it go
	for iteration := 1; ; iteration++ {
		t.iteration = iteration
		if limit := max(t.who.spec.MaxIterations, granted); t.who.spec.MaxIterations > 0 && iteration > limit {
			more, err := t.overLimit(ctx, iteration-1)
			if more == 0 {
				t.stopAtLimit(ctx, iteration-1)
				return "", err
			}
			granted = more
		}
		if source := t.full(); source != "" {
			if _, err := t.compact(ctx, source, "threshold"); err != nil {
				t.report(Report{Type: Failure, Text: err.Error()})
				t.alarm(ctx, err.Error())
				return "", err
			}
		}
		if _, err := t.steer(ctx); err != nil {
			return "", err
		}
		end := t.turn(ctx)
		if !end.again {
			return end.reply, end.err
		}
	}
}

// overLimit asks whether to go on past the iteration limit and returns the new
// one, 0 to stop.
func (t *thread) overLimit(ctx context.Context, done int) (int, error) {
	message := fmt.Sprintf("the agent has reached its limit of %d iterations", done)
	t.fire(ctx, checkrein.Notification, with("notification_level", "warning"), text(message))
	t.fire(ctx, checkrein.OnMaxIterations, with("notification_level", "warning"), text(message))
	t.report(Report{Type: Warning, Text: message})
	if !t.interactive {
		return 0, errors.New(message)
	}
	t.fire(ctx, checkrein.OnUserInput)
	t.rt.asking.Lock()
	more, err := t.rt.opts.UI.GoOn(ctx, done)
	t.rt.asking.Unlock()
	if err == nil && !more && t.goal != "" { // which is not reached
		err = errors.New(message)
	}
	if err != nil || !more {
		return 0, err
	}
	limit := done + 10
	t.fire(ctx, checkrein.OnSessionResume, with("previous_max_iterations", done), with("new_max_iterations", limit))
	return limit, nil
}

// stopAtLimit notifies hooks that the agent stops where its limit is. They cannot keep it
// going: only the person lifts the limit.
func (t *thread) stopAtLimit(ctx context.Context, limit int) {
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
	out := t.fire(ctx, checkrein.Stop, text(said), with("last_user_message", t.lastUser()), with("stop_reason", maxSteps))
	t.addCarry(out.Verdict.Context)
	if out.Redo != nil {
		t.report(Report{Type: Warning, Text: fmt.Sprintf("a stop hook wants the agent to continue, but the agent reached its limit of %d iterations: %s", limit, out.Redo.Reason)})
	}
}
