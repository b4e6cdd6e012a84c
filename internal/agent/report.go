package agent

import (
	"encoding/json"

	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/card"
)

// The types of reports.
const (
	Delta      = "delta"       // a piece of a reply that no hook can change any more
	Interim    = "interim"     // what the model said beside its tool calls
	Final      = "reply"       // the reply, as hooks left it
	Calling    = "tool_call"   // a tool call that was approved, with its final arguments
	Called     = "tool_result" // what a tool returned, as hooks left it
	Blocked    = "blocked"     // a hook, a rule or the person refused something
	Notice     = "notice"      // a hook tells the person something
	Fired      = "event"       // an event was fired: Outcome says what came of it
	Warning    = "warning"
	Failure    = "error"
	Redoing    = "redo" // a hook keeps the agent working
	Switched   = "agent"
	Compacted  = "compaction"
	Sent       = "outbound"
	GoalDone   = "goal"
	GoalMissed = "goal_missed" // hooks still objected when they had had their attempts
	Used       = "usage"
	TurnIsOver = "turn_end"
)

// A Report is one thing that happened, for people and programs that watch. Its
// JSON is a line of `run --json`.
type Report struct {
	Type    string          `json:"type"`
	Session string          `json:"session_id,omitempty"`
	Agent   string          `json:"agent,omitempty"`
	Event   string          `json:"event,omitempty"`
	Text    string          `json:"text,omitempty"`
	Card    *card.Card      `json:"card,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Channel string          `json:"channel,omitempty"` // that a message goes to
	CallID  string          `json:"tool_use_id,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Source  string          `json:"source,omitempty"` // of an approval or a refusal
	Reason  string          `json:"reason,omitempty"` // of a turn's end, or why a goal was given up
	Error   bool            `json:"is_error,omitempty"`
	Handle  string          `json:"handle,omitempty"` // of what was blocked, for checkrein allow
	Allow   string          `json:"allow,omitempty"`  // the command by which a person lets it pass
	Rules   []string        `json:"rules,omitempty"`  // who blocked it, where that can be lifted
	Redo    *engine.Redo    `json:"redo,omitempty"`
	Verdict json.RawMessage `json:"verdict,omitempty"` // of a fired event, as eval prints it
	Usage   *Totals         `json:"usage,omitempty"`

	// Outcome is what came of a fired event. Who needs it in writing fills
	// Verdict from it.
	Outcome *engine.Outcome `json:"-"`
}

// Totals are what a session used.
type Totals struct {
	Input  int     `json:"input_tokens"`
	Output int     `json:"output_tokens"`
	Calls  int     `json:"model_calls"`
	Cost   float64 `json:"cost"`
	Priced bool    `json:"priced"` // every call had a price
}

// A Question asks the person for a tool call.
type Question struct {
	Session  string            `json:"session_id"`
	Agent    string            `json:"agent"`
	Tool     string            `json:"tool"`
	CallID   string            `json:"tool_use_id"`
	Input    json.RawMessage   `json:"input"`
	Reason   string            `json:"reason,omitempty"` // why it is asked for
	Metadata map[string]string `json:"metadata,omitempty"`
	Grant    string            `json:"grant"` // the rule that Always would give; "" = there is none
}

// A Reply is the person's answer to a Question.
type Reply struct {
	Answer Answer
	Reason string // why not
}

// An Answer is what a person may say of a tool call. The zero Answer rejects.
type Answer uint8

// The answers.
const (
	Reject     Answer = iota
	Approve           // this call
	Always            // this call and those like it, in this session
	Everything        // switch auto-approval on
)

// remedy describes in a report how a person can let pass what was blocked. The model
// hears nothing of it: it hears what the hook said.
func (t *thread) remedy(rep Report, handle string) Report {
	if handle == "" {
		return rep
	}
	rep.Handle, rep.Allow = handle, "checkrein allow "+handle
	if b, err := t.who.hooks.Grants().Block(handle); err == nil {
		rep.Allow = b.Command("")
		for i := range b.By {
			rep.Rules = append(rep.Rules, b.By[i].Name())
		}
	}
	return rep
}

func (t *thread) report(rep Report) {
	rep.Session, rep.Agent = t.id, t.who.spec.Name
	t.rt.opts.UI.Report(rep)
}
