// Package engine decides events: it plans which hooks apply to an event, runs them, and merges their
// answers into one verdict.
//
// An [Engine] gets its tables through [Options] and refers to no file, host or builtin by name. Its
// two main methods are [Engine.Plan], which lists the hooks that would run, and [Engine.Decide], which
// runs them.
package engine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// Options configure an [Engine]. With the zero Options it has no hooks.
type Options struct {
	Hooks    []checkrein.Hook        // in configuration order; the engine keeps its own copy
	Handlers []checkrein.HandlerType // a later row replaces an earlier one of the same name

	// Trust decides whether a hook whose origin needs approval may run. If it is nil, none of
	// them may.
	Trust Approver
	// Memory counts redos. If it is nil, redos are not counted and so have no limit.
	Memory Memory
	// Honours returns the effects that the host of ev honours. If it is nil, the host honours
	// everything that the event's contract allows.
	Honours func(ev *checkrein.Event) checkrein.Effect
	// Unasked returns why an ask on ev would not reach the user, or "" if it would. It is called
	// only for an ask, which becomes a denial unless the result is "". If it is nil, Honours alone
	// decides.
	Unasked func(ev *checkrein.Event) string
	// Doubts lists effects that the host of ev has failed to honour before, although Honours
	// includes them; nil means that there are none. It is called only for a verdict that changes
	// what happens. A doubted ask is denied, and so is a call with a doubted rewrite, because the
	// host would run the original call. Other doubted effects are still sent, because that does no
	// harm, and are also reported as dropped.
	Doubts func(ev *checkrein.Event) []Doubt
	// Lift returns which of the steps that deny or ask are lifted by a person's grant; nil lifts
	// none. It is called only if a step denies or asks.
	Lift func(ctx context.Context, ev *checkrein.Event, blocking []*Step) Lifting
	// ToolName returns the dialect's name for the tool canonical, or "" if it has none. If it is
	// nil, no dialect has its own names.
	ToolName func(dialect, canonical string) string
	// Payload encodes ev as a hook of the dialect would get it, for hooks that search the payload.
	Payload func(dialect string, ev checkrein.Event) ([]byte, error)
	// Judge returns what the tool call of ev does, for conditions on effects, radius and paths.
	// If it is nil, those are unknown.
	Judge func(ev *checkrein.Event) match.Acts
	// Real resolves the symlinks in an absolute path, for conditions on paths. If it is nil, paths
	// are compared as they are written.
	Real func(ev *checkrein.Event, path string) string
	// RunByHost returns why h need not run for ev, namely because the host runs it itself, or ""
	// if the host does not. nil means that no host runs hooks.
	RunByHost func(ev *checkrein.Event, h *checkrein.Hook) string
	// Running reports whether the engine was called from within a run of h on the same event, so
	// that h must not start again; nil means never.
	Running func(h *checkrein.Hook) bool
	// Stays reports whether h runs although Off is set. If it is nil, managed hooks do.
	Stays func(h *checkrein.Hook) bool
	// Detach starts an asynchronous hook that may outlive this process. If it is nil, the hook
	// runs on a goroutine.
	Detach func(h *checkrein.Hook, ev checkrein.Event) error

	// CheckEvents denies tool calls that the caller describes in a way that hooks cannot judge. It is
	// for programs that create their events themselves: payloads of hosts are read leniently.
	CheckEvents     bool
	Note            bool   // give each event a Shared map, through which its handlers share results
	Parallel        int    // limit for hooks that run at the same time; 0 means twice the cores, at least 4
	Home            string // the home directory that ~ stands for in conditions
	Off             bool   // the master switch: only hooks for which Stays holds run
	ProjectMayAllow bool   // a project's hook may allow calls of hosts other than checkrein's own
}

// A Doubt is an effect that a host has failed to honour.
type Doubt struct {
	Effect checkrein.Effect
	Why    string // a clause that names the host and what it did instead
}

