package protocol

import (
	"fmt"
	"time"
)

// Paths of the hub's API for machines.
const (
	PathJoin    = "/v1/fleet/join"
	PathLeave   = "/v1/fleet/leave"
	PathRecords = "/v1/fleet/records"
	PathReport  = "/v1/fleet/report"
	PathEvents  = "/v1/fleet/events"
	PathPending = "/v1/fleet/approvals"
	PathFiles   = "/v1/fleet/files/" // metadata and bundles
)

// A Join is the request of a machine to belong to the fleet. It is signed with the machine's key.
type Join struct {
	Token string `json:"token"` // the secret part of the join token
	Key   []byte `json:"key"`   // the machine's public key
	Facts Facts  `json:"facts"`
}

// Facts is what a machine says about itself.
type Facts struct {
	Name     string `json:"name"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Build    string `json:"build"`
	Advisory bool   `json:"advisory,omitempty"` // the agent does not run as root, so users can change its files
}

// A Joined is the reply to a [Join].
type Joined struct {
	Hub     string `json:"hub"`     // the hub's id
	Machine string `json:"machine"` // the machine's id
	Name    string `json:"name"`    // of the fleet, for people
}

// An Ends describes the ends of a ledger, as far as a hub has its records.
type Ends struct {
	Head Head `json:"head"`
	// Earlier are ends of earlier batches, the newest first, with growing distances. They show up to
	// where a ledger that no longer has Head is the one that the hub has.
	Earlier []Head `json:"earlier,omitempty"`
}

// A Report is what a machine says about its state, about once a minute and after each change.
type Report struct {
	Facts   Facts         `json:"facts"`
	Time    time.Time     `json:"time"`              // by the machine's clock
	Bundle  string        `json:"bundle,omitempty"`  // the target path of the bundle that is enforced
	Trial   string        `json:"trial,omitempty"`   // the one in shadow mode
	Frozen  time.Time     `json:"frozen,omitzero"`   // until when all tools are denied
	Refused string        `json:"refused,omitempty"` // why the hub's bundle is not active
	Ledgers []LedgerState `json:"ledgers,omitempty"`
	Wiring
}

// A Wiring says which agents of a machine ask checkrein, and how much that is worth.
type Wiring struct {
	Agents   []AgentState   `json:"agents,omitempty"`
	Accounts []AccountState `json:"accounts,omitempty"`
}

// An AccountState is what a machine says about an account that has used checkrein.
type AccountState struct {
	User     string   `json:"user"`
	Weakened []string `json:"weakened,omitempty"` // what makes its guards weaker than by default
	Fault    string   `json:"fault,omitempty"`    // why it could not be checked
}

// A LedgerState is where a ledger ends on a machine, and how many records wait to be uploaded.
type LedgerState struct {
	Head
	User    string `json:"user"`
	Waiting uint64 `json:"waiting"`
	Fault   string `json:"fault,omitempty"` // why it is not uploaded
}

// An AgentState is what a machine says about one agent of one user.
type AgentState struct {
	User     string    `json:"user,omitempty"` // "" = of all users, by the administrator's file of the agent
	Agent    string    `json:"agent"`
	Wired    bool      `json:"wired"`
	Vanished bool      `json:"vanished,omitempty"` // it was wired before
	Restored time.Time `json:"restored,omitzero"`  // when wiring that had vanished was put back
	Silent   bool      `json:"silent,omitempty"`   // it works without asking, although it is wired
	LastSeen time.Time `json:"last_seen,omitzero"`
	Proven   time.Time `json:"proven,omitzero"`
	Stale    bool      `json:"stale,omitempty"` // another build was proven
}

// A Refusal is the body of an answer that refuses a request.
type Refusal struct {
	Status int    `json:"-"`
	Why    string `json:"error"`
	Remedy string `json:"remedy,omitempty"`
}

func (r *Refusal) Error() string {
	if r.Remedy == "" {
		return r.Why
	}
	return fmt.Sprintf("%s: %s", r.Why, r.Remedy)
}

// Paths of the hub's API for people.
const (
	PathMe        = "/v1/me"
	PathTokens    = "/v1/tokens"
	PathMachines  = "/v1/machines"
	PathSearch    = "/v1/records"
	PathBundles   = "/v1/bundles"
	PathRollout   = "/v1/rollout"
	PathFreeze    = "/v1/freeze"
	PathApprovals = "/v1/approvals"
)

// Me is who a person is at a hub.
type Me struct {
	Name string `json:"name"`
	Role string `json:"role"`
	Hub  []byte `json:"hub"` // the hub's public key
}

// A NewToken asks for a token with which machines join or, with a role, for one of a person.
type NewToken struct {
	Uses int           `json:"uses"`
	For  time.Duration `json:"for_ns"`
	Role string        `json:"role,omitempty"`
	Name string        `json:"name,omitempty"` // of the person
}

// A MadeToken is the reply to a [NewToken]. The hub does not keep the secret.
type MadeToken struct {
	Hub     string    `json:"hub"`
	Root    string    `json:"root"` // SHA-256 of the fleet's first root metadata
	Secret  string    `json:"secret"`
	Expires time.Time `json:"expires"`
}

// A Machine is what the hub knows of a machine.
type Machine struct {
	ID      string        `json:"id"`
	Key     []byte        `json:"key"` // its public key
	Joined  time.Time     `json:"joined"`
	Token   string        `json:"token"` // the id of the token with which it joined
	Revoked time.Time     `json:"revoked,omitzero"`
	Left    time.Time     `json:"left,omitzero"`
	By      string        `json:"by,omitempty"` // who revoked it
	Facts   Facts         `json:"facts"`
	Seen    time.Time     `json:"seen"`              // when its last report was stored, at most ten minutes after the one before
	Heard   time.Time     `json:"heard,omitzero"`    // when its last report came, as far as this hub knows
	Skew    time.Duration `json:"skew_ns,omitempty"` // how far its clock is ahead
	Report  Report        `json:"report"`
	Noticed []Flag        `json:"noticed,omitempty"` // in its records; the last of each kind
}

// IsActive reports whether the hub serves the machine.
func (m *Machine) IsActive() bool { return m.Revoked.IsZero() && m.Left.IsZero() }

// silentAfter is how long a machine may say nothing.
const silentAfter = 15 * time.Minute

// State returns the state of the machine in words.
func (m *Machine) State(now time.Time) string {
	switch {
	case !m.Revoked.IsZero():
		return "revoked"
	case !m.Left.IsZero():
		return "left"
	case now.Sub(m.lastContact()) > silentAfter:
		return "silent"
	case m.Report.Refused != "":
		return "refuses its bundle: " + m.Report.Refused
	case now.Before(m.Report.Frozen):
		return "frozen"
	case m.Facts.Advisory:
		return "advisory"
	}
	return "ok"
}

// A Step is a step of a rollout.
type Step struct {
	Bundle  string    `json:"bundle"` // its target path
	Stage   string    `json:"stage"`  // shadow or enforce
	Percent int       `json:"percent"`
	Limits  Limits    `json:"limits,omitzero"`
	By      string    `json:"by"`
	Why     string    `json:"why,omitempty"`
	Back    bool      `json:"back,omitempty"` // the hub took the step before it back
	Began   time.Time `json:"began"`
}

// A Begun answers a new step.
type Begun struct {
	Step
	Chosen int `json:"chosen"` // how many of the active machines it is for
	Active int `json:"active"`
}

// Limits are what the hub takes a step back at. Zero means no limit.
type Limits struct {
	Denials float64       `json:"denials,omitempty"` // percent of events that are denied, or would be in shadow mode
	Faults  float64       `json:"faults,omitempty"`  // failed hooks in percent of events
	P99     time.Duration `json:"p99_ns,omitempty"`  // that one percent of the events exceed
	Reports int           `json:"reports,omitempty"` // denials that people reported as false alarms
}

// A RolloutState is what the hub says about its rollouts.
type RolloutState struct {
	Steps   []Step         `json:"steps"` // the newest first
	Bundles []string       `json:"bundles"`
	Frozen  time.Time      `json:"frozen,omitzero"`
	On      map[string]int `json:"on"` // how many active machines run each bundle
	Events  int            `json:"events"`
	Denied  int            `json:"denied"`
	Would   int            `json:"would"`
	Faults  int            `json:"faults"`
	Reports int            `json:"reports"`
	P99     time.Duration  `json:"p99_ns"`
	Expires time.Time      `json:"expires,omitzero"` // when the administrator must sign again
}

// A NewFreeze asks to deny all tools on all machines.
type NewFreeze struct {
	For    time.Duration `json:"for_ns"`
	Reason string        `json:"reason"`
}

// A Thawed answers a request to lift a freeze.
type Thawed struct {
	Lifted bool `json:"lifted"` // false if nothing was frozen
}
