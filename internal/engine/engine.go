// Package engine drives the pipe: it plans which hooks an event concerns, runs
// them, and makes one verdict of what they say.
//
// An [Engine] is handed its tables and knows no file, host or builtin by name.
// It has two doors: [Engine.Plan] shows what would run, [Engine.Decide] runs
// it.
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

// Options are what an Engine works with. The zero Options make an engine
// without hooks.
type Options struct {
	Hooks    []checkrein.Hook        // in configuration order; the engine keeps its own copy
	Handlers []checkrein.HandlerType // a later row replaces an earlier one of the same name

	// Trust decides whether a hook whose origin needs approval may run; nil
	// approves none of them.
	Trust Approver
	// Memory counts redos; nil remembers nothing.
	Memory Memory
	// Honours is what a host does with a verdict; nil = whatever the row
	// allows.
	Honours func(ev *checkrein.Event) checkrein.Effect
	// Unasked is why an ask on an event would not reach a person; "" = it
	// would. It is called only for an ask, which is denied then; nil = by
	// Honours alone.
	Unasked func(ev *checkrein.Event) string
	// Doubts lists what the host of an event was seen not to do although Honours says
	// that it does; nil knows of nothing. It is called only for a verdict that changes
	// what happens. An ask in doubt is denied, and so is a rewritten call, which would run
	// as it was before; all else is sent as it is, because that does no harm, and said
	// to be lost.
	Doubts func(ev *checkrein.Event) []Doubt
	// Lift returns which steps that deny or ask a person has allowed to be passed
	// over; nil lifts none. It is called only when a step does.
	Lift func(ctx context.Context, ev *checkrein.Event, blocking []*Step) Lifting
	// ToolName is a dialect's word for a tool; nil = none has words of its own.
	ToolName func(dialect, canonical string) string
	// Payload is what a hook of a dialect would get, for hooks that search it.
	Payload func(dialect string, ev checkrein.Event) ([]byte, error)
	// Judge is what a tool call does, for conditions on effects, radius and
	// paths; nil = nobody can tell.
	Judge func(ev *checkrein.Event) match.Acts
	// Real goes along the links in a full path, for conditions on paths; nil =
	// they go by words alone.
	Real func(ev *checkrein.Event, path string) string
	// RunByHost returns why the event's host makes a run of a hook superfluous: it runs
	// the hook itself. "" = it does not; nil = no host does.
	RunByHost func(ev *checkrein.Event, h *checkrein.Hook) string
	// Running reports that we are inside a run of this very hook on this
	// event, which must then not start again; nil = never.
	Running func(h *checkrein.Hook) bool
	// Stays reports whether the master switch leaves a hook on; nil = the managed ones.
	Stays func(h *checkrein.Hook) bool
	// Detach starts an asynchronous hook that may outlive us; nil = it runs on
	// a goroutine.
	Detach func(h *checkrein.Hook, ev checkrein.Event) error

	Note            bool   // the handlers of an event share what they find out, by its Shared map
	Parallel        int    // hooks that run at the same time; 0 = twice the cores, at least 4
	Home            string // what ~ means in conditions
	Off             bool   // the master switch: only hooks that Stays names run
	ProjectMayAllow bool   // a repository's hook may allow on a foreign host
}

// A Doubt is an effect that a host was seen not to honour.
type Doubt struct {
	Effect checkrein.Effect
	Why    string // what was seen, as a clause: the host and what it did
}

// An Approver reports which hooks a person approved. It is safe for concurrent use.
type Approver interface {
	// Check is called just before each run of a hook that needs approval, or
	// that Asks names.
	Check(h *checkrein.Hook) Checked
	// Asks reports whether a hook is to be checked although its origin needs
	// no approval: a person's own hook may run what a repository brought.
	Asks(h *checkrein.Hook) bool
}

// A Checked is what is known of a hook just before it runs.
type Checked struct {
	State Approval
	Why   string // why it is not approved
	// After, of an approved hook, is asked when the hook has answered: a text
	// says what changed while it ran, which is a fault, and the answer does not
	// count. nil = nothing can have.
	After func() string
	// Runs is the digest of the files that it would run, as they are; zero = of
	// none, or nobody looked.
	Runs [32]byte
}

// An Approval is what a person said of a hook.
type Approval uint8

// The approvals.
const (
	Unapproved Approval = iota // never approved: skipped
	Approved
	Changed // approved, and since then changed: a fault
	Refused // it must not run, and that is a fault
)

