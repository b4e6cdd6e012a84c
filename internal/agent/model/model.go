// Package model calls language models for the runtime. It has one interface for all models, a scripted
// model that needs no key, and models of providers, which a separate program calls.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// A Message is one entry of a conversation. Its JSON is what hooks on
// before_llm_call read and may rewrite.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // the call that a tool's message answers
	IsError    bool       `json:"is_error,omitempty"`
	CreatedAt  time.Time  `json:"created_at,omitzero"`
	Model      string     `json:"model,omitempty"`
	Usage      *Usage     `json:"usage,omitempty"`
	Cost       *float64   `json:"cost,omitempty"`
	Agent      string     `json:"agent_name,omitempty"` // the agent that wrote it
}

// A ToolCall is a model's request to call a tool.
type ToolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// A Function is the tool to call. Arguments is what the model wrote: a JSON object if it followed the
// schema, but possibly anything else.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage counts the tokens of a call as the provider reported them.
type Usage struct {
	Input       int `json:"input_tokens"`
	Output      int `json:"output_tokens"`
	CachedInput int `json:"cached_input_tokens"`
	CachedWrite int `json:"cached_write_tokens"`
	Reasoning   int `json:"reasoning_tokens,omitempty"`
}

// A Definition describes a tool to models.
type Definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON schema
}

// A Request is one call of a model.
type Request struct {
	Messages []Message    `json:"messages"`
	Tools    []Definition `json:"tools,omitempty"`
	Schema   *Schema      `json:"schema,omitempty"` // of the answer's text; nil = any text
}

// A Schema describes the text of an answer. Only some providers enforce it.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"json"` // a JSON schema
}

// An Answer is a model's answer: text, calls, or both.
type Answer struct {
	Text      string     `json:"text,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Usage     *Usage     `json:"usage,omitempty"`   // nil = the provider reported none
	Cost      *float64   `json:"cost,omitempty"`    // in USD; nil = the price is unknown
	Model     string     `json:"model,omitempty"`   // the ID of the model that answered, if several could have; "" = the only one
	Refused   bool       `json:"refused,omitempty"` // the text is the model's reason not to answer
	// Doubt is why the text may be incomplete: the provider truncated it, or ended it for an unknown
	// reason; "" = it is complete.
	Doubt string `json:"doubt,omitempty"`
}

// setCallIDs gives each tool call without an ID, or with that of another call, one that is unique in a
// conversation of this many messages.
func (a *Answer) setCallIDs(messages int) {
	seen := make(map[string]bool, len(a.ToolCalls))
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		for n := i; c.ID == "" || seen[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%d_%d", messages, n)
		}
		seen[c.ID] = true
	}
}

// A Model answers requests. It is safe for concurrent use.
type Model interface {
	// ID returns provider/model.
	ID() string
	// ContextLimit returns the context size in tokens; 0 = unknown.
	ContextLimit() int
	// Endpoint returns where the model is served, for hooks that manage engines.
	Endpoint() Endpoint
	// Call calls the model. Unless delta is nil, it is called with the pieces of the text in order as
	// they arrive. If the conversation is too long, the error is [ErrOverflow].
	Call(ctx context.Context, req Request, delta func(string)) (Answer, error)
}

// An Endpoint describes an agent's model in on_agent_switch.
type Endpoint struct {
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	BaseURL   string `json:"base_url,omitempty"`
	UnloadAPI string `json:"unload_api,omitempty"`
}

// ErrOverflow means that the conversation exceeds the model's context.
var ErrOverflow = errors.New("the conversation does not fit into the model's context")
