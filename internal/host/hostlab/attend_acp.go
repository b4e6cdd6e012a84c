package hostlab

import (
	"encoding/json"
	"strings"
)

// ACPDriver returns a driver that uses the Agent Client Protocol, as editors do. args are the
// arguments of the host.
func ACPDriver(args ...string) Driver {
	return Driver{
		Args: func(*Space, Run) []string { return args },
		Talk: (*Talk).talkACP,
	}
}

// talkACP runs one prompt over the Agent Client Protocol.
func (t *Talk) talkACP(s *Space, r Run) error {
	t.Protocol = "2.0"
	hello := map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{
		"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false,
	}}
	if err := t.Call("initialize", hello, nil, nil); err != nil {
		return err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := t.Call("session/new", map[string]any{"cwd": s.Project, "mcpServers": []any{}}, &session, t.answerACP); err != nil {
		return err
	}
	text := map[string]any{"type": "text", "text": r.Prompt}
	return t.Call("session/prompt", map[string]any{"sessionId": session.ID, "prompt": []any{text}}, nil, t.answerACP)
}

// answerACP answers session/request_permission by choosing one of the host's options.
func (t *Talk) answerACP(m *Message) (any, bool) {
	if m.Method != "session/request_permission" {
		return nil, false
	}
	var q struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	if json.Unmarshal(m.Params, &q) != nil {
		return nil, false
	}
	want := "reject"
	if t.Ask(m.Params) {
		want = "allow"
	}
	chosen := ""
	for _, o := range q.Options { // prefer "once" to "always"
		if o.Kind == want+"_once" || chosen == "" && strings.HasPrefix(o.Kind, want) {
			chosen = o.ID
		}
	}
	if chosen == "" {
		return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}, true
	}
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": chosen}}, true
}
