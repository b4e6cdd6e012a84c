package claude

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as Claude Code 2.1.197 does.
func simulate(native string, payload []byte, r wire.Reply) wiretest.Reaction {
	if native == "" {
		native = "PreToolUse" // the strictest event
	}
	var h wiretest.Reaction
	out := strings.TrimSpace(string(r.Stdout))
	switch {
	case r.Exit != 0:
		h.Rejected = "an exit code other than 0"
		return h
	case out == "":
		return h
	case rawjson.CheckObject([]byte(out)) != nil:
		if native == "PreCompact" || native == "UserPromptSubmit" || native == "SessionStart" {
			h.Context = out
			return h
		}
		h.Rejected = "not one JSON object"
		return h
	}
	m := reader{h: &h, native: native, payload: payload}
	rawjson.Each([]byte(out), m.readTop)
	if m.halted {
		h.Stopped = true
	}
	return h
}

type reader struct {
	h       *wiretest.Reaction
	native  string
	payload []byte
	halted  bool
}

func (m *reader) readTop(key string, val []byte) bool {
	text, isText := rawjson.Text(val)
	h := m.h
	switch key {
	case "systemMessage":
		h.Notice = text
	case "continue":
		if rawjson.Kind(val) != 'b' {
			h.Rejected = "continue is no bool"
		}
		m.halted = string(val) == "false"
	case "stopReason":
	case "decision":
		if text != "block" {
			h.Rejected = "decision is " + text
			break
		}
		switch m.native {
		case "Stop", "SubagentStop":
			h.Redo = " "
		case "PostToolUse", "PostToolUseFailure":
		default:
			h.Decision = checkrein.Deny
		}
	case "reason":
		if h.Redo != "" {
			h.Redo = text
		}
		h.Reason = text
	case "hookSpecificOutput":
		if rawjson.GetText(val, "hookEventName") != m.native {
			h.Rejected = "hookEventName is " + rawjson.GetText(val, "hookEventName")
			break
		}
		rawjson.Each(val, m.readSpecific)
	default:
		h.Rejected = "the key " + key + " means nothing"
	}
	if !isText && key != "continue" && key != "hookSpecificOutput" {
		h.Rejected = key + " is no text"
	}
	return h.Rejected == ""
}

func (m *reader) readSpecific(key string, val []byte) bool {
	text, _ := rawjson.Text(val)
	h := m.h
	on := func(events ...string) bool { return slices.Contains(events, m.native) }
	switch {
	case key == "hookEventName":
	case key == "permissionDecision" && on("PreToolUse"):
		d, ok := hookfile.ParseDecision(text)
		if !ok || d == checkrein.NoOpinion {
			h.Rejected = "permissionDecision is " + text
		}
		h.Decision = d
	case key == "permissionDecisionReason" && on("PreToolUse"):
		h.Reason = text
	case key == "updatedInput" && on("PreToolUse"):
		h.Input = val
	case key == "additionalContext" && on("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SubagentStart"):
		h.Context = text
	case key == "additionalContext" && on("Stop"):
		h.Redo = text
	case key == "updatedToolOutput" && on("PostToolUse"):
		if hasShape(m.payload, val) {
			h.Output = val
		}
	case key == "displayContent" && on("MessageDisplay"):
		h.Output = val
	case key == "decision" && on("PermissionRequest"):
		if rawjson.GetText(val, "behavior") == "allow" {
			h.Decision = checkrein.Allow
			h.Input, _ = rawjson.Get(val, "updatedInput")
		} else {
			h.Decision, h.Reason = checkrein.Deny, rawjson.GetText(val, "message")
		}
	default:
		h.Rejected = "the key hookSpecificOutput." + key + " means nothing here"
	}
	return h.Rejected == ""
}

// hasShape reports whether val, a replacement, has the members of the output in payload.
func hasShape(payload, val []byte) bool {
	was, _ := rawjson.Get(payload, "tool_response")
	if strings.HasPrefix(rawjson.GetText(payload, "tool_name"), "mcp__") {
		return true
	}
	if rawjson.Kind(was) != rawjson.Kind(val) {
		return false
	}
	ok := true
	rawjson.Each(was, func(key string, _ []byte) bool {
		_, ok = rawjson.Get(val, key)
		return ok
	})
	return ok
}

func TestEventsThatDependOnThePayload(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want []checkrein.Kind
	}{
		{`{"hook_event_name":"SessionStart","source":"resume"}`, []checkrein.Kind{checkrein.SessionStart, checkrein.OnSessionResume}},
		{`{"hook_event_name":"SessionStart","source":"startup"}`, []checkrein.Kind{checkrein.SessionStart}},
		{`{"hook_event_name":"Notification","notification_type":"idle_prompt"}`, []checkrein.Kind{checkrein.Notification, checkrein.OnUserInput}},
		{`{"hook_event_name":"BrandNew"}`, []checkrein.Kind{checkrein.Other}},
	} {
		var got []checkrein.Kind
		call := Host.Read(&Host, []byte(c.body), "")
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
		}
		if !slices.Equal(got, c.want) || call.Err != nil {
			t.Errorf("%s: %v, %v", c.body, got, call.Err)
		}
	}
}