// An Approver reports which hooks a person has approved. It must be safe for concurrent use.
type Approver interface {
	// Check returns the approval of h. It is called just before each run of a hook whose origin
	// needs approval or for which NeedsCheck holds.
	Check(h *checkrein.Hook) Checked
	// NeedsCheck reports whether h is checked although its origin needs no approval: a user's own
	// hook may run files of a repository.
	NeedsCheck(h *checkrein.Hook) bool
}

// A Checked is the result of an approval check just before a hook runs.
type Checked struct {
	State Approval
	Why   string // why it is not approved
	// After is called when an approved hook has answered. It returns what changed while the hook
	// ran, which is a fault and discards the answer, or "". nil means that nothing can have changed.
	After func() string
	// Runs is the digest of the files that the hook would run, in their present state. It is zero
	// if there are none or they were not read.
	Runs [32]byte
}

// An Approval is the approval state of a hook.
type Approval uint8

// The states of an approval.
const (
	Unapproved Approval = iota // never approved: the hook is skipped
	Approved                   // the hook may run
	Changed                    // changed since it was approved: a fault
	Refused                    // must not run: a fault
)

// Memory counts, per session, how many times each hook has kept the agent going in the current turn. It
// must be safe for concurrent use.
type Memory interface {
	// Turn resets the counts of ev's session, because the user started a new turn.
	Turn(ev *checkrein.Event)
	// Redo counts one more redo of the hook and returns the new count. The text is the feedback
	// for the agent, which hosts may send back as a prompt.
	Redo(ev *checkrein.Event, hook, text string) int
}

// RedoLimit is how many times one hook may keep the agent going in one turn.
const RedoLimit = 3

// Uncounted is the count that a [Memory] returns if it cannot count. It exceeds RedoLimit, because an
// agent that can never stop is worse than one that stops too early.
const Uncounted = math.MaxInt

// An Engine plans and runs hooks. It is safe for concurrent use.
type Engine struct {
	opts  Options
	kinds [checkrein.NumKinds]hooksOfKind
	slots chan struct{}
}

// A hooksOfKind holds the hooks of one event kind. It is filled on first use, so that a process that
// answers one event prepares the hooks of that event only.
type hooksOfKind struct {
	once  sync.Once
	hooks []*boundHook
	tools atomic.Pointer[[]toolHooks] // a cache of the hooks by tool
}

// New returns an engine for opts. It cannot fail: a misconfigured hook faults when its event fires.
// [Engine.Check] finds such hooks earlier.
func New(opts Options) *Engine {
	if opts.Parallel <= 0 {
		opts.Parallel = max(4, 2*runtime.GOMAXPROCS(0))
	}
	return &Engine{opts: opts, slots: make(chan struct{}, opts.Parallel)}
}

// Check prepares every hook and returns the joined errors. It leaves out hooks that are marked as
// broken, because their errors are known, and hooks for which skip returns true; skip may be nil.
func (e *Engine) Check(skip func(*checkrein.Hook) bool) error {
	var errs []error
	for i := range e.opts.Hooks {
		h := &e.opts.Hooks[i]
		if h.Broken != "" || skip != nil && skip(h) { // the reader of its file has reported a broken hook
			continue
		}
		var b boundHook
		e.bindHook(&b, h)
		_, err := b.condition()
		if err == nil {
			err = b.buildHandler()
		}
		if err != nil {
			errs = append(errs, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: err})
		}
	}
	return errors.Join(errs...)
}

