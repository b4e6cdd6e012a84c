// Package record encodes what the ledger records about one event: the event, the hooks that ran, their
// answers, the decision and the reply to the host.
package record

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
)

// A Record is a decoded ledger line about an event. The encoder does not use this type, but a test
// keeps the two consistent.
type Record struct {
	V    int       `json:"v"`
	Seq  uint64    `json:"seq"`
	Kind string    `json:"kind"`
	Time time.Time `json:"time"`
	Boot string    `json:"boot"`
	Mono int64     `json:"mono"`
	Prev string    `json:"prev"`
	Hash string    `json:"hash"`

	Program string `json:"program"` // the version that wrote it
	Policy  string `json:"policy"`  // digest of everything in force: hooks, approvals, packs, settings

	Off []string `json:"packs_off,omitempty"` // packs of guards that a file turned off
	// Shadow is set if the decision was not enforced, only recorded.
	Shadow bool `json:"shadow,omitempty"`

	Trial *Trial `json:"trial,omitempty"` // what hooks in shadow mode would have decided

	Foreign bool     `json:"foreign,omitempty"` // it did not come from the host of its session, and did not change that session's state
	Caller  []string `json:"caller,omitempty"`  // for a foreign event, program and pid of the calling processes, nearest first; without a host, the channel, such as http
	Noted   []string `json:"noted,omitempty"`   // the processes, pid-start, that were noted as agent hosts before it

	Handle  string `json:"handle,omitempty"`  // the handle with which a person can allow the call
	Unasked string `json:"unasked,omitempty"` // why no person could be asked and the ask became a denial
	Again   bool   `json:"again,omitempty"`   // it replaces an earlier record of the call, whose answer the host did not get

	Held []string `json:"held,omitempty"` // what the user's file loosens without confirmation

	Shortened bool `json:"shortened,omitempty"` // it would have been too long

	Event   string `json:"event"`            // the name of its contract
	Native  string `json:"native,omitempty"` // the host's own name of the event
	Host    string `json:"host"`
	Session string `json:"session,omitempty"`     // the host's id
	Key     string `json:"session_key,omitempty"` // of host, session and agent
	Agent   string `json:"agent,omitempty"`
	Dir     string `json:"dir,omitempty"`
	Root    string `json:"root,omitempty"`
	Source  string `json:"source,omitempty"` // why a session started: startup, resume, …
	Tool    *Tool  `json:"tool,omitempty"`

	Decision string    `json:"decision"` // none, allow, ask or deny
	Reason   string    `json:"reason,omitempty"`
	Effects  []string  `json:"effects,omitempty"` // effects of the verdict: deny, rewrite_input, context, …
	Redo     *Redo     `json:"redo,omitempty"`
	Answer   string    `json:"answer,omitempty"` // saved or contained; "" = the decision is the answer
	Saved    []string  `json:"saved,omitempty"`  // the IDs of saves with which the call can be undone
	Notices  []string  `json:"notices,omitempty"`
	Dropped  []Dropped `json:"dropped,omitempty"`
	Ignored  []string  `json:"ignored,omitempty"`
	Canceled bool      `json:"canceled,omitempty"`
	Fault    string    `json:"fault,omitempty"` // why the event could not be read at all
	Plan     []Step    `json:"plan,omitempty"`
	Unmet    []string  `json:"unmet,omitempty"`     // hooks whose condition did not hold
	More     int       `json:"plan_more,omitempty"` // steps that are not listed
	Facts    *Facts    `json:"facts,omitempty"`
	Subject  *Subject  `json:"subject,omitempty"`
	Secrets  *Secrets  `json:"secrets,omitempty"`
	Reply    *Reply    `json:"reply,omitempty"`
	Lines    string    `json:"lines,omitempty"` // keyed fingerprints of written lines, packed, in base64
	LinesAll int       `json:"lines_all,omitempty"`
	MS       float64   `json:"ms"` // from the event to the reply

	Why string `json:"why,omitempty"` // what happened, in a record about the ledger itself
}

