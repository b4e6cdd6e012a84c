package main

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// A hostCall is a call of a file, MCP, planning or sub-agent tool, as a host sends it.
type hostCall struct {
	Class   string          `json:"class"`
	Host    string          `json:"host"`
	Payload json.RawMessage `json:"payload"`
}

// Calls of other tools that must pass do pass.
func TestVerdictsCalls(t *testing.T) {
	calls := guardtest.Rows[hostCall](t, "testdata/calls.jsonl")
	p := newVerdictPlace(t)
	var mu sync.Mutex
	heard := map[string]int{}
	guardtest.Each(calls, func(_ int, c *hostCall) {
		got, reply := p.callHook(c.Host, []byte(p.expandPaths(string(c.Payload))), eventOf(c.Payload)...)
		if got != "none" {
			t.Logf("[%s] %s: %s %s\n\t%s", c.Class, got, c.Host, c.Payload, reply)
		}
		mu.Lock()
		defer mu.Unlock()
		heard[got]++
	})
	wrong := len(calls) - heard["none"]
	share := 100 * float64(wrong) / float64(len(calls))
	t.Logf("calls: %d, none %d, ask %d, deny %d, wrong %d (%.2f %%)", len(calls), heard["none"], heard["ask"], heard["deny"], wrong, share)
	if share > 0.5 {
		t.Errorf("%.2f %% of everyday calls are touched, want at most 0.5 %%", share)
	}
}

// The built program gives hosts the same verdicts as package verdicts does in its own process.
func TestVerdictsOfTheProgram(t *testing.T) {
	t.Parallel()
	type row struct{ Command string }
	g := guardtest.New(t)
	p := verdictPlace{home: g.Home, project: g.Project}
	for _, name := range []string{"harmful", "everyday", "values_harmful"} {
		for i, c := range guardtest.Rows[row](t, "../../internal/lab/verdicts/testdata/"+name+".jsonl") {
			if i%30 != 0 {
				continue
			}
			command := g.Localize(c.Command)
			heard, reply := p.callHook("claude", p.shellCall("claude", "", command))
			if want := g.Decide("", command).Decision; heard == "broken" || (heard == "none") != guardtest.Passes(want) {
				t.Errorf("a host hears %s, in this process it is %v: %s\n%s", heard, want, command, reply)
			}
		}
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
