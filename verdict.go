package checkrein

import (
	"encoding/json"
	"strconv"
)

// A Decision is ordered: in a merge the larger one wins.
type Decision uint8

// The decisions.
const (
	NoOpinion Decision = iota // defer to the host; never a silent Allow
	Allow
	Ask
	Deny
)

// String returns none, allow, ask or deny.
func (d Decision) String() string {
	return [...]string{"none", "allow", "ask", "deny"}[d]
}

// A Verdict is what should happen. The zero Verdict changes nothing.
type Verdict struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
	Context  []string `json:"context,omitempty"` // for the model
	Notice   []string `json:"notice,omitempty"`  // for the person

	// Input is a patch of the tool's arguments: keys it does not mention
	// stay, null deletes a key. In a merged verdict it is the complete object.
	Input json.RawMessage `json:"input,omitempty"`
	// Output replaces the tool's output, or the text the event is about (then
	// it is a JSON string).
	Output json.RawMessage `json:"output,omitempty"`
	// Append is added to the tool's output or the text, on a line of its own.
	Append   string          `json:"append,omitempty"`
	Messages json.RawMessage `json:"messages,omitempty"` // replaces the conversation

	Redo    string `json:"redo,omitempty"`    // keep the agent going with this; set by Clamp from a denial
	Halt    bool   `json:"halt,omitempty"`    // end the turn
	Summary string `json:"summary,omitempty"` // replaces the compaction summary
	// Metadata is shown when a person is asked. The keys rule, reason, instead, also, rules
	// and final of a denial or an ask explain it: what decided, why, what would be allowed,
	// what else objects, and whether no grant lifts it.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Obligations are what must happen together with the decision. Nothing drops them.
	Obligations []Obligation `json:"obligations,omitempty"`
	// Because lists the effects of the call that a guard decided by, for records. Merged
	// verdicts have none.
	Because []Cause `json:"-"`
	// Unsure is set if the only reason of an ask is that the effect of the call is unknown.
	// Only built-in guards set it. Merged verdicts have it not set.
	Unsure bool `json:"-"`
}

// A Cause is an effect of a tool call that a guard decided by.
type Cause struct {
	Label    string // safe, unknown, destructive or exfiltration
	Kind     string // the verb: delete, write, push, …
	Category string
	Rule     string // as people type it: git/push-force
	Radius   string // low, medium, high or unknown
	On       string // what it changes, if that is neither a path nor a host
	Maybe    bool   // a part of the command is unknown
	Paths    []string
	Hosts    []string
}

// rewrites reports whether v asks to change the event's subject.
func (v *Verdict) rewrites() bool {
	return v.Input != nil || v.Output != nil || v.Append != "" || v.Messages != nil
}

// annotates reports whether the metadata has more than the keys that explain a decision.
func (v *Verdict) annotates() bool {
	more := len(v.Metadata)
	if more == 0 || v.Decision < Ask || v.Metadata["rule"] == "" {
		return more > 0
	}
	for _, key := range [...]string{"rule", "reason", "instead", "also", "rules", "final"} { // each is asked for faster than a map is walked
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

// An Answer is what a handler returns: a verdict, and what it was read from.
type Answer struct {
	Verdict
	Raw     []byte   `json:"raw,omitempty"`
	Log     string   `json:"log,omitempty"`     // output of the hook that is for neither the model nor the person
	Ignored []string `json:"ignored,omitempty"` // keys and text without a meaning here
	Usage   *Usage   `json:"spent,omitempty"`   // of the models that the handler called; nil = none
}

// Usage is what a handler's call of a model cost.
type Usage struct {
	Model       string   `json:"model"` // provider/model
	Input       int      `json:"input_tokens,omitempty"`
	Output      int      `json:"output_tokens,omitempty"`
	CachedInput int      `json:"cached_input_tokens,omitempty"`
	CachedWrite int      `json:"cached_write_tokens,omitempty"`
	Reasoning   int      `json:"reasoning_tokens,omitempty"`
	Cost        *float64 `json:"cost,omitempty"`  // in USD; nil = no price is known
	Again       bool     `json:"again,omitempty"` // the answer came from a cache, without a call
}

// String returns the model, the tokens and the cost, for people.
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

// Plus returns the sum of two calls of one handler. If the cost of one is unknown, so is
// the sum.
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
