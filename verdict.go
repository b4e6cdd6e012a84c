package checkrein

import (
	"encoding/json"
	"strconv"
)

// A Decision is what a verdict decides. Decisions are ordered; a merge keeps the largest.
type Decision uint8

// The decisions.
const (
	// NoOpinion leaves the decision to the agent's own permissions, and is never treated as Allow: a
	// program that asks people before some calls still does. One without a permission prompt goes on.
	NoOpinion Decision = iota
	Allow
	Ask
	Deny
)

// String returns none, allow, ask or deny.
func (d Decision) String() string {
	return [...]string{"none", "allow", "ask", "deny"}[d]
}

// A Verdict describes what should happen. The zero Verdict changes nothing.
type Verdict struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
	Context  []string `json:"context,omitempty"` // for the model
	Notice   []string `json:"notice,omitempty"`  // for the person

	// Input is a patch of the tool's arguments: other keys stay, and null deletes a key. In a merged
	// verdict it is the complete object.
	Input json.RawMessage `json:"input,omitempty"`
	// Output replaces the tool's output, or the text that the event is about; in that case it is a JSON
	// string.
	Output json.RawMessage `json:"output,omitempty"`
	// Append is added to the tool's output or the text, on a line of its own.
	Append   string          `json:"append,omitempty"`
	Messages json.RawMessage `json:"messages,omitempty"` // replaces the conversation

	Redo    string `json:"redo,omitempty"`    // the text with which the agent must go on; Clamp sets it from a denial. Runtimes use engine.Outcome.Redo, which has the limit
	Halt    bool   `json:"halt,omitempty"`    // end the turn
	Summary string `json:"summary,omitempty"` // replaces the compaction summary
	// Metadata is shown when a person is asked. In a denial or an ask, the keys rule, reason, instead,
	// also, rules and final explain the decision: what decided, why, what would be allowed, what else
	// objects, and whether no grant lifts it.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Obligations must be fulfilled together with the decision. Nothing drops them.
	Obligations []Obligation `json:"obligations,omitempty"`

	// Only built-in guards set the fields below.

	// Because lists the effects of the call on which a guard based its decision, for records. Merged
	// verdicts have none.
	Because []Cause `json:"-"`
	// Unsure is set if the only reason of an ask is that the effect of the call is unknown.
	// It is not set in merged verdicts.
	Unsure bool `json:"-"`
}

// A Cause is an effect of a tool call on which a guard based its decision.
type Cause struct {
	Label    string // safe, unknown, destructive or exfiltration
	Kind     string // the verb: delete, write, push, …
	Category string
	Rule     string // as people type it: git/push-force
	Radius   string // low, medium, high or unknown
	On       string // the object that it changes, if that is neither a path nor a host
	Maybe    bool   // a part of the command is unknown
	Paths    []string
	Hosts    []string
}

// rewrites reports whether v changes the event's subject.
func (v *Verdict) rewrites() bool {
	return v.Input != nil || v.Output != nil || v.Append != "" || v.Messages != nil
}

// annotates reports whether the metadata has keys other than those that explain a decision.
func (v *Verdict) annotates() bool {
	more := len(v.Metadata)
	if more == 0 || v.Decision < Ask || v.Metadata["rule"] == "" {
		return more > 0
	}
	for _, key := range [...]string{"rule", "reason", "instead", "also", "rules", "final"} { // looking up each key is faster than iterating over the map
		if _, has := v.Metadata[key]; has {
			more--
		}
		if more == 0 {
			return false
		}
	}
	return true
}

// IsZero reports whether v changes nothing.
func (v *Verdict) IsZero() bool {
	return v.Decision == NoOpinion && v.Reason == "" && len(v.Context) == 0 && len(v.Notice) == 0 &&
		!v.rewrites() && v.Redo == "" && !v.Halt && v.Summary == "" && len(v.Metadata) == 0 && len(v.Obligations) == 0
}

// Effects returns the effects that v has.
func (v *Verdict) Effects() Effect {
	var e Effect
	set := func(on bool, bit Effect) {
		if on {
			e |= bit
		}
	}
	set(v.Decision == Deny, CanDeny)
	set(v.Decision == Ask, CanAsk)
	set(v.Decision == Allow, CanAllow)
	set(v.Input != nil, CanRewriteInput)
	set(v.Output != nil || v.Append != "", CanRewriteOutput)
	set(v.Messages != nil, CanRewriteMessages)
	set(len(v.Context) > 0, CanAddContext)
	set(v.Redo != "", CanRedo)
	set(v.Halt, CanHalt)
	set(v.Summary != "", CanSummarize)
	set(v.annotates(), CanAnnotate)
	return e
}

// An Answer is what a handler returns: a verdict, and the output from which it was read.
type Answer struct {
	Verdict
	Raw     []byte   `json:"raw,omitempty"`
	Log     string   `json:"log,omitempty"`     // output of the hook that is for neither the model nor the person
	Ignored []string `json:"ignored,omitempty"` // keys and text that have no meaning here
	Usage   *Usage   `json:"spent,omitempty"`   // of the models that the handler called; nil = none
}

// Usage describes what a handler's call to a model cost.
type Usage struct {
	Model       string   `json:"model"` // provider/model
	Input       int      `json:"input_tokens,omitempty"`
	Output      int      `json:"output_tokens,omitempty"`
	CachedInput int      `json:"cached_input_tokens,omitempty"`
	CachedWrite int      `json:"cached_write_tokens,omitempty"`
	Reasoning   int      `json:"reasoning_tokens,omitempty"`
	Cost        *float64 `json:"cost,omitempty"`  // in US dollars; nil = the price is unknown
	Again       bool     `json:"again,omitempty"` // the answer came from a cache, without a call
}

// String returns the model, the tokens and the cost as text for people.
func (s *Usage) String() string {
	if s.Again {
		return s.Model + " already answered the same question, so it was not asked again"
	}
	text := s.Model
	if s.Input+s.Output > 0 {
		text += ", " + strconv.Itoa(s.Input) + " tokens in, " + strconv.Itoa(s.Output) + " out"
	}
	if s.Cost != nil {
		text += ", " + strconv.FormatFloat(*s.Cost, 'f', -1, 64) + " USD"
	}
	return text
}

// Plus returns the sum of s and o, the usage of two calls of one handler. If one of the costs is
// unknown, so is their sum. Either may be nil.
func (s *Usage) Plus(o *Usage) *Usage {
	switch {
	case s == nil || s.Again && o != nil:
		return o
	case o == nil || o.Again:
		return s
	}
	sum := Usage{Model: o.Model, Input: s.Input + o.Input, Output: s.Output + o.Output, CachedInput: s.CachedInput + o.CachedInput,
		CachedWrite: s.CachedWrite + o.CachedWrite, Reasoning: s.Reasoning + o.Reasoning}
	if s.Cost != nil && o.Cost != nil {
		cost := *s.Cost + *o.Cost
		sum.Cost = &cost
	}
	return &sum
}