// A Tool is the tool call that an event is about.
type Tool struct {
	Name      string `json:"name"`
	Canonical string `json:"canonical,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
}

// A Redo records that the agent was made to continue.
type Redo struct {
	Attempt int `json:"attempt"`
	Limit   int `json:"limit"`
}

// Dropped is an effect that a hook requested and that is not in the verdict.
type Dropped struct {
	Hook   string `json:"hook,omitempty"`
	Effect string `json:"effect"`
	Why    string `json:"why"`
}

// A Step is one planned hook.
type Step struct {
	Hook     string   `json:"hook"`
	Type     string   `json:"type,omitempty"`
	Scope    string   `json:"scope"`
	Origin   string   `json:"origin"`             // file:line
	Digest   string   `json:"digest"`             // of its definition
	Approval string   `json:"approval,omitempty"` // digest of what a person approved: the definition and its files
	Runs     string   `json:"runs,omitempty"`     // digest of the files that it would run, at that time
	Stage    int      `json:"stage,omitempty"`
	MS       float64  `json:"ms,omitempty"`
	Outcome  string   `json:"outcome"` // answered, silent, fault, skipped, unapproved, detached, lifted, passed
	Skipped  string   `json:"skipped,omitempty"`
	Fault    string   `json:"fault,omitempty"`
	Decision string   `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Effects  []string `json:"effects,omitempty"`
	Pack     string   `json:"pack,omitempty"`      // the pack of guards that decided
	PackKey  string   `json:"pack_key,omitempty"`  // the key of its policy, such as high or exfiltration
	PackFrom string   `json:"pack_from,omitempty"` // FILE:LINE of the project's file that tightened the pack
	Rule     string   `json:"rule,omitempty"`      // the rule that decided, as people type it, such as git/push-force
	Rules    []string `json:"rules,omitempty"`     // all rules by which it decided, if there are several
	Why      string   `json:"why,omitempty"`       // the reason in one line, without the call
	Final    string   `json:"final,omitempty"`     // why no grant lifts it
	Lifted   *Lifted  `json:"lifted,omitempty"`    // the decision that a grant lifted

	Redacted []Redacted `json:"redacted,omitempty"` // the values that it redacted
	Excused  []string   `json:"excused,omitempty"`  // markers of the values that a grant left unredacted

	Spent    *Spent  `json:"spent,omitempty"`  // what its own call of a model cost
	Passed   *Passed `json:"passed,omitempty"` // the question that a judge answered
	Rejudged bool    `json:"rejudged,omitempty"`
	Stale    bool    `json:"stale,omitempty"`
	Shadow   bool    `json:"shadow,omitempty"` // the hook is in shadow mode, as set in its file
	Tried    bool    `json:"tried,omitempty"`  // its answer did not count, because of shadow mode or a pause
}

// Counts reports whether the answer of s, a step of r, counted. Records of older builds do not mark the
// steps that did not because nothing but managed hooks and self-protection counted.
func (r *Record) Counts(s *Step) bool {
	return !s.Tried && (!r.Shadow || r.Trial != nil || s.Scope == checkrein.ScopeManaged.String() || s.Hook == "protect_paths")
}

// A Trial compares the decision that counted with the one that hooks in shadow mode would have led to.
type Trial struct {
	Counted string   `json:"counted"`
	Would   string   `json:"would"`
	By      []string `json:"by,omitempty"` // the rules or hooks in shadow mode that would have decided it
}

// Decider returns the rule by which s decided, or else its hook.
func (s *Step) Decider() string { return cmp.Or(s.Rule, s.Hook) }

// Spent is what a hook's own call of a model cost.
type Spent = checkrein.Usage

// Redacted is a value that a hook redacted.
type Redacted struct {
	ID    string `json:"id"` // the digits in its marker, with which a person can allow it
	Rule  string `json:"rule"`
	Count int    `json:"count"`
	Lines string `json:"lines,omitempty"` // of the output, such as 3,4
}

// FindRedacted returns the redacted value whose marker has this id, or nil if there is none.
func (s *Step) FindRedacted(id string) *Redacted {
	for i := range s.Redacted {
		if s.Redacted[i].ID == id {
			return &s.Redacted[i]
		}
	}
	return nil
}

