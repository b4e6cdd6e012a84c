package hostlab

import (
	"cmp"
	"encoding/json"
	"strings"
)

// claudeDesk is how editors and the SDK drive Claude Code: messages both ways, and
// questions as control requests.
var claudeDesk = desk{
	argv: func(s *Space, r Run) []string {
		args := claudeArgs(s, r)
		args[1] = "--verbose" // the prompt is a message
		return append(args, "--input-format", "stream-json", "--output-format", "stream-json", "--permission-prompt-tool", "stdio")
	},
	talk: func(t *talk, _ *Space, r Run) error {
		prompt := map[string]any{"role": "user", "content": r.Prompt}
		if err := t.send(map[string]any{"type": "user", "message": prompt, "session_id": "", "parent_tool_use_id": nil}); err != nil {
			return err
		}
		for {
			var m struct {
				Type    string          `json:"type"`
				ID      string          `json:"request_id"`
				Request json.RawMessage `json:"request"`
			}
			if err := t.next(&m); err != nil {
				return err
			}
			switch m.Type {
			case "result":
				return nil
			case "control_request":
				if err := t.answerClaude(m.ID, m.Request); err != nil {
					return err
				}
			}
		}
	},
}

func (t *talk) answerClaude(id string, request json.RawMessage) error {
	var q struct {
		Subtype string          `json:"subtype"`
		Input   json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(request, &q); err != nil {
		return err
	}
	answer := map[string]any{"subtype": "error", "request_id": id, "error": "unknown request"}
	if q.Subtype == "can_use_tool" {
		said := map[string]any{"behavior": "deny", "message": "the person said no"}
		if t.ask(request) {
			said = map[string]any{"behavior": "allow", "updatedInput": q.Input}
		}
		answer = map[string]any{"subtype": "success", "request_id": id, "response": said}
	}
	return t.send(map[string]any{"type": "control_response", "response": answer})
}

// acpDesk is a host that speaks the Agent Client Protocol, as editors do.
func acpDesk(args ...string) desk {
	return desk{
		argv: func(*Space, Run) []string { return args },
		talk: (*talk).acp,
	}
}

func (t *talk) acp(s *Space, r Run) error {
	t.protocol = "2.0"
	hello := map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{
		"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false,
	}}
	if err := t.call("initialize", hello, nil, nil); err != nil {
		return err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := t.call("session/new", map[string]any{"cwd": s.Project, "mcpServers": []any{}}, &session, t.acpQuestion); err != nil {
		return err
	}
	text := map[string]any{"type": "text", "text": r.Prompt}
	return t.call("session/prompt", map[string]any{"sessionId": session.ID, "prompt": []any{text}}, nil, t.acpQuestion)
}

// acpQuestion answers session/request_permission with one of the options of the host.
func (t *talk) acpQuestion(m *message) (any, bool) {
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
	if t.ask(m.Params) {
		want = "allow"
	}
	chosen := ""
	for _, o := range q.Options { // once before always
		if o.Kind == want+"_once" || chosen == "" && strings.HasPrefix(o.Kind, want) {
			chosen = o.ID
		}
	}
	if chosen == "" {
		return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}, true
	}
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": chosen}}, true
}

// codexDesk is Codex's server, as its editors drive it.
var codexDesk = desk{
	argv: func(s *Space, r Run) []string {
		args := append([]string{"app-server"}, codexConfig(s, r.Untrusted)...)
		return append(args, "-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="on-request"`)
	},
	talk: func(t *talk, s *Space, r Run) error {
		if err := t.helloCodex(); err != nil {
			return err
		}
		var thread struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
		}
		if err := t.call("thread/start", map[string]any{"cwd": s.Project}, &thread, nil); err != nil {
			return err
		}
		input := []any{map[string]any{"type": "text", "text": r.Prompt}}
		turn := map[string]any{"threadId": thread.Thread.ID, "input": input}
		done := false
		serve := func(m *message) (any, bool) {
			done = done || m.Method == "turn/completed"
			return t.codexQuestion(m)
		}
		if err := t.call("turn/start", turn, nil, serve); err != nil {
			return err
		}
		for !done {
			var m message
			if err := t.next(&m); err != nil {
				return err
			}
			if m.Method == "" {
				continue
			}
			if err := t.serve(&m, serve); err != nil {
				return err
			}
		}
		return nil
	},
}

func (t *talk) codexQuestion(m *message) (any, bool) {
	if !strings.HasSuffix(m.Method, "/requestApproval") {
		return nil, false
	}
	decision := "decline"
	if t.ask(m.Params) {
		decision = "accept"
	}
	return map[string]any{"decision": decision}, true
}

// helloCodex begins a conversation with Codex's server.
func (t *talk) helloCodex() error {
	client := map[string]any{"name": "hostlab", "version": "0"}
	hello := map[string]any{"clientInfo": client, "capabilities": map[string]any{"experimentalApi": true}}
	return cmp.Or(t.call("initialize", hello, nil, nil), t.send(map[string]any{"method": "initialized"}))
}
