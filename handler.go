package checkrein

import "context"

// A Handler answers events. It must be safe for concurrent use and must not write to the
// event's slices.
//
// An error means that there is no answer; it is never a denial. The engine turns errors,
// panics and missed deadlines into verdicts by [Hook].OnFault. Beside an error, the Answer
// may still have Raw and Log, and if Traits.Unsure is set, Notice.
type Handler interface {
	Handle(ctx context.Context, ev Event) (Answer, error)
}

// A HandlerFunc is a function that is a [Handler].
type HandlerFunc func(ctx context.Context, ev Event) (Answer, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, ev Event) (Answer, error) { return f(ctx, ev) }

// A HandlerType is a kind of handler that hooks can name.
type HandlerType struct {
	Name string // what hooks have in Run
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
	// Judges is set if the answer depends on the subject alone, so that the handler can run
	// again on a rewritten subject.
	Judges bool
	// Rewrites is set if the handler may change the subject.
	Rewrites bool
	// Refuses reports whether the handler is a gate: it may deny, or send the agent back to
	// work.
	Refuses bool
	// Allows is set if the handler allows whatever its hook's condition holds for,
	// which must then hold without doubt.
	Allows bool
	// Closed is set if a fault of the handler keeps a gate closed, whatever the
	// hook's own policy is.
	Closed bool
	// Unsure is set if the handler is for calls that no rule can judge. It
	// is asked last, where nothing else has decided, and it may pass over an ask that
	// is [Verdict.Unsure].
	Unsure bool
	// Redacts is set if the rewrite must follow those of others, so that what they wrote
	// is redacted too.
	Redacts bool
	// Limits is set if the rewrite cuts texts to size, which must be the last.
	Limits bool
	// Secrets is set if the handler takes secrets out of texts and does nothing
	// else, so that it can be done while a text is on its way.
	Secrets bool
	// Markers is set if the handler writes markers for secrets and has judged those that
	// come back, so that secrets may be put in their place.
	Markers bool
	// Recalls is set if the handler asks what was denied before, so that denials
	// are remembered.
	Recalls bool
}
