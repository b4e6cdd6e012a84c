package mockmodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// An anthropicWire implements the Anthropic Messages protocol.
type anthropicWire struct{}

func (anthropicWire) read(q *Request) error {
	var in struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Output struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading messages request: %w", err)
	}
	q.Model, q.Stream, q.Schema = in.Model, in.Stream, in.Output.Format.Schema
	q.Messages = systemMessage(contentTexts(in.System))
	for _, m := range in.Messages {
		q.Messages = append(q.Messages, anthropicMessage(m.Role, m.Content))
	}
	for _, t := range in.Tools {
		tool := Tool{Name: t.Name}
		tool.readSchema(t.Schema)
		q.Tools = append(q.Tools, tool)
	}
	return nil
}

func anthropicMessage(role string, content json.RawMessage) Message {
	m := Message{Role: role, Texts: contentTexts(content)}
	var blocks []struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		Content   json.RawMessage `json:"content"`
		IsError   bool            `json:"is_error"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return m
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			m.Calls = append(m.Calls, ToolCall{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		case "tool_result":
			text := strings.Join(contentTexts(b.Content), "\n")
			m.Results = append(m.Results, ToolResult{ID: b.ToolUseID, Text: text, IsError: b.IsError})
		}
	}
	return m
}

func (anthropicWire) write(w stream, q Request, r reply) {
	blocks := anthropicBlocks(r)
	u, reason := r.usage, anthropicReason(r)
	out := obj{"output_tokens": u.Output, "output_tokens_details": obj{"thinking_tokens": u.Reasoning}}
	msg := obj{
		"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": r.model,
		"content": blocks, "stop_reason": reason, "stop_sequence": nil,
		"usage": obj{
			"input_tokens":            u.Input - u.CachedRead - u.CachedWrite,
			"cache_read_input_tokens": u.CachedRead, "cache_creation_input_tokens": u.CachedWrite,
			"output_tokens": u.Output, "output_tokens_details": out["output_tokens_details"],
		},
	}
	if !q.Stream {
		w.sendJSON(msg)
		return
	}
	w.beginEvents()
	msg["content"], msg["stop_reason"] = []any{}, nil
	w.sendEvent("message_start", obj{"type": "message_start", "message": msg})
	begin := func(i int, block obj) {
		w.sendEvent("content_block_start", obj{"type": "content_block_start", "index": i, "content_block": block})
	}
	grow := func(i int, delta obj) bool {
		return w.sendEvent("content_block_delta", obj{"type": "content_block_delta", "index": i, "delta": delta})
	}
	for i, b := range blocks {
		if b["type"] == "text" {
			begin(i, obj{"type": "text", "text": ""})
			grow(i, obj{"type": "text_delta", "text": b["text"]})
		} else {
			begin(i, obj{"type": "tool_use", "id": b["id"], "name": b["name"], "input": obj{}})
			grow(i, obj{"type": "input_json_delta", "partial_json": r.calls[i+len(r.calls)-len(blocks)].argsJSON()})
		}
		if i < len(blocks)-1 || !r.fault.interruptsAnswer() {
			w.sendEvent("content_block_stop", obj{"type": "content_block_stop", "index": i})
		}
	}
	tell := func(e failure) { w.sendEvent("error", anthropicWire{}.failureBody(e)) }
	if r.fault == Flood {
		begin(len(blocks), obj{"type": "text", "text": ""})
	}
	if w.interrupt(tell, func(s string) bool { return grow(len(blocks), obj{"type": "text_delta", "text": s}) }) {
		return
	}
	w.sendEvent("message_delta", obj{
		"type":  "message_delta",
		"delta": obj{"stop_reason": reason, "stop_sequence": nil},
		"usage": out,
	})
	w.sendEvent("message_stop", obj{"type": "message_stop"})
}

func anthropicBlocks(r reply) []obj {
	var blocks []obj
	if r.text != "" {
		blocks = append(blocks, obj{"type": "text", "text": r.text})
	}
	for _, c := range r.calls {
		blocks = append(blocks, obj{"type": "tool_use", "id": c.id, "name": c.tool.Name, "input": c.args})
	}
	return blocks
}

func anthropicReason(r reply) string {
	switch {
	case r.fault == Length:
		return "max_tokens"
	case r.fault == Refusal:
		return "refusal"
	case len(r.calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (anthropicWire) answersFault(FaultKind, bool) bool { return false }

func (anthropicWire) failureOf(k FaultKind) failure {
	switch k {
	case Unauthorized:
		return failure{401, "authentication_error", "invalid x-api-key"}
	case Forbidden:
		return failure{403, "permission_error", "Your API key does not have permission to use the specified resource"}
	case RateLimited:
		return failure{429, "rate_limit_error", "This request would exceed your organization's rate limit"}
	case Overloaded:
		return failure{529, "overloaded_error", "Overloaded"}
	case Overflow:
		return failure{400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"}
	case Blocked:
		return failure{400, "invalid_request_error", "Output blocked by content filtering policy"}
	}
	return failure{500, "api_error", "Internal server error"}
}

func (anthropicWire) failureBody(e failure) obj {
	if e.code == "" {
		e.code = "api_error"
	}
	return obj{"type": "error", "error": obj{"type": e.code, "message": e.message}, "request_id": "req_mock"}
}
