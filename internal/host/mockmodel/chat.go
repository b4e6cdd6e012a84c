package mockmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A chatWire implements the OpenAI chat completions protocol.
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
		Format struct {
			JSONSchema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return fmt.Errorf("reading chat request: %w", err)
	}
	q.Model, q.Stream, q.Schema = in.Model, in.Stream, in.Format.JSONSchema.Schema
	for _, m := range in.Messages {
		q.Messages = append(q.Messages, m.toMessage())
	}
	for _, t := range in.Tools {
		tool := Tool{Name: t.Function.Name}
		tool.readSchema(t.Function.Parameters)
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

func (m chatMessage) toMessage() Message {
	if m.Role == "tool" {
		text := strings.Join(contentTexts(m.Content), "\n")
		return Message{Role: m.Role, Results: []ToolResult{{ID: sentID(m.ToolCallID), Text: text}}}
	}
	out := Message{Role: m.Role, Texts: contentTexts(m.Content)}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, ToolCall{ID: sentID(c.ID), Name: c.Function.Name, Args: c.Function.Arguments})
	}
	return out
}

// changedID matches the ID of a call as Droid returns it: call0n0 becomes call_call0n0_0.
var changedID = regexp.MustCompile(`^call_(call\d+n\d+)_\d+$`)

// sentID returns the ID of a call as the server sent it.
func sentID(id string) string { return changedID.ReplaceAllString(id, "$1") }

func (chatWire) write(w stream, q Request, r reply) {
	message := obj{"role": "assistant"}
	message[chatTextField(r)] = r.text
	if len(r.calls) > 0 {
		message["tool_calls"] = chatCalls(r)
	}
	u, reason := r.usage, chatReason(r)
	usage := obj{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": obj{"cached_tokens": u.CachedRead}, "completion_tokens_details": obj{"reasoning_tokens": u.Reasoning},
	}
	whole := func(object string, choices []any) obj {
		return obj{"id": "chatcmpl-" + r.id, "object": object, "created": 1, "model": r.model, "choices": choices}
	}
	if !q.Stream {
		answer := whole("chat.completion", []any{obj{"index": 0, "message": message, "finish_reason": reason}})
		answer["usage"] = usage
		w.sendJSON(answer)
		return
	}
	w.beginEvents()
	chunk := func(delta obj, reason any) bool {
		return w.sendEvent("", whole("chat.completion.chunk", []any{obj{"index": 0, "delta": delta, "finish_reason": reason}}))
	}
	chunk(obj{"role": "assistant", "content": ""}, nil)
	if r.text != "" {
		chunk(obj{chatTextField(r): r.text}, nil)
	}
	if len(r.calls) > 0 {
		chunk(obj{"tool_calls": chatCalls(r)}, nil)
	}
	tell := func(e failure) { w.sendEvent("", chatWire{}.failureBody(e)) }
	if w.interrupt(tell, func(s string) bool { return chunk(obj{"content": s}, nil) }) {
		return
	}
	chunk(obj{}, reason)
	last := whole("chat.completion.chunk", []any{})
	last["usage"] = usage
	w.sendEvent("", last)
	w.sendData("", []byte("[DONE]"))
}

// chatTextField returns the name of the field for the text of a reply; a refusal has its own.
func chatTextField(r reply) string {
	if r.hasRefusal() {
		return "refusal"
	}
	return "content"
}

func chatReason(r reply) string {
	switch {
	case r.fault == Length:
		return "length"
	case r.fault == Refusal && r.text == "":
		return "content_filter"
	case len(r.calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (chatWire) answersFault(FaultKind, bool) bool { return false }

// failureOf returns the error of both OpenAI protocols for a fault, except for the overflow of
// Responses.
func (chatWire) failureOf(k FaultKind) failure {
	switch k {
	case Unauthorized:
		return failure{401, "invalid_api_key", "Incorrect API key provided"}
	case Forbidden:
		return failure{403, "unsupported_country_region_territory", "Country, region, or territory not supported"}
	case RateLimited:
		return failure{429, "rate_limit_exceeded", "Rate limit reached for the model on requests per min (RPM)"}
	case Overloaded:
		return failure{503, "", "The engine is currently overloaded, please try again later"}
	case Overflow:
		return failure{400, "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages."}
	case Blocked:
		return failure{400, "content_policy_violation", "Your request was rejected as a result of our safety system"}
	}
	return failure{500, "", "The server had an error while processing your request"}
}

func (chatWire) failureBody(e failure) obj {
	kind := "invalid_request_error"
	switch {
	case e.status == 429:
		kind = "requests"
	case e.status >= 500:
		kind = "server_error"
	}
	var code any
	if e.code != "" {
		code = e.code
	}
	return obj{"error": obj{"message": e.message, "type": kind, "param": nil, "code": code}}
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
