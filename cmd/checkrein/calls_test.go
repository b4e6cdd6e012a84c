package main

import (
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// A hostCall is a call of a file, MCP, planning or sub-agent tool, as a host sends it.
type hostCall struct {
	Class   string          `json:"class"`
	Host    string          `json:"host"`
	Payload json.RawMessage `json:"payload"`
}

// TestVerdictsCalls judges calls of other tools that must pass.
func TestVerdictsCalls(t *testing.T) {
	calls := guardtest.Rows[hostCall](t, "testdata/calls.jsonl")
	p := newVerdictPlace(t)
	var touched atomic.Int64
	guardtest.Each(calls, func(_ int, c *hostCall) {
		got, reply := p.heard(c.Host, []byte(p.here(string(c.Payload))), eventOf(c.Payload)...)
		if got != "none" {
			touched.Add(1)
			t.Logf("[%s] %s: %s %s\n\t%s", c.Class, got, c.Host, c.Payload, reply)
		}
	})
	if n := touched.Load(); float64(n) > 0.005*float64(len(calls)) {
		t.Errorf("%d of %d everyday calls are touched, want at most 0.5 %%", n, len(calls))
	}
}

// eventOf is what the installed line adds for payloads that do not name their
// event.
func eventOf(payload []byte) []string {
	var p struct {
		ToolName string `json:"toolName"`
	}
	if json.Unmarshal(payload, &p) == nil && p.ToolName != "" {
		return []string{"--event", "preToolUse"}
	}
	return nil
}