// Lifted is a decision that a person's grant lifted.
type Lifted struct {
	Grant    string `json:"grant"`
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

// Passed is a question about something unknown that a judge decided.
type Passed struct {
	By     string `json:"by"` // the hook
	Reason string `json:"reason,omitempty"`
}

// Facts holds the facts behind the decision apart from the event itself.
type Facts struct {
	Effects []Effect `json:"effects,omitempty"` // effects for which checkrein's own hooks denied or asked, lifted or not
	Call    *Call    `json:"call,omitempty"`    // what the call does, if a condition needed it
	Git     []Repo   `json:"git,omitempty"`     // repositories whose state was read
	Files   []Read   `json:"files,omitempty"`   // files that were read to judge the call
	Grants  []string `json:"grants,omitempty"`  // grants that lifted a decision
	More    int      `json:"more,omitempty"`    // effects, repositories and files that are not listed
}

// An Effect is one effect of a call, by which a hook decided.
type Effect struct {
	Hook     string   `json:"hook"`
	Rule     string   `json:"rule,omitempty"`
	Category string   `json:"category,omitempty"`
	Label    string   `json:"label,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Radius   string   `json:"radius,omitempty"`
	On       string   `json:"on,omitempty"` // its object, if that is neither a path nor a host
	Maybe    bool     `json:"maybe,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	PathsAll int      `json:"paths_all,omitempty"` // their number, if some are left out
	Hosts    []string `json:"hosts,omitempty"`
	HostsAll int      `json:"hosts_all,omitempty"`
}

// A Call is what a tool call does as a whole.
type Call struct {
	Label    string   `json:"label"`
	Radius   string   `json:"radius"`
	Effects  []string `json:"effects,omitempty"` // labels, verbs and categories
	Paths    []string `json:"paths,omitempty"`
	PathsAll int      `json:"paths_all,omitempty"`
}

// A Repo is the state of a git repository.
type Repo struct {
	Dir      string    `json:"dir"`            // the directory from which it was looked for
	None     bool      `json:"none,omitempty"` // there was none, or it could not be read
	Head     string    `json:"head,omitempty"` // the ref that was checked out; "" means none
	Defaults []Default `json:"defaults,omitempty"`
	Settings string    `json:"settings,omitempty"` // keyed digest of all its settings
}

// A Default is the ref that a remote's HEAD named.
type Default struct {
	Remote string `json:"remote"`
	Ref    string `json:"ref,omitempty"`
}

// A Read is a file that was read.
type Read struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	Digest string `json:"digest,omitempty"` // keyed digest of its text; "" means that it was too long
}

// A Subject is the content of the event, redacted.
type Subject struct {
	Input     *Part `json:"input,omitempty"`
	Rewritten *Part `json:"rewritten,omitempty"` // the input as hooks rewrote it
	Output    *Part `json:"output,omitempty"`
	Text      *Part `json:"text,omitempty"`
	Messages  *Part `json:"messages,omitempty"`
}

// Secrets lists the secrets in the parts of an event that are too specific to occur by chance, each by
// the digits in its marker.
type Secrets struct {
	Input    []string `json:"input,omitempty"`
	Output   []string `json:"output,omitempty"`   // as the tool returned it
	Replaced []string `json:"replaced,omitempty"` // secrets in the output that the host had to hide from the model
	Text     []string `json:"text,omitempty"`
	Messages []string `json:"messages,omitempty"`
	// Said holds the words of a prompt that may be secrets although nothing marks them as such, packed
	// and in base64. SaidMore is set if there were too many.
	Said     string `json:"said,omitempty"`
	SaidMore bool   `json:"said_more,omitempty"`
}

// A Reply is the reply to the host, redacted.
type Reply struct {
	Exit   int   `json:"exit"`
	Stdout *Part `json:"stdout,omitempty"`
	Stderr *Part `json:"stderr,omitempty"`
}

// A Part is a redacted value, or the head and the tail of a long one. Exactly one of JSON, Text and
// Head with Tail is set.
type Part struct {
	Bytes  int             `json:"bytes"`  // size of the whole original value
	Digest string          `json:"digest"` // of the whole original value: HMAC-SHA256 under the ledger's key
	JSON   json.RawMessage `json:"json,omitempty"`
	Text   string          `json:"text,omitempty"`
	Head   string          `json:"head,omitempty"`
	Tail   string          `json:"tail,omitempty"`
}

// Decode decodes line, a line of the ledger.
func Decode(line []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	return &r, nil
}
