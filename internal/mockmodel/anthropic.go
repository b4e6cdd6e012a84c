package mockmodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// anthropicWire speaks Anthropic Messages.
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
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading messages request: %w", err)
	}
	q.Model, q.Stream = in.Model, in.Stream
	q.Messages = instructions(texts(in.System))
	for _, m := range in.Messages {
		q.Messages = append(q.Messages, anthropicMessage(m.Role, m.Content))
	}
	for _, t := range in.Tools {
		tool := Tool{Name: t.Name}
		tool.schema(t.Schema)
		q.Tools = append(q.Tools, tool)
	}
	return nil
}

func anthropicMessage(role string, content json.RawMessage) Message {
	m := Message{Role: role, Texts: texts(content)}
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
			text := strings.Join(texts(b.Content), "\n")
			m.Results = append(m.Results, ToolResult{ID: b.ToolUseID, Text: text, IsError: b.IsError})
		}
	}
	return m
}

func (anthropicWire) write(w stream, q Request, r reply) {
	blocks := anthropicBlocks(r)
	reason := "end_turn"
	if len(r.calls) > 0 {
		reason = "tool_use"
	}
	msg := obj{
		"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": r.model,
		"content": blocks, "stop_reason": reason, "stop_sequence": nil,
		"usage": obj{"input_tokens": 1, "output_tokens": 1},
	}
	if !q.Stream {
		w.json(msg)
		return
	}
	w.begin()
	msg["content"], msg["stop_reason"] = []any{}, nil
	w.event("message_start", obj{"type": "message_start", "message": msg})
	for i, b := range blocks {
		start, delta := anthropicDelta(b)
		w.event("content_block_start", obj{"type": "content_block_start", "index": i, "content_block": start})
		w.event("content_block_delta", obj{"type": "content_block_delta", "index": i, "delta": delta})
		w.event("content_block_stop", obj{"type": "content_block_stop", "index": i})
	}
	w.event("message_delta", obj{
		"type":  "message_delta",
		"delta": obj{"stop_reason": reason, "stop_sequence": nil},
		"usage": obj{"output_tokens": 1},
	})
	w.event("message_stop", obj{"type": "message_stop"})
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

// anthropicDelta takes a block apart into how it starts and what it then grows by.
func anthropicDelta(b obj) (start, delta obj) {
	if b["type"] == "text" {
		return obj{"type": "text", "text": ""}, obj{"type": "text_delta", "text": b["text"]}
	}
	input, err := json.Marshal(b["input"])
	if err != nil {
		input = []byte("{}")
	}
	return obj{"type": "tool_use", "id": b["id"], "name": b["name"], "input": obj{}},
		obj{"type": "input_json_delta", "partial_json": string(input)}
}
