package mockmodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// A responsesWire implements the OpenAI Responses protocol.
type responsesWire struct{}

func (responsesWire) read(q *Request) error {
	var in struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []responsesTool `json:"tools"`
		Text         struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading responses request: %w", err)
	}
	q.Model, q.Stream, q.Schema = in.Model, in.Stream, in.Text.Format.Schema
	if in.Instructions != "" {
		q.Messages = systemMessage([]string{in.Instructions})
	}
	var prompt string
	if json.Unmarshal(in.Input, &prompt) == nil {
		q.Messages = append(q.Messages, Message{Role: "user", Texts: []string{prompt}})
	} else {
		var items []responsesItem
		if err := json.Unmarshal(in.Input, &items); err != nil {
			return fmt.Errorf("reading responses input: %w", err)
		}
		for _, it := range items {
			q.Messages = append(q.Messages, it.toMessage())
		}
	}
	for _, t := range in.Tools {
		q.Tools = append(q.Tools, t.toTools("")...)
	}
	return nil
}

type responsesTool struct {
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Tools      []responsesTool `json:"tools"` // of a namespace
}

// toTools returns the tool, or the tools of a namespace. A tool that the provider runs itself has no
// name, and gets that of its type.
func (t responsesTool) toTools(namespace string) []Tool {
	if t.Type == "namespace" {
		var out []Tool
		for _, sub := range t.Tools {
			out = append(out, sub.toTools(t.Name)...)
		}
		return out
	}
	tool := Tool{Name: t.Name, Namespace: namespace, FreeForm: t.Type == "custom"}
	if tool.Name == "" {
		tool.Name = t.Type
	}
	tool.readSchema(t.Parameters)
	return []Tool{tool}
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
}

func (it responsesItem) toMessage() Message {
	switch it.Type {
	case "function_call":
		return Message{Role: "assistant", Calls: []ToolCall{{ID: it.CallID, Name: it.Name, Args: it.Arguments}}}
	case "custom_tool_call":
		return Message{Role: "assistant", Calls: []ToolCall{{ID: it.CallID, Name: it.Name, Args: it.Input}}}
	case "function_call_output", "custom_tool_call_output":
		text := strings.Join(contentTexts(it.Output), "\n")
		return Message{Role: "tool", Results: []ToolResult{{ID: it.CallID, Text: text}}}
	}
	return Message{Role: it.Role, Texts: contentTexts(it.Content)}
}