// An Outcome is the combined result of the hooks of one event.
type Outcome struct {
	// Verdict is merged and clamped. Its Input is the complete object after all patches, and its
	// Output includes appended text.
	Verdict checkrein.Verdict
	// Event is the event with all rewrites applied.
	Event   checkrein.Event
	Steps   []Step
	Dropped []checkrein.Dropped
	Redo    *Redo
	// Overruled is why hooks object to a stop that happens nevertheless, because they have
	// reached RedoLimit. It is "" if they do not object or the agent goes on.
	Overruled string
	Canceled  bool // the caller gave up before all hooks had answered
	Ended     bool // the context ended, by cancellation or deadline, before all hooks had answered
	// Unasked is why an ask could not reach the user and became a denial. It is "" if the ask
	// stands or there was none.
	Unasked string
	// Doubted lists the effects of the verdict that the host has failed to honour before.
	Doubted []Doubt
	// Acts is what the tool call does. It is nil if no hook's condition needed it.
	Acts *match.Acts
	// HostReason is sent to the host in place of the verdict's reason, unless it is "".
	HostReason string
	// Handle is the name under which a person can allow the blocked call later. The engine leaves
	// it "".
	Handle string
	// Shadow is the verdict that shadow hooks would enforce, or nil if the verdict is enforced.
	// The engine leaves it nil.
	Shadow *checkrein.Verdict
	// Tried are the steps of hooks in shadow mode, which do not count. The engine leaves it nil.
	Tried []Step
	// Why explains for each hook of the event why it ran or did not. The engine leaves it nil;
	// callers that want it fill it from [Engine.Explain].
	Why []Why
}

// A Lifting lists the grants that lift the decisions of steps that deny or ask.
type Lifting struct {
	By []string // for each step the grant that lifts its decision, or ""
	// Use records that the grants were used. It is called just before the decisions are lifted,
	// and returns false if the grants can no longer be used, so that nothing is lifted.
	Use func() bool
}

// A Redo makes the agent go on instead of stopping.
type Redo struct {
	Reason  string `json:"reason"`
	Attempt int    `json:"attempt"`
	Limit   int    `json:"limit"`
}

// A Result is the public part of a [Step]. The exported Step of the public engine package has the same
// fields.
type Result struct {
	Hook    *checkrein.Hook
	Stage   int // from 1; steps of one stage run at the same time
	Skipped string
	// Unmet is set if the hook did not run because its condition did not hold.
	Unmet   bool
	Took    time.Duration
	Answer  *checkrein.Answer  // the hook's own answer, which must not be modified; nil if it did not run
	Fault   error              // why it could not answer
	Verdict *checkrein.Verdict // what counts: the answer, or the verdict for the fault; nil if there is neither
	Dropped []checkrein.Dropped
}

// A Step is one planned hook and its result.
type Step struct {
	Result
	Unapproved bool     // it was skipped because it is not approved
	Detached   bool     // it runs asynchronously
	Runs       [32]byte // see [Checked]
	Rejudged   bool     // the decision is from a second run, on the rewritten subject
	Stale      bool     // the answer is about a subject that was rewritten afterwards
	Lifted     *Lifted  // its former decision if a grant lifted it, or nil
	Passed     *Passed  // its former ask if a referee settled it, or nil
	Tried      bool     // it did not count, because of shadow mode or a pause; the engine leaves it false

	bound   *boundHook
	version int           // of the subject that it saw
	ran     bool          // its handler was called, or has a constant answer
	guest   bool          // it is skipped unless the subject is rewritten
	after   func() string // Checked.After
}

// Lifted is a decision that a person's grant has lifted.
type Lifted struct {
	Grant    string
	Decision checkrein.Decision
	Reason   string
	Metadata map[string]string // of the lifted verdict
	Because  []checkrein.Cause
}

// Passed is an ask about something unknown that a referee, a hook with the Unsure trait, has
// settled by an allow.
type Passed struct {
	By       string // the label of the referee
	Reason   string
	Metadata map[string]string // of the settled ask
	Because  []checkrein.Cause
}

// Decide runs the hooks of ev and returns the outcome. Nothing short-circuits: every matching hook
// runs, and every reason is kept.
//
// When ctx ends, hooks that are still running are ended and count as faults. Hooks of events whose
// contract is final keep running until their own time limits.
func (e *Engine) Decide(ctx context.Context, ev checkrein.Event) Outcome {
	return e.DecideBy(ctx, ev, nil)
}

