package checkrein

import "context"

// A Handler answers events. It must be safe for concurrent use and must not write to the event's
// slices.
//
// An error means that there is no answer; it is never a denial. The engine turns errors, panics and
// missed deadlines into verdicts as [Hook].OnFault determines. Together with an error, the Answer may
// still have Raw and Log and, if Traits.Unsure is set, Notice.
type Handler interface {
	Handle(ctx context.Context, ev Event) (Answer, error)
}

// A HandlerFunc is a function that implements [Handler].
type HandlerFunc func(ctx context.Context, ev Event) (Answer, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, ev Event) (Answer, error) { return f(ctx, ev) }

// A HandlerType is a kind of handler that hooks can name.
type HandlerType struct {
	Name string // the name that hooks have in Run
	// New checks the settings of a hook and returns its handler, which need not parse
	// them again.
	New func(Hook) (Handler, error)
	// Traits returns the traits of the handler of a hook; nil = the zero Traits.
	Traits func(*Hook) Traits
}

// Traits describe a handler before it runs.
type Traits struct {
	// Instant is set if the handler never waits for anything. It runs on the caller's
	// goroutine, without a deadline.
	Instant bool
	// Judges is set if the answer depends on the subject alone. The handler then runs again
	// after another hook has rewritten the subject. For handlers whose answer depends on more,
	// such as the time, [Hook].Gate does the same.
	Judges bool
	// Rewrites is set if the handler may change the subject.
	Rewrites bool
	// Refuses is set if the handler may deny, or send the agent back to work. A denial of the
	// first subject does not cover a rewritten one: see Judges.
	Refuses bool
	// Allows is set if the handler allows every event for which its hook's condition holds.
	// The condition must then hold for certain.
	Allows bool
	// Closed is set if a fault of the handler keeps a gate closed, whatever the
	// hook's own policy is.
	Closed bool

	// Only built-in handlers set the fields below.

	// Unsure is set if the handler is for calls that no rule can judge. It runs last, if no other
	// handler has decided, and its answer may replace an ask that is [Verdict.Unsure].
	Unsure bool
	// Redacts is set if the rewrite must follow the rewrites of other handlers, so that their text is
	// redacted too.
	Redacts bool
	// Limits is set if the rewrite truncates texts, which must be the last rewrite.
	Limits bool
	// Secrets is set if the handler only removes secrets from texts, so that it can also run on texts
	// that are being streamed.
	Secrets bool
	// Markers is set if the handler replaces secrets with markers and has judged the markers that come
	// back, so that they may be replaced with the secrets again.
	Markers bool
	// Recalls is set if the handler uses earlier denials, so that denials are stored.
	Recalls bool
}