// Memory counts, per session, how often each hook kept the agent going in this
// turn. It is safe for concurrent use.
type Memory interface {
	// Turn notes that a person started a new turn.
	Turn(ev *checkrein.Event)
	// Redo counts one more redo of the hook and returns how many that makes.
	// Text is the feedback for the agent, which hosts may send back as a prompt.
	Redo(ev *checkrein.Event, hook, text string) int
}

// RedoLimit is how often one hook may keep the agent going in one turn.
const RedoLimit = 3

// Uncounted is the number of a redo that a [Memory] cannot count. It is over the
// limit: an agent that can never stop is worse than one that stops too early.
const Uncounted = math.MaxInt

// An Engine plans and runs hooks. It is safe for concurrent use.
type Engine struct {
	opts  Options
	kinds [checkrein.NumKinds]hooksOfKind
	slots chan struct{}
}

// A hooksOfKind holds the hooks of one event kind. It is prepared on first use: a
// program that answers one event pays for that event's hooks alone.
type hooksOfKind struct {
	once  sync.Once
	hooks []*bound
	tools atomic.Pointer[[]concerned] // those that were asked about
}

// New returns an engine for opts. It does not fail: a hook that cannot work
// faults when its event fires, and [Engine.Check] finds it before that.
func New(opts Options) *Engine {
	if opts.Parallel <= 0 {
		opts.Parallel = max(4, 2*runtime.GOMAXPROCS(0))
	}
	return &Engine{opts: opts, slots: make(chan struct{}, opts.Parallel)}
}

// Check prepares every hook and returns what is wrong with them, joined. Those
// that are declared broken are known to be, and those that skip picks do not
// count; nil picks none.
func (e *Engine) Check(skip func(*checkrein.Hook) bool) error {
	var errs []error
	for i := range e.opts.Hooks {
		h := &e.opts.Hooks[i]
		if h.Broken != "" || skip != nil && skip(h) { // whoever read it has said so
			continue
		}
		var b bound
		e.bind(&b, h)
		_, err := b.condition()
		if err == nil {
			err = b.build()
		}
		if err != nil {
			errs = append(errs, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: err})
		}
	}
	return errors.Join(errs...)
}

// An Outcome is what the hooks of one event came to.
type Outcome struct {
	// Verdict is merged and clamped. Its Input is the complete object after
	// all patches; its Output likewise includes appended text.
	Verdict checkrein.Verdict
	// Event is the event as the hooks left it.
	Event   checkrein.Event
	Steps   []Step
	Dropped []checkrein.Dropped
	Redo    *Redo
	// Overruled is why hooks object to a stop that they could not keep from
	// happening any more; "" = they do not object, or the agent goes on.
	Overruled string
	Canceled  bool // the caller gave up before all hooks had answered
	// Unasked is why an ask did not reach a person and is a denial; "" = it did,
	// or there was none.
	Unasked string
	// Doubted is what the verdict asks for and the host was seen not to do.
	Doubted []Doubt
	// Acts is what the tool call does, where a hook's condition asked; nil = none did.
	Acts *match.Acts
	// HostReason is sent to the host in place of the reason; "" = the reason itself.
	HostReason string
	// Handle names a denial or an ask for whoever may allow it; whoever keeps
	// such things sets it.
	Handle string
	// Shadow is what the verdict would be were it enforced; nil = it is. Whoever
	// has hooks judge and not count sets it.
	Shadow *checkrein.Verdict
	// Why reports for each hook of the event why it was asked or not, where somebody wants to
	// know; who asks for it sets it.
	Why []Why
}

// A Lifting is what a person's grants say about steps that deny or ask.
type Lifting struct {
	By []string // for each step the grant that lifts its decision, "" = none does
	// Use notes that the grants were used, just before the decisions are lifted.
	// False: they cannot be used any more, and nothing is lifted.
	Use func() bool
}

// A Redo asks that the agent goes on.
type Redo struct {
	Reason  string `json:"reason"`
	Attempt int    `json:"attempt"`
	Limit   int    `json:"limit"`
}

