package mockmodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// chatWire speaks OpenAI chat completions.
type chatWire struct{}

func (chatWire) read(q *Request) error {
	var in struct {
		Model    string        `json:"model"`
		Stream   bool          `json:"stream"`
		Messages []chatMessage `json:"messages"`
		Tools    []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading chat request: %w", err)
	}
	q.Model, q.Stream = in.Model, in.Stream
	for _, m := range in.Messages {
		q.Messages = append(q.Messages, m.common())
	}
	for _, t := range in.Tools {
		tool := Tool{Name: t.Function.Name}
		tool.schema(t.Function.Parameters)
		q.Tools = append(q.Tools, tool)
	}
	return nil
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (m chatMessage) common() Message {
	if m.Role == "tool" {
		text := strings.Join(texts(m.Content), "\n")
		return Message{Role: m.Role, Results: []ToolResult{{ID: m.ToolCallID, Text: text}}}
	}
	out := Message{Role: m.Role, Texts: texts(m.Content)}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, ToolCall{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
	}
	return out
}

func (chatWire) write(w stream, q Request, r reply) {
	reason := "stop"
	if len(r.calls) > 0 {
		reason = "tool_calls"
	}
	message := obj{"role": "assistant", "content": r.text}
	if len(r.calls) > 0 {
		message["tool_calls"] = chatCalls(r)
	}
	usage := obj{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	whole := func(object string, choices []any) obj {
		return obj{"id": "chatcmpl-" + r.id, "object": object, "created": 1, "model": r.model, "choices": choices}
	}
	if !q.Stream {
		answer := whole("chat.completion", []any{obj{"index": 0, "message": message, "finish_reason": reason}})
		answer["usage"] = usage
		w.json(answer)
		return
	}
	w.begin()
	chunk := func(delta obj, reason any) {
		w.event("", whole("chat.completion.chunk", []any{obj{"index": 0, "delta": delta, "finish_reason": reason}}))
	}
	chunk(obj{"role": "assistant", "content": ""}, nil)
	if r.text != "" {
		chunk(obj{"content": r.text}, nil)
	}
	if len(r.calls) > 0 {
		chunk(obj{"tool_calls": chatCalls(r)}, nil)
	}
	chunk(obj{}, reason)
	last := whole("chat.completion.chunk", []any{})
	last["usage"] = usage
	w.event("", last)
	w.data("", []byte("[DONE]"))
}

func chatCalls(r reply) []obj {
	var calls []obj
	for i, c := range r.calls {
		calls = append(calls, obj{
			"index": i, "id": c.id, "type": "function",
			"function": obj{"name": c.tool.Name, "arguments": c.argsJSON()},
		})
	}
	return calls
}
