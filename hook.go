package checkrein

import (
	"encoding/json"
	"strconv"
	"time"
)

// A Hook declares which handler runs for which events. A hook that a program declares in Go needs ID, On
// and Run.
type Hook struct {
	ID    string    `json:"id,omitempty"`   // unique in its file, or among the hooks declared in Go; the name if it has one
	Name  string    `json:"name,omitempty"` // the name shown to people; see Label
	On    Kind      `json:"on"`
	Event string    `json:"event,omitempty"` // the host's own event name, if On is Other; "" = every such event, in files only
	Match string    `json:"match,omitempty"` // which tools: a regular expression over the whole name; "" and "*" = all
	If    Condition `json:"if,omitempty"`    // which events; empty = all of On

	Run     string          `json:"run,omitempty"`     // the name of a handler type
	With    json.RawMessage `json:"with,omitempty"`    // settings, which HandlerType.New decodes
	Timeout time.Duration   `json:"timeout,omitempty"` // 0 = 60 seconds; see Limit

	Priority int         `json:"priority,omitempty"` // higher first
	Chain    string      `json:"chain,omitempty"`    // hooks of one chain run one after another, and the first denial skips the rest of it
	Async    bool        `json:"async,omitempty"`    // runs in the background and cannot decide
	Gate     bool        `json:"gate,omitempty"`     // runs again if another hook rewrites the subject; set it if the hook must see the final call
	Rewrites bool        `json:"rewrites,omitempty"` // may change the subject, so it gets a stage of its own; without it a rewrite is dropped
	OnFault  FaultPolicy `json:"on_fault"`           // what a fault does: as the event's row determines, ignore, warn or block
	From     Origin      `json:"from"`               // scope, file and line

	// Only configuration files and built-in guards set the fields below.

	// MatchWords is set if plain words in Match are a list of exact names, and anything else
	// is an expression that may match anywhere in the name.
	MatchWords bool   `json:"match_words,omitempty"`
	Args       string `json:"args,omitempty"`    // an expression that must be found in a value of the tool's arguments
	Search     string `json:"search,omitempty"`  // an expression that must be found in the payload that the hook would get
	Preempt    bool   `json:"preempt,omitempty"` // also runs if the host would approve without asking
	Strict     bool   `json:"strict,omitempty"`  // an answer that contains anything unknown is a fault
	Shadow     bool   `json:"shadow,omitempty"`  // its verdicts are recorded, not enforced; only for hooks in the user's and managed files
	// ShadowUntil is when Shadow ends, as RFC 3339 in UTC; "" = it does not end.
	ShadowUntil string `json:"shadow_until,omitempty"`
	// Exact is set if the hook's system has separate events for prompts that steer or
	// follow up and for permission requests, so that On does not include those.
	Exact   bool     `json:"exact,omitempty"`
	Dialect string   `json:"dialect,omitempty"` // the format of its payload and answer
	Also    []Origin `json:"also,omitempty"`    // other places with the same declaration; the hook runs once
	Implied bool     `json:"implied,omitempty"` // added by its dialect to every file
	Off     string   `json:"off,omitempty"`     // why its own file switches it off
	Broken  string   `json:"broken,omitempty"`  // why it cannot run, if its declaration is wrong; it faults whenever its event fires
}

// defaultTimeout is the time limit of a hook that does not set one.
const defaultTimeout = 60 * time.Second

// Hears reports whether the hook applies to ev, which has the kind On. A hook on prompts applies to
// all messages of a person, however they are sent, unless Exact is set.
func (h *Hook) Hears(ev *Event) bool {
	switch ev.Kind {
	case Other:
		return h.Event == "" || h.Event == ev.Native
	case UserPromptSubmit:
		return !h.Exact || !ev.Meanwhile() && ev.Native != contracts[UserFollowupSubmit].Name
	}
	return true
}

// Label returns the name of the hook for messages, or its ID if it has no name.
func (h *Hook) Label() string {
	if h.Name != "" {
		return h.Name
	}
	return h.ID
}

// Limit returns the hook's time limit.
func (h *Hook) Limit() time.Duration {
	if h.Timeout <= 0 {
		return defaultTimeout
	}
	return h.Timeout
}

// An Origin tells where a hook was declared.
type Origin struct {
	Scope    Scope  `json:"scope"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Agent    string `json:"agent,omitempty"`    // the agent in the file to which it belongs; "" = the file's first, or all
	Approval bool   `json:"approval,omitempty"` // a person must approve the hook before it runs
}

// String returns file:line, or the scope if there is no file.
func (o Origin) String() string {
	if o.File == "" {
		return o.Scope.String()
	}
	if o.Line == 0 {
		return o.File
	}
	return o.File + ":" + strconv.Itoa(o.Line)
}

// A Scope tells who wrote a configuration file. A larger scope is trusted less.
type Scope uint8

// The scopes.
const (
	ScopeManaged Scope = iota // the machine's administrator; other scopes cannot switch it off
	ScopeUser                 // the person
	ScopeFlag                 // the command line
	ScopeProject              // the authors of the repository
)

// String returns the name of the scope.
func (s Scope) String() string {
	return [...]string{"managed", "user", "flag", "project"}[s]
}

// A FaultPolicy determines what happens if a hook has no answer.
type FaultPolicy uint8

// The fault policies.
const (
	FaultByRow  FaultPolicy = iota // as the event's contract determines: deny if it is Closed, otherwise warn
	FaultWarn                      // continue, with a notice for the person
	FaultIgnore                    // continue
	FaultBlock                     // deny
)

// String returns the name of the policy in configuration files, which is "" for FaultByRow.
func (p FaultPolicy) String() string {
	return [...]string{"", "warn", "ignore", "block"}[p]
}
