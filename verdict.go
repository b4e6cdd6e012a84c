package checkrein

import "encoding/json"

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

// ParseDecision reads the words that String writes.
func ParseDecision(s string) (Decision, bool) {
	for d := NoOpinion; d <= Deny; d++ {
		if d.String() == s {
			return d, true
		}
	}
	return NoOpinion, false
}

// A Verdict is what a handler wants. The zero Verdict wants nothing.
type Verdict struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
	Context  []string `json:"context,omitempty"` // told to the model
	Notice   []string `json:"notice,omitempty"`  // told to the person

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
	// Metadata is for the question that a person is asked, and says of a denial or an
	// ask who decides (rule), why (reason), what would be fine (instead), what else is
	// in the way (also, rules), and whether no grant lifts it (final).
	Metadata map[string]string `json:"metadata,omitempty"`
	// Because are the effects of the call by which a judge decided. It is for records
	// and no part of a merged verdict.
	Because []Cause `json:"-"`
}

// rewrites reports whether v asks to change the event's subject.
func (v *Verdict) rewrites() bool {
	return v.Input != nil || v.Output != nil || v.Append != "" || v.Messages != nil
}

// annotates reports whether the metadata has something for the question that a
// person is asked: what only says who decided, and why, is for records.
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

// IsZero reports whether v wants nothing.
func (v *Verdict) IsZero() bool {
	return v.Decision == NoOpinion && v.Reason == "" && len(v.Context) == 0 && len(v.Notice) == 0 &&
		!v.rewrites() && v.Redo == "" && !v.Halt && v.Summary == "" && len(v.Metadata) == 0
}

// Effects returns what v asks for.
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

// An Answer is a verdict with what it was read from, and what was in it that
// nobody understood.
type Answer struct {
	Verdict
	Raw     []byte   `json:"raw,omitempty"`
	Log     string   `json:"log,omitempty"`     // what the hook printed that is for neither model nor person
	Ignored []string `json:"ignored,omitempty"` // keys and text that had no meaning here
}
