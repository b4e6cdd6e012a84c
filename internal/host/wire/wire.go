// Package wire describes hosts to checkrein: which events they have, what they do with an answer to
// each, how their payloads are read, and how replies are encoded.
//
// Every host has its own package, which fills in a [Host]. Similar hosts do not share an encoder:
// where one ignores an unknown key, another discards the whole answer and runs the tool.
package wire

import (
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A Mark tells how a fact about a host is known.
type Mark uint8

// The marks, from the weakest.
const (
	Documented Mark = iota // from its documentation or source
	Observed               // seen in a run of the real program
)

// String returns documented or observed.
func (m Mark) String() string { return [...]string{"documented", "observed"}[m] }

// HookCalls describes how a host calls command hooks before a tool runs, so that hooks which are not
// checkrein's can be tried.
type HookCalls struct {
	Event                    string
	Shell, Read, Write, Path string        // its names of tools, and of their argument for files; Read "" = it has none
	Patch                    bool          // Write takes a patch as its command; matchers for Write and Edit match it
	Unit                     time.Duration // of timeouts
	Payload                  string        // an example of what it sends, with all members in their order
}

// A Host is an agent that calls checkrein.
type Host struct {
	Name    string // as in `checkrein hook NAME`
	Title   string // the name that its makers use
	Version string // the version that the facts are about
	Mark    Mark   // whether that version was run
	About   string // what users must know first

	Events []Event
	Quirks []Quirk
	// Dirs are the arguments for a working directory that its own shell tools obey. A call with another
	// such argument is judged both with and without that directory.
	Dirs []string
	// PatchTool is its tool for changing files, if that takes patches. A matcher for write and edit does
	// not match it.
	PatchTool string
	// TypesUnchecked is set if the model can type into a running program without calling a hook.
	TypesUnchecked bool
	// IsEditor is set if it is an editor with terminals for users, which are its child processes. Users
	// must confirm in a terminal outside it.
	IsEditor bool
	Asks     Asks // when an ask reaches a person
	// BlindOption is the option with which editors start it and with which it calls no hooks for tools,
	// so that nothing guards it. "" = there is none.
	BlindOption string
	// CommandVars are environment variables that it sets for the commands of its model and that users do
	// not set. A process with one of them was started by an agent.
	CommandVars []string
	// OmitsEvent is set if payloads do not name their event. The installed command line then does, with
	// --event.
	OmitsEvent bool
	// HidesRewrites is set if rewritten arguments of a tool were seen to reach neither the model nor its
	// history; a quirk has the evidence. Only then does checkrein replace markers with secrets.
	HidesRewrites bool
	// ReportsRunInput is set if the event after a call was seen to have the arguments with which the
	// call ran, even after a rewrite. Only then does that event show that a rewrite was ignored.
	ReportsRunInput bool
	// HookCalls describes how it calls the command hooks of its own settings; nil = that is not known.
	HookCalls *HookCalls
	// IsPlugin is set if a plugin of checkrein inside the host calls checkrein. It may use one process
	// for all calls, so every reply is one object or empty.
	IsPlugin bool
	// Waits is how long it waits for a hook if its file has no timeout, or a safe assumption;
	// 0 = forever.
	Waits time.Duration

	// Read reads a payload. If name is not empty, it is the host's event and overrides the payload's.
	// The call has at least one event, even with an error.
	Read func(h *Host, body []byte, name string) Call
	// Encode returns the reply for the outcomes of the call's events. There are fewer outcomes than
	// events if one of the first events decided the call.
	Encode func(c *Call, outs []engine.Outcome) Reply
}

// An Event is one of a host's events.
type Event struct {
	Native string
	Rows   []Row // checkrein's events that it fires, in order; none = other
	Mark   Mark
	Wired  bool   // install adds it by default
	Note   string // for the documentation
	// Failure is set if the event is only about tools that failed.
	Failure bool
	// Settings is the payload's member with the path of a settings file that the host is about to
	// apply; "" = none.
	Settings string
	Waits    time.Duration // overrides Host.Waits; 0 = it does not
}

// A Row is one of checkrein's events, with the effects of verdicts that the host honours on it.
type Row struct {
	Kind    checkrein.Kind
	Honours checkrein.Effect
}

// A Quirk is an unexpected behaviour of a host.
type Quirk struct {
	ID      string
	Seen    string // the versions in which it was seen
	Does    string // what the host does
	We      string // what checkrein does about it
	Fixture string // a payload or test that shows it
}

// A Call is a host's call to checkrein.
type Call struct {
	Host   *Host
	Native string            // the host's name of the event, "" = unknown
	Event  *Event            // its entry in the host's table; nil = none
	Events []checkrein.Event // at least one
	Err    error             // why the payload could not be read
}

// FindEvent returns the event with this name, or nil if there is none.
func (h *Host) FindEvent(native string) *Event {
	for i := range h.Events {
		if h.Events[i].Native == native {
			return &h.Events[i]
		}
	}
	return nil
}

// IsGate reports whether the host waits for the answer in order to decide whether something happens.
func (e *Event) IsGate() bool {
	return slices.ContainsFunc(e.Rows, func(r Row) bool { return checkrein.ContractOf(r.Kind).Closed })
}

// AnswerTimeout returns how long checkrein has to answer e if the host's file has no timeout; 0 means
// forever. e is nil before the event is known.
func (h *Host) AnswerTimeout(e *Event) time.Duration {
	waits := h.Waits
	if e != nil && e.Waits > 0 {
		waits = e.Waits
	}
	return waits - min(waits/6, 10*time.Second)
}

// GateEvents returns the names of the gates that install adds by default.
func (h *Host) GateEvents() []string {
	var out []string
	for i := range h.Events {
		if e := &h.Events[i]; e.Wired && e.IsGate() {
			out = append(out, e.Native)
		}
	}
	return out
}

// Honours returns the effects of verdicts on kind k that the host honours on its event native. If that
// event does not fire k, the first event that does counts. It returns 0 if the host never fires k.
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