// DecideBy is like Decide, but runs only the hooks that pick selects; nil selects all. A runtime that
// approves some calls itself runs its hooks in two parts: first those that always count, then those
// that only help to approve.
func (e *Engine) DecideBy(ctx context.Context, ev checkrein.Event, pick func(*checkrein.Hook) bool) Outcome {
	ev = normalizeEvent(ev)
	if m := e.opts.Memory; m != nil && ev.Kind == checkrein.UserPromptSubmit && ev.Text != "" && !ev.Meanwhile() {
		prompt := ev // a copy keeps ev itself off the heap
		m.Turn(&prompt)
	}
	if e.opts.CheckEvents {
		if why := whyUnjudgeable(&ev); why != "" {
			return Outcome{Event: ev, Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: why}}
		}
	}
	if len(e.hooksFor(&ev)) == 0 {
		return Outcome{Event: ev}
	}
	return e.runHooks(ctx, ev, pick)
}

// runHooks runs the hooks of an event to which some apply. It is separate from DecideBy so that an
// event without hooks stays off the heap.
func (e *Engine) runHooks(ctx context.Context, ev checkrein.Event, pick func(*checkrein.Hook) bool) Outcome {
	steps := e.plan(&ev, pick)
	if len(steps) == 0 {
		return Outcome{Event: ev}
	}
	if ev.Shared == nil && e.opts.Note {
		ev.Shared = new(sync.Map)
	}
	r := run{engine: e, row: checkrein.ContractOf(ev.Kind), ev: ev, first: ev, steps: steps}
	if r.row.Final {
		ctx = context.WithoutCancel(ctx)
	}
	r.runStages(ctx)
	r.rejudgeRewritten(ctx)
	r.liftDecisions(ctx)
	if r.runReferees(ctx) {
		r.liftDecisions(ctx) // a grant may lift a decision of a referee
	}
	r.startAsyncHooks(ctx)
	out := r.mergeOutcome()
	out.Ended = ctx.Err() != nil
	return out
}

// Plan returns the steps that Decide would take for ev, without running any hook. It checks approvals
// as Decide does.
func (e *Engine) Plan(ev checkrein.Event) []Step {
	ev = normalizeEvent(ev)
	r := run{engine: e, row: checkrein.ContractOf(ev.Kind), ev: ev, first: ev, steps: e.plan(&ev, nil)}
	view := r.newView()
	for i := range r.steps {
		if s := &r.steps[i]; s.Skipped == "" {
			r.prepareStep(s, view)
		}
	}
	return r.steps
}

// IsInstant reports whether all hooks that apply to ev are instant, so that Decide does not have to
// wait for any of them.
func (e *Engine) IsInstant(ev checkrein.Event) bool {
	ev = normalizeEvent(ev)
	for _, b := range e.hooksFor(&ev) {
		if !b.traits.Instant {
			return false
		}
	}
	return true
}

// normalizeEvent returns ev with the tool's canonical name if the caller left it out, and with the
// kind Other in place of an unknown one.
func normalizeEvent(ev checkrein.Event) checkrein.Event {
	if ev.Kind >= checkrein.NumKinds {
		ev.Kind = checkrein.Other
	}
	if ev.Tool == nil || ev.Tool.Canonical != "" {
		return ev
	}
	if c := tools.CanonicalTool(ev.Tool.Name); c != "" {
		tool := *ev.Tool
		tool.Canonical = c
		ev.Tool = &tool
	}
	return ev
}

// WithHook returns an engine with the same options whose only hook is h. It has no Memory, because the
// engine on whose behalf it runs counts redos.
func (e *Engine) WithHook(h checkrein.Hook) *Engine {
	opts := e.opts
	opts.Hooks = []checkrein.Hook{h}
	opts.Running, opts.Memory = nil, nil
	return New(opts)
}
