// Package model is how the runtime calls language models: one interface, a
// scripted model that needs no key, and chat completions over plain HTTP.
package model

import (
	"context"
	"encoding/json"
	"errors"
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
	ToolCallID string     `json:"tool_call_id,omitempty"` // which call a tool's message answers
	IsError    bool       `json:"is_error,omitempty"`
	CreatedAt  time.Time  `json:"created_at,omitzero"`
	Model      string     `json:"model,omitempty"`
	Usage      *Usage     `json:"usage,omitempty"`
	Cost       *float64   `json:"cost,omitempty"`
	Agent      string     `json:"agent_name,omitempty"` // who said it
}

// A ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// A Function is the tool that is to be called. Arguments are what the model
// wrote, which is meant to be a JSON object and may be anything.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage is what a call consumed, as the provider reported it.
type Usage struct {
	Input       int `json:"input_tokens"`
	Output      int `json:"output_tokens"`
	CachedInput int `json:"cached_input_tokens"`
	CachedWrite int `json:"cached_write_tokens"`
	Reasoning   int `json:"reasoning_tokens,omitempty"`
}

// A Definition is a tool as models are told of it.
type Definition struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema
}

// A Request is one call of a model.
type Request struct {
	Messages []Message
	Tools    []Definition
}

// An Answer is what a model said: text, calls, or both.
type Answer struct {
	Text      string
	ToolCalls []ToolCall
	Usage     *Usage   // nil = the provider reported none
	Cost      *float64 // in USD; nil = no price is known
	Model     string   // the ID of the model that answered, where several could have; "" = the only one
}

// A Model answers. It is safe for concurrent use.
type Model interface {
	// ID is provider/model.
	ID() string
	// ContextLimit is how many tokens fit; 0 = unknown.
	ContextLimit() int
	// Endpoint is where the model is served, for hooks that manage engines.
	Endpoint() Endpoint
	// Call calls the model. Delta, if not nil, gets the text as it comes, in
	// the order of the answer. A call that does not fit is an [ErrOverflow].
	Call(ctx context.Context, req Request, delta func(string)) (Answer, error)
}

// An Endpoint is what on_agent_switch tells of an agent's model.
type Endpoint struct {
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	BaseURL   string `json:"base_url,omitempty"`
	UnloadAPI string `json:"unload_api,omitempty"`
}

// ErrOverflow says that the conversation is longer than the model takes.
var ErrOverflow = errors.New("the conversation does not fit into the model's context")
