// Package tool holds the tools of the runtime's agents. A tool only acts: calls are approved before.
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
	// Canonical is its canonical name for hooks; "" = by its name.
	Canonical string
	ReadOnly  bool // it changes nothing, so it needs no approval
	Polling   bool // repeated calls are normal
	// Run runs the tool. input is a JSON object. The model gets the text, and the text of an error as
	// well.
	Run func(ctx context.Context, input json.RawMessage) (string, error)
}