// A Result is the part of a [Step] that embedders see; the exported engine.Step has the
// same fields.
type Result struct {
	Hook    *checkrein.Hook
	Stage   int // from 1; steps of one stage run at the same time
	Skipped string
	// Unmet is set if the hook's condition did not hold, so that it had
	// nothing to say.
	Unmet   bool
	Took    time.Duration
	Answer  *checkrein.Answer  // as the hook gave it, and not to be written to; nil when it was not asked
	Fault   error              // why it could not answer
	Verdict *checkrein.Verdict // what counted: the answer, or what the fault law makes of the fault; nil = nothing
	Dropped []checkrein.Dropped
}

// A Step is one planned hook and what became of it.
type Step struct {
	Result
	Unapproved bool // why it was skipped
	Detached   bool
	Runs       [32]byte // see [Checked]
	Rejudged   bool     // the decision is about the final subject, judged once more
	Stale      bool     // the answer is about a subject that was rewritten afterwards
	Lifted     *Lifted  // its decision was lifted; nil = it was not
	Passed     *Passed  // its ask was passed over; nil = it was not

	bound   *bound
	version int           // of the subject that it saw
	ran     bool          // a handler was asked
	guest   bool          // it is skipped unless the subject is rewritten
	after   func() string // says what changed while it ran; nil = nothing can have
}

// Lifted is a decision that a person's grant lifted.
type Lifted struct {
	Grant    string
	Decision checkrein.Decision
	Reason   string
	Metadata map[string]string // by what it was decided
	Because  []checkrein.Cause
}

// Passed is an ask that was there because something is not known, and that a hook
// which is for that passed over.
type Passed struct {
	By       string // the hook
	Reason   string
	Metadata map[string]string // by what it was decided
	Because  []checkrein.Cause
}

// Decide runs the hooks of ev and returns the outcome. Nothing
// short-circuits: every matching hook runs, and every reason is kept.
//
// When ctx ends, hooks still running are ended and fault; those of events whose
// row is final run to their own limits regardless.
func (e *Engine) Decide(ctx context.Context, ev checkrein.Event) Outcome {
	return e.DecideBy(ctx, ev, nil)
}

// DecideBy is Decide with only the hooks that pick selects; nil selects all. A runtime that approves
// some calls itself runs its hooks in two parts: those that always count, and then those that only
// help to approve.
func (e *Engine) DecideBy(ctx context.Context, ev checkrein.Event, pick func(*checkrein.Hook) bool) Outcome {
	ev = normalizeEvent(ev)
	if m := e.opts.Memory; m != nil && ev.Kind == checkrein.UserPromptSubmit && ev.Text != "" && !ev.Meanwhile() {
		prompt := ev // a copy, so that ev itself stays off the heap
		m.Turn(&prompt)
	}
	if len(e.hooksFor(&ev)) == 0 {
		return Outcome{Event: ev}
	}
	return e.run(ctx, ev, pick)
}

// run runs the hooks of an event that concerns some. It is apart from DecideBy so that
// an event that concerns none stays off the heap.
func (e *Engine) run(ctx context.Context, ev checkrein.Event, pick func(*checkrein.Hook) bool) Outcome {
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
	r.stages(ctx)
	r.rejudge(ctx)
	r.lift(ctx)
	if r.refer(ctx) {
		r.lift(ctx) // a grant may be for what they said
	}
	r.detach(ctx)
	return r.outcome()
}

// Plan returns the steps that Decide would take for ev, without running any.
// Whether a hook is approved is checked as it would be for a run.
func (e *Engine) Plan(ev checkrein.Event) []Step {
	ev = normalizeEvent(ev)
	r := run{engine: e, row: checkrein.ContractOf(ev.Kind), ev: ev, first: ev, steps: e.plan(&ev, nil)}
	view := r.view()
	for i := range r.steps {
		if s := &r.steps[i]; s.Skipped == "" {
			r.ready(s, view)
		}
	}
	return r.steps
}

// Instant reports whether every hook that ev concerns is instant, so that
// Decide would wait for nothing.
func (e *Engine) Instant(ev checkrein.Event) bool {
	ev = normalizeEvent(ev)
	for _, b := range e.hooksFor(&ev) {
		if !b.traits.Instant {
			return false
		}
	}
	return true
}

// normalizeEvent fills in the tool's canonical name if the caller left it out, and turns an unknown
// kind into Other.
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

// WithHook returns an engine with the same tables and only the hook h. It counts nothing: the engine
// on whose behalf it runs does.
func (e *Engine) WithHook(h checkrein.Hook) *Engine {
	opts := e.opts
	opts.Hooks = []checkrein.Hook{h}
	opts.Running, opts.Memory = nil, nil
	return New(opts)
}
