// Package session stores conversations on disk, so that one can be resumed after its process was
// killed.
package session

import (
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// The kinds of items.
const (
	Begin    = "begin"   // the first item: where and with what the session began
	Said     = "message" // a message
	Context  = "context" // context that session_start hooks added
	Summary  = "summary" // replaces every message before it, except the last Kept
	Granted  = "grant"   // a rule that the user granted
	Switched = "agent"   // another agent took over
	Cleared  = "clear"   // the user cleared the conversation
	Ended    = "end"
)

// An Item is one line of a session's file.
type Item struct {
	Kind    string         `json:"kind"`
	At      time.Time      `json:"at"`
	Message *model.Message `json:"message,omitempty"`
	Text    string         `json:"text,omitempty"`
	Agent   string         `json:"agent,omitempty"`
	// how many of the last messages a Summary keeps
	Kept int    `json:"kept,omitempty"`
	Dir  string `json:"dir,omitempty"`  // of Begin
	File string `json:"file,omitempty"` // of Begin: the agent file
}
