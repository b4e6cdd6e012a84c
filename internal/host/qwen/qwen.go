// Package qwen is the wire of Qwen Code.
//
// Its words are Claude Code's and its rules are not: a denial can be undone by
// another hook's allow, an ask is a refusal, arguments cannot be rewritten, and
// to stop a call is how its output is replaced. So every answer is one JSON
// object at exit 0 that says a denial in all the forms it knows.
package qwen

import (
	"bytes"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Qwen Code.
var Host = wire.Host{
	Name: "qwen", Title: "Qwen Code", Version: "0.24.4", Mark: wire.Observed,
	CommandVars: []string{"QWEN_CODE"}, // read in its source
	About:       "Hooks go in settings.json, in Claude Code's format, with timeouts in milliseconds. A project's hooks run without asking you to trust them. If a hook fails, hangs or is missing, the tool runs anyway.",
	Dirs:        []string{"directory"},
	Waits:       60 * time.Second,
	Events:      events, Quirks: quirks,
	Read: read, Encode: say,
}

// read reads a payload and settles what depends on what is in it.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	c := wire.ReadAs(h, body, flat(body, name), name)
	if c.Err != nil {
		return c
	}
	ev := &c.Events[0]
	switch name {
	case "UserPromptSubmit":
		if strings.TrimSpace(ev.Text) == "" {
			ev.Kind = checkrein.Other // a tool has answered, and nobody has said a thing
			c.Events = c.Events[:1]
		}
	case "SessionStart":
		if rawjson.GetText(body, "source") == "resume" {
			c.Events = append(c.Events, wire.WithKind(*ev, checkrein.OnSessionResume))
		}
	case "Notification":
		if rawjson.GetText(body, "notification_type") == "idle_prompt" {
			c.Events = append(c.Events, wire.WithKind(*ev, checkrein.OnUserInput))
		}
	case "StopFailure":
		if ev.Text = rawjson.GetText(body, "error_details"); ev.Text == "" {
			ev.Text = rawjson.GetText(body, "error")
		}
	}
	return c
}

// flat makes what the model is given the tool's output; what the person is shown
// stands beside it. A payload that cannot be read stays as it is, for its fault
// to be found.
func flat(body []byte, name string) []byte {
	if name != "PostToolUse" {
		return body
	}
	response, _ := rawjson.Get(body, "tool_response")
	content, ok := rawjson.Get(response, "llmContent")
	if !ok || rawjson.Kind(response) != '{' {
		return body
	}
	if text, whole := wire.PartsText(content); whole {
		content = rawjson.Quote(text)
	}
	patch := rawjson.Object{'{'}
	patch.Raw("tool_response", content)
	if shown, ok := rawjson.Get(response, "returnDisplay"); ok {
		patch.Raw("returnDisplay", shown)
	}
	patch.Close()
	if out, err := rawjson.Patch(body, patch); err == nil {
		return out
	}
	return body
}
