// Package engine runs hooks for events. It is for programs that declare their hooks in Go and read no
// files; package kit adds the configuration of the machine, its approvals and the built-in guards.
//
//	e := engine.New(engine.Options{Hooks: hooks, Handlers: handlers})
//	if err := e.Check(); err != nil { … }
//	out := e.Decide(ctx, checkrein.Event{Kind: checkrein.PreToolUse, Tool: call})
//	if out.Verdict.Decision == checkrein.Deny { … }
//
// [Engine.Plan] returns the hooks that would run for an event; [Engine.Decide] runs them and merges
// their answers.
package engine

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// Options configure an [Engine]. With the zero Options, an engine has no hooks.
type Options struct {
	Hooks    []checkrein.Hook        // hooks with the same priority run in this order
	Handlers []checkrein.HandlerType // the types that hooks may name in Run; the last of several with the same name counts

	// Approval returns the approval of a hook whose Origin.Approval is set. It is called
	// just before each run of such a hook. If Approval is nil, none of them run.
	Approval func(h *checkrein.Hook) Approval
	// Memory counts how many times hooks keep the agent going. If Memory is nil, the engine keeps the counts
	// itself.
	Memory Memory
	// Honours returns the effects that the caller carries out for an event. If Honours
	// is nil, it carries out all effects that the event's contract allows.
	Honours func(ev *checkrein.Event) checkrein.Effect
	// Parallel is the number of hooks that run at the same time; 0 means twice the
	// number of cores, and at least 4.
	Parallel int
}

// An Approval is the state of a person's consent to run a hook.
type Approval uint8

// The approvals.
const (
	Unapproved Approval = iota // never approved: the hook is skipped
	Approved
	Changed // changed since it was approved: a fault
	Refused // must not run: a fault
)

// String returns unapproved, approved, changed or refused.
func (a Approval) String() string {
	return [...]string{"unapproved", "approved", "changed", "refused"}[a]
}

// A Memory counts, for each session, how many times each hook kept the agent going in the
// current turn. It must be safe for concurrent use.
type Memory interface {
	// Turn is called when a person starts a new turn, which resets the counts.
	Turn(ev *checkrein.Event)
	// Redo adds one to the count of the hook and returns the new count. Above three, the agent may
	// stop. text is the reason that the agent receives; some agents send it back as a prompt, which does
	// not begin a new turn.
	Redo(ev *checkrein.Event, hook, text string) int
}

// redoCounts is the default [Memory] of engines. It takes every prompt for a new turn.
type redoCounts struct {
	mu     sync.Mutex
	counts map[string]map[string]int // by session and hook
}

func (r *redoCounts) Turn(ev *checkrein.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.counts, ev.Session.ID)
}

func (r *redoCounts) Redo(ev *checkrein.Event, hook, _ string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	hooks := r.counts[ev.Session.ID]
	if hooks == nil {
		hooks = map[string]int{}
		r.counts[ev.Session.ID] = hooks
	}
	hooks[hook]++
	return hooks[hook]
}

// An Engine plans and runs hooks. It is safe for concurrent use.
type Engine struct {
	engine *engine.Engine
	hooks  []checkrein.Hook
}

// New returns an engine. It does not fail: a hook that cannot work faults when its event fires, and
// [Engine.Check] reports it before that.
func New(opts Options) *Engine {
	home, _ := os.UserHomeDir() // without one, ~ in conditions matches nothing
	inner := engine.Options{Hooks: opts.Hooks, Handlers: opts.Handlers, Memory: opts.Memory, Honours: opts.Honours, Parallel: opts.Parallel, Home: home, Note: true, CheckEvents: true}
	if inner.Memory == nil {
		inner.Memory = &redoCounts{counts: map[string]map[string]int{}}
	}
	if opts.Approval != nil {
		inner.Trust = approvalFunc(opts.Approval)
	}
	return &Engine{engine.New(inner), opts.Hooks}
}

// An approvalFunc adapts Options.Approval to the interface of the internal engine.
type approvalFunc func(*checkrein.Hook) Approval

func (t approvalFunc) Check(h *checkrein.Hook) engine.Checked {
	return engine.Checked{State: engine.Approval(t(h))}
}

func (approvalFunc) NeedsCheck(*checkrein.Hook) bool { return false }

// Check returns the mistakes in the hooks, each as a [*checkrein.HookError], as one joined error, or
// nil if there are none.
func (e *Engine) Check() error {
	return errors.Join(engine.CheckDeclared(e.hooks), e.engine.Check(nil))
}

// Decide runs the hooks of ev and returns the outcome. Every matching hook runs and all reasons are
// kept; no answer ends the run early.
//
// A call that hooks cannot judge, because its event has no Tool or the Input of that is not a JSON
// object, is denied.
//
// When ctx ends, hooks that are still running are stopped, and fault. If the event's contract is Final,
// they run until their own time limit instead.
func (e *Engine) Decide(ctx context.Context, ev checkrein.Event) Outcome {
	out := e.engine.Decide(ctx, ev)
	return Outcome{Verdict: out.Verdict, Event: out.Event, Steps: publicSteps(out.Steps), Dropped: out.Dropped,
		Redo: (*Redo)(out.Redo), Canceled: out.Ended}
}

// Plan returns the steps that Decide would take for ev, without running any.
func (e *Engine) Plan(ev checkrein.Event) []Step { return publicSteps(e.engine.Plan(ev)) }

// An Outcome is the result of the hooks of one event.
type Outcome struct {
	// Verdict is merged and clamped. Its Input is the complete object after all patches,
	// its Output includes appended text.
	Verdict checkrein.Verdict
	Event   checkrein.Event     // the event as hooks rewrote it
	Steps   []Step              // in the order of the plan
	Dropped []checkrein.Dropped // effects that hooks returned and that will not happen
	Redo    *Redo               // set if the agent must go on instead of stopping; the engine counts, so that this ends
	// Canceled is set if the context ended, by cancellation or deadline, before all hooks had
	// answered. The decision counts nevertheless: hooks that were stopped are faults.
	Canceled bool
}

// A Redo makes an agent that was about to stop go on.
type Redo struct {
	Reason  string `json:"reason"` // for the agent
	Attempt int    `json:"attempt"`
	Limit   int    `json:"limit"` // the maximum number of attempts in one turn
}

// A Step is a hook in the plan for an event, and its result.
type Step struct {
	Hook    *checkrein.Hook
	Stage   int                // from 1; steps of one stage run at the same time; 0 = it does not run in the plan
	Skipped string             // why the hook was skipped; "" = it was not
	Unmet   bool               // its condition did not hold, so it did not run
	Took    time.Duration      // how long it ran
	Answer  *checkrein.Answer  // as the handler returned it; read-only; nil if it did not run
	Fault   error              // why there is no answer
	Verdict *checkrein.Verdict // what counts: the answer, or what [checkrein.Hook].OnFault makes of a fault; nil = nothing
	Dropped []checkrein.Dropped
}

// publicSteps converts the steps of the internal engine.
func publicSteps(list []engine.Step) []Step {
	out := make([]Step, len(list))
	for i := range list {
		out[i] = Step(list[i].Result)
	}
	return out
}