func (responsesWire) write(w stream, q Request, r reply) {
	u, items := r.usage, responsesItems(r)
	whole := obj{
		"id": "resp_" + r.id, "object": "response", "created_at": 1, "model": r.model, "status": "completed", "output": items,
		"usage": obj{
			"input_tokens": u.Input, "input_tokens_details": obj{"cached_tokens": u.CachedRead},
			"output_tokens": u.Output, "output_tokens_details": obj{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output,
		},
	}
	end := "response.completed"
	if why := incompleteReason(r); why != "" {
		end, whole["status"], whole["incomplete_details"] = "response.incomplete", "incomplete", obj{"reason": why}
	}
	if !q.Stream {
		w.sendJSON(whole)
		return
	}
	w.beginEvents()
	seq := 0
	send := func(kind string, fields obj) bool {
		fields["type"], fields["sequence_number"] = kind, seq
		seq++
		return w.sendEvent(kind, fields)
	}
	send("response.created", obj{"response": obj{
		"id": whole["id"], "object": "response", "created_at": 1, "model": r.model, "status": "in_progress", "output": []any{},
	}})
	if r.fault == Overflow {
		e := responsesWire{}.failureOf(Overflow)
		whole["status"], whole["error"], whole["output"] = "failed", obj{"code": e.code, "message": e.message}, []any{}
		send("response.failed", obj{"response": whole})
		return
	}
	for i, it := range items {
		streamItem(send, i, it, i == len(items)-1 && r.fault.interruptsAnswer())
	}
	tell := func(e failure) {
		send("error", obj{"code": "server_error", "message": e.message, "param": nil})
	}
	more := func(s string) bool {
		return send("response.output_text.delta", obj{"item_id": "msg_" + r.id, "output_index": 0, "content_index": 0, "delta": s})
	}
	if w.interrupt(tell, more) {
		return
	}
	send(end, obj{"response": whole})
}

// incompleteReason returns why an answer is incomplete, or "" if it is complete.
func incompleteReason(r reply) string {
	switch {
	case r.fault == Length:
		return "max_output_tokens"
	case r.fault == Refusal && r.text == "":
		return "content_filter"
	}
	return ""
}

// answersFault reports whether the fault is an overflow in a stream, which has begun by the time the
// length is known.
func (responsesWire) answersFault(k FaultKind, stream bool) bool { return k == Overflow && stream }

func (responsesWire) failureOf(k FaultKind) failure {
	if k == Overflow {
		return failure{400, "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."}
	}
	return chatWire{}.failureOf(k)
}

func (responsesWire) failureBody(e failure) obj { return chatWire{}.failureBody(e) }

func responsesItems(r reply) []obj {
	items := []obj{}
	if r.text != "" {
		items = append(items, obj{
			"type": "message", "id": "msg_" + r.id, "role": "assistant", "status": "completed",
			"content": []any{responsesPart(r)},
		})
	}
	for _, c := range r.calls {
		it := obj{"id": "fc_" + c.id, "call_id": c.id, "name": c.tool.Name, "status": "completed"}
		if c.tool.Namespace != "" {
			it["namespace"] = c.tool.Namespace
		}
		if c.tool.FreeForm {
			it["type"], it["input"] = "custom_tool_call", c.text
		} else {
			it["type"], it["arguments"] = "function_call", c.argsJSON()
		}
		items = append(items, it)
	}
	return items
}

func responsesPart(r reply) obj {
	if r.hasRefusal() {
		return obj{"type": "refusal", "refusal": r.text}
	}
	return obj{"type": "output_text", "text": r.text, "annotations": []any{}}
}

// streamItem sends the events of one item. If half is set, it leaves out the events that end the item.
func streamItem(send func(string, obj) bool, index int, it obj, half bool) {
	begin := maps.Clone(it)
	begin["status"] = "in_progress"
	at := func(fields obj) obj {
		fields["item_id"], fields["output_index"] = it["id"], index
		return fields
	}
	switch it["type"] {
	case "message":
		begin["content"] = []any{}
		part := it["content"].([]any)[0].(obj)
		field, kind := "text", "response.output_text"
		if part["type"] == "refusal" {
			field, kind = "refusal", "response.refusal"
		}
		empty := maps.Clone(part)
		empty[field] = ""
		send("response.output_item.added", obj{"output_index": index, "item": begin})
		send("response.content_part.added", at(obj{"content_index": 0, "part": empty}))
		send(kind+".delta", at(obj{"content_index": 0, "delta": part[field]}))
		if half {
			return
		}
		send(kind+".done", at(obj{"content_index": 0, field: part[field]}))
		send("response.content_part.done", at(obj{"content_index": 0, "part": part}))
	case "custom_tool_call":
		begin["input"] = ""
		send("response.output_item.added", obj{"output_index": index, "item": begin})
		send("response.custom_tool_call_input.delta", at(obj{"delta": it["input"]}))
		if half {
			return
		}
		send("response.custom_tool_call_input.done", at(obj{"input": it["input"]}))
	default:
		begin["arguments"] = ""
		send("response.output_item.added", obj{"output_index": index, "item": begin})
		send("response.function_call_arguments.delta", at(obj{"delta": it["arguments"]}))
		if half {
			return
		}
		send("response.function_call_arguments.done", at(obj{"arguments": it["arguments"]}))
	}
	send("response.output_item.done", obj{"output_index": index, "item": it})
}
