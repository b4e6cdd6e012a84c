// Package qwen implements the wire of Qwen Code.
//
// Its keys are Claude Code's, but its rules differ: the allow of another hook can override a denial,
// an ask is treated as a refusal, arguments cannot be rewritten, and an output is replaced by stopping
// the call. So every answer is one JSON object at exit code 0 that has a denial in all its forms.
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
	Read: read, Encode: encode,
}

// read reads a payload and adjusts the events to its contents.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(bytes.TrimSpace(body), "hook_event_name")
	}
	c := wire.ReadAs(h, body, flatten(body, name), name)
	if c.Err != nil {
		return c
	}
	ev := &c.Events[0]
	switch name {
	case "UserPromptSubmit":
		if strings.TrimSpace(ev.Text) == "" {
			ev.Kind = checkrein.Other // it is a tool result, not a prompt
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

// flatten makes the text for the model the output of the tool; what the user sees becomes a separate
// member. It returns an invalid payload as it is, so that its reader reports the error.
func flatten(body []byte, name string) []byte {
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
