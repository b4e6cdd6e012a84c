// Package dockeragent implements the wire of docker-agent, formerly cagent.
//
// Its keys are nearly checkrein's own. Their effect depends on the event and, for a tool call, on the
// lane. Only permission_decision is read on both lanes in every version, so a denial before a tool is
// written as that, at exit code 0.
package dockeragent

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is docker-agent.
var Host = wire.Host{
	Name: "docker-agent", Title: "docker-agent", Version: "1.91 to 1.148", Mark: wire.Documented,
	About:  "Hooks go in an agent's file, or in hooks.d next to the user's configuration. Hooks before tools must be in a group with preempt_yolo: true. Otherwise they are not called for calls that are already approved. Not tested with a real host.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, NoAskOptions: []string{"--exec"}},
	Dirs:   []string{"cwd"},
	Waits:  60 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Encode: encode,
}

// read reads a payload. It sets the canonical name of the second shell tool, and joins steering
// messages into one prompt, because they cannot be blocked one by one.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	for i := range c.Events {
		ev := &c.Events[i]
		if t := ev.Tool; t != nil && t.Name == "run_background_job" {
			t.Canonical = "shell"
		}
		if ev.Kind == checkrein.UserPromptSubmit && c.Native == "user_steering_messages_submit" {
			var list []string
			rawjson.Elements(ev.Detail("steering_messages"), func(_ int, v []byte) bool {
				text, _ := rawjson.Text(v)
				list = append(list, text)
				return true
			})
			ev.Text = strings.Join(list, "\n")
		}
	}
	return c
}
