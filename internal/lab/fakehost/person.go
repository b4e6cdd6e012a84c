package fakehost

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A person answers questions about calls.
type person interface {
	allows(u *call, why string) bool
}

// A terminal has a person before it.
type terminal struct {
	*bufio.Reader
	io.Writer
}

func (t *terminal) allows(u *call, why string) bool {
	fmt.Fprintf(t, "%s %s\n%s\nDo you want to proceed? 1. Yes 2. No\n", u.tool, u.input, why)
	text, err := t.ReadString('\n')
	return err == nil && strings.HasPrefix(text, "1")
}

// An editor drives the host for a person, one JSON object a line both ways.
type editor struct {
	*bufio.Reader
	io.Writer
	asked int
}

// prompt is the person's first message.
func (e *editor) prompt() (string, error) {
	var m struct {
		Type    string
		Message struct{ Content string }
	}
	line, err := e.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err == nil && m.Type != "user" {
		err = fmt.Errorf("expected message type 'user', got '%s'", m.Type)
	}
	return m.Message.Content, err
}

func (e *editor) allows(u *call, why string) bool {
	e.asked++
	id := fmt.Sprint("request-", e.asked)
	e.say(map[string]any{"type": "control_request", "request_id": id, "request": map[string]any{
		"subtype": "can_use_tool", "tool_name": u.tool, "input": u.input, "decision_reason": why, "tool_use_id": u.id,
	}})
	var m struct {
		Response struct {
			Subtype   string
			RequestID string `json:"request_id"`
			Response  struct{ Behavior string }
		}
	}
	line, err := e.ReadBytes('\n')
	return err == nil && json.Unmarshal(line, &m) == nil && m.Response.Subtype == "success" &&
		m.Response.RequestID == id && m.Response.Response.Behavior == "allow"
}

func (e *editor) say(v any) {
	_, _ = e.Write(append(raw(v), '\n')) // the editor may be gone
}
