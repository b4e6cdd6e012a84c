// Package tool holds the tools that the runtime's agents have. A tool only acts:
// whether it may is settled before it is called.
package tool

import (
	"context"
	"encoding/json"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// A Tool is one tool of an agent. It is safe for concurrent use.
type Tool struct {
	model.Definition
	Category string // the toolset's kind: shell, filesystem, …
	// Canonical is what hooks may also call it; "" = what its name stands for.
	Canonical string
	ReadOnly  bool // it changes nothing, so nobody need be asked
	Polling   bool // called again and again by its nature
	// Run acts. Input is a JSON object. The text is what the model reads; an
	// error is a tool that failed, and its text is for the model too.
	Run func(ctx context.Context, input json.RawMessage) (string, error)
}
