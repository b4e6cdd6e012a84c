// Package copilot implements the wire of GitHub Copilot CLI.
//
// Copilot has two spellings of every event, and reads the wrapper that other hosts use on only one
// event in one spelling. Flat keys work in both spellings, so answers are flat. A denial of a tool is
// sent in two ways: in JSON and by exit code 2.
package copilot

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is GitHub Copilot CLI.
var Host = wire.Host{
	Name: "copilot", Title: "GitHub Copilot CLI", Version: "1.0.102", Mark: wire.Observed,
	CommandVars: []string{"COPILOT_CLI"}, // observed with the value 1
	About:       "Hooks go in ~/.copilot/hooks/*.json or in a repository's .github/hooks. A repository's hooks are silently skipped until the folder is trusted. If a hook is late, the tool runs.",
	Asks:        wire.Asks{Reach: wire.AtTerminal, NoAskOptions: []string{"-p", "--prompt"}},
	Waits:       30 * time.Second,
	Events:      events, Quirks: quirks, OmitsEvent: true,
	Read: read, Encode: encode,
	ReportsRunInput: true, // observed
}

// read reads a payload. The name of the event comes from the command line, because payloads of one
// spelling have none.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hookName")
	}
	c := wire.Read(h, body, name)
	for _, kind := range [...]checkrein.Kind{checkrein.SubagentStart, checkrein.SubagentStop} {
		c.AddDetail(kind, "subagent_name", rawjson.GetText(body, "agentName"))
		c.AddDetail(kind, "subagent_type", rawjson.GetText(body, "agentType"))
		for i := range c.Events {
			if ev := &c.Events[i]; ev.Session.Agent == "" && ev.Kind == kind { // the sub-agent that starts or stops
				ev.Session.Agent = rawjson.GetText(body, "agentName")
			}
		}
	}
	return c
}
