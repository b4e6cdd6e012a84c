package agent

import (
	"encoding/json"

	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/card"
)

// The types of reports.
const (
	Delta      = "delta"       // a piece of a reply that hooks cannot change any more
	Interim    = "interim"     // the model's text that accompanies its tool calls
	Final      = "reply"       // the reply, as hooks left it
	Calling    = "tool_call"   // a tool call that was approved, with its final arguments
	Called     = "tool_result" // the output of a tool, as hooks left it
	Blocked    = "blocked"     // a hook, a rule or the user denied something
	Notice     = "notice"      // a hook's message to the user
	Fired      = "event"       // an event was fired, with its Outcome
	Warning    = "warning"
	Failure    = "error"
	Redoing    = "redo" // a hook makes the agent continue
	Switched   = "agent"
	Compacted  = "compaction"
	Sent       = "outbound"
	GoalDone   = "goal"
	GoalMissed = "goal_missed" // hooks still objected after their last attempt
	Used       = "usage"
	TurnEnded  = "turn_end"
)

// A Report describes one thing that happened, for people and programs that watch. Its JSON is a line
// of `run --json`.
type Report struct {
	Type    string          `json:"type"`
	Session string          `json:"session_id,omitempty"`
	Agent   string          `json:"agent,omitempty"`
	Event   string          `json:"event,omitempty"`
	Text    string          `json:"text,omitempty"`
	Card    *card.Card      `json:"card,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Channel string          `json:"channel,omitempty"` // the destination of a message
	CallID  string          `json:"tool_use_id,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Source  string          `json:"source,omitempty"` // of an approval or a denial
	Reason  string          `json:"reason,omitempty"` // of a turn's end, or why a goal was given up
	Error   bool            `json:"is_error,omitempty"`
	Handle  string          `json:"handle,omitempty"` // of what was blocked, for checkrein allow
	Allow   string          `json:"allow,omitempty"`  // the command that allows it
	Rules   []string        `json:"rules,omitempty"`  // the rules that blocked it, if a grant can lift them
	Redo    *engine.Redo    `json:"redo,omitempty"`
	Verdict json.RawMessage `json:"verdict,omitempty"` // of a fired event, as eval prints it
	Usage   *Totals         `json:"usage,omitempty"`

	// Outcome is the outcome of a fired event. Callers that print it fill Verdict from it.
	Outcome *engine.Outcome `json:"-"`
}

// Totals is what a session has used.
type Totals struct {
	Input  int     `json:"input_tokens"`
	Output int     `json:"output_tokens"`
	Calls  int     `json:"model_calls"`
	Cost   float64 `json:"cost"`
	Priced bool    `json:"priced"` // every call had a price
}

// A Question asks the user about a tool call.
type Question struct {
	Session  string            `json:"session_id"`
	Agent    string            `json:"agent"`
	Tool     string            `json:"tool"`
	CallID   string            `json:"tool_use_id"`
	Input    json.RawMessage   `json:"input"`
	Reason   string            `json:"reason,omitempty"` // why approval is needed
	Metadata map[string]string `json:"metadata,omitempty"`
	Grant    string            `json:"grant"` // the rule that Always would add; "" = there is none
}

// A Reply is the user's answer to a Question.
type Reply struct {
	Answer Answer
	Reason string // for a rejection
}

// An Answer is the user's decision on a tool call. The zero Answer rejects it.
type Answer uint8

// The answers.
const (
	Reject     Answer = iota
	Approve           // this call
	Always            // this call and similar ones, in this session
	Everything        // turn auto-approval on
)

// addRemedy returns rep with the command that allows what was blocked under handle. Only the user sees
// it, not the model.
func (t *thread) addRemedy(rep Report, handle string) Report {
	if handle == "" {
		return rep
	}
	rep.Handle, rep.Allow = handle, "checkrein allow "+handle
	if b, err := t.agent.hooks.Grants().Block(handle); err == nil {
		rep.Allow = b.AllowCommand("")
		for i := range b.By {
			rep.Rules = append(rep.Rules, b.By[i].Name())
		}
	}
	return rep
}

// report passes rep to the UI, with the thread's session and agent.
func (t *thread) report(rep Report) {
	rep.Session, rep.Agent = t.id, t.agent.spec.Name
	t.rt.opts.UI.Report(rep)
}
