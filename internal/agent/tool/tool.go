// Package tool holds the tools of the runtime's agents. Tools do not check permissions, since calls
// are approved before they run.
package tool

import (
	"context"
	"encoding/json"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// A Tool is a tool of an agent. It is safe for concurrent use.
type Tool struct {
	model.Definition
	Category string // the type of its toolset: shell, filesystem, …
	// Canonical is its canonical name for hooks; "" means that its name determines it.
	Canonical string
	ReadOnly  bool // it changes nothing, so it needs no approval
	Polling   bool // repeated calls are normal
	// Run runs the tool with input, a JSON object. The model gets the text, followed by that of the
	// error if there is one.
	Run func(ctx context.Context, input json.RawMessage) (string, error)
}
