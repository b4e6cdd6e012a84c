package fakehost

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// An approver decides about calls in the user's place.
type approver interface {
	// allows asks whether u may run and reports whether the answer is yes. why is the reason for the
	// question.
	allows(u *call, why string) bool
}

// A terminal asks the user in plain lines.
type terminal struct {
	*bufio.Reader
	io.Writer
}

func (t *terminal) allows(u *call, why string) bool {
	fmt.Fprintf(t, "%s %s\n%s\nDo you want to proceed? 1. Yes 2. No\n", u.tool, u.input, why)
	text, err := t.ReadString('\n')
	return err == nil && strings.HasPrefix(text, "1")
}

// An editor is a program that drives the host for a user. Both sides send one JSON object per line.
type editor struct {
	*bufio.Reader
	io.Writer
	asked int
}

// readPrompt reads the user's first message and returns its text.
func (e *editor) readPrompt() (string, error) {
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
	e.send(map[string]any{"type": "control_request", "request_id": id, "request": map[string]any{
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

// send writes v as a line of JSON. It ignores errors, because the editor may be gone.
func (e *editor) send(v any) {
	_, _ = e.Write(append(mustJSON(v), '\n'))
}
