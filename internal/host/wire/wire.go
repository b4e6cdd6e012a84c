// Package wire says what a host is to checkrein: which events it has, what it
// does with an answer to each, how its payload is read and how it is answered.
//
// Every host has a package of its own that fills in a [Host]. Hosts that look
// alike do not share an encoder: where one ignores a key that it does not know,
// another throws the whole answer away and runs the tool.
package wire

import (
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A Mark describes how well a fact about a host is known.
type Mark uint8

// The marks, from the weakest.
const (
	Documented Mark = iota // its documentation or source says so
	Observed               // seen in a run of the real program
)

// String returns documented or observed.
func (m Mark) String() string { return [...]string{"documented", "observed"}[m] }

// A Host is an agent that calls checkrein.
type Host struct {
	Name    string // as in `checkrein hook NAME`
	Title   string // as its makers call it
	Version string // that the facts were taken from
	Mark    Mark   // whether that version was run, or only read about
	About   string // what a person must know first, one or two sentences

	Events []Event
	Quirks []Quirk
	// Dirs are the arguments by which its own shell tools take a directory, and
	// which it obeys. Others that name one are judged both ways.
	Dirs []string
	// Patches is its tool for changing files where that takes a patch: a matcher for write
	// and edit misses it.
	Patches string
	// Typing is set if the model can type into a program that runs, and no hook
	// is asked about it.
	Typing bool
	// Editor is set if it is a window in which people have terminals too, which lie
	// below it: what is a person's to say must be said in one outside it.
	Editor bool
	Asks   Asks // whether an ask reaches a person
	// Blind is the option with which editors start it and it fires no hook for tools:
	// nothing of an agent that runs so is guarded. "" = there is none.
	Blind string
	// Sets are variables that it sets for the commands that its model runs, and that
	// people do not set themselves: what has one was started by an agent.
	Sets []string
	// Unnamed is set if payloads do not name their event: the command line that
	// is installed must, with --event.
	Unnamed bool
	// Restores is set if a rewrite of a tool's arguments was seen to reach neither
	// the model nor what it is shown of its history later: a quirk has the evidence.
	// Secrets are put back in place of their markers only where it is set.
	Restores bool
	// Ran is set if the event after a call was seen to have the arguments with which it
	// ran, also when hooks had rewritten them: only then does that event show that a
	// rewrite was not honoured.
	Ran bool
	// Plugin is set if what calls us is a plugin of ours inside the host. It may
	// keep one process for all its calls: every reply is one object, or nothing.
	Plugin bool
	// Waits is how long it waits for a hook when its file does not say; where nobody
	// knows, what is safe to assume. 0 = as long as it takes.
	Waits time.Duration

	// Read reads a payload; name, unless empty, is the host's event and beats
	// the payload's. It returns at least one event, also beside an error.
	Read func(h *Host, body []byte, name string) Call
	// Say puts what the call's events came to in the host's words. There are
	// fewer outcomes than events when an earlier one ended the matter.
	Say func(c *Call, outs []engine.Outcome) Reply
}

// An Event is one of a host's events.
type Event struct {
	Native string
	Rows   []Row // what it is to hooks, in the order in which they are asked; none = other
	Mark   Mark
	Wired  bool   // `install` wires it without being told
	Note   string // for the documentation
	// Failure is set if the event is about tools that failed, and about no others.
	Failure bool
	// Settings is the payload's member with the path of a settings file that the
	// host is about to go by; "" = the event is not about that.
	Settings string
	Waits    time.Duration // Host.Waits where this event's is shorter
}

// A Row is what a host does with verdicts on one of our rows.
type Row struct {
	Kind    checkrein.Kind
	Honours checkrein.Effect
}

// A Quirk is a way of a host that would fool someone who did not know it.
type Quirk struct {
	ID      string
	Seen    string // the versions
	Does    string // what the host does
	We      string // what we do about it
	Fixture string // a payload or test that shows it
}

// A Call is one call of a host.
type Call struct {
	Host   *Host
	Native string            // the host's name of the event, "" = nothing names it
	Event  *Event            // its row in the host's table; nil = the host is not known to have it
	Events []checkrein.Event // at least one
	Err    error             // why it could not be read
}

// EventNamed finds an event by the host's name.
func (h *Host) EventNamed(native string) *Event {
	for i := range h.Events {
		if h.Events[i].Native == native {
			return &h.Events[i]
		}
	}
	return nil
}

// Gates reports whether something waits for the answer to an event.
func (e *Event) Gates() bool {
	return slices.ContainsFunc(e.Rows, func(r Row) bool { return checkrein.ContractOf(r.Kind).Closed })
}

// Within is by when an event must have its answer, counted from its start, where
// the host's file says nothing; 0 = there is no such time. Nil is an event that is
// not known yet.
func (h *Host) Within(e *Event) time.Duration {
	waits := h.Waits
	if e != nil && e.Waits > 0 {
		waits = e.Waits
	}
	return waits - min(waits/6, 10*time.Second)
}

// Gates lists the events that install wires and on which something can be
// refused.
func (h *Host) Gates() []string {
	var out []string
	for i := range h.Events {
		if e := &h.Events[i]; e.Wired && e.Gates() {
			out = append(out, e.Native)
		}
	}
	return out
}

// Honours is what the host does with verdicts on a row of one of its events. An
// event that is not known to be that row is taken for the first one that is; a
// row that the host never fires has none.
func (h *Host) Honours(native string, k checkrein.Kind) checkrein.Effect {
	var other checkrein.Effect
	known := false
	for i := range h.Events {
		for _, r := range h.Events[i].Rows {
			if r.Kind != k {
				continue
			}
			if h.Events[i].Native == native {
				return r.Honours
			}
			if !known {
				other, known = r.Honours, true
			}
		}
	}
	return other
}
